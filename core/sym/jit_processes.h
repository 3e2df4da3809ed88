/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds processes of language runtimes, and checks if their code will have names. */
#ifndef SYM_JIT_PROCESSES_H
#define SYM_JIT_PROCESSES_H

#include "base/mem.h"

struct jit_runtime {
	int runtime; /* for runtime_name() */
	u32 n, n_without_map;
	u32 first; /* the first process without a map */
};

struct jit_processes {
	VEC(struct jit_runtime) runtimes; /* one for each that has processes here */
	u32 n_hidden;			  /* processes whose program cannot be seen */
};

/* Examine all processes in /proc. */
void jit_processes_find(struct jit_processes *out);
void jit_processes_release(struct jit_processes *j);

#endif
