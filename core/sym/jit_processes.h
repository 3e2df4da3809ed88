/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Processes of this host that compile code and write no perf map: that code has no names. */
#ifndef SYM_JIT_PROCESSES_H
#define SYM_JIT_PROCESSES_H

#include "base/types.h"

struct jit_processes {
	u32 n;	      /* processes without a perf map */
	u32 first;    /* process id of the first one */
	int runtime;  /* its runtime, for runtime_advice() (jit_hints.h); -1: there is none */
	u32 n_hidden; /* processes that we may not examine */
};

void jit_processes_find(struct jit_processes *out);

#endif
