/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A verifier's log, read for a person: the sentence it ends with, and where it stopped. */
#ifndef RUN_VERIFIER_H
#define RUN_VERIFIER_H

#include "base/types.h"

struct verdict {
	s64 insn;	  /* the last one it looked at; -1: none */
	const char *said; /* in the log; "" when it says nothing */
};

/* Cuts `log` into lines.  Of instructions, only those below `n_insns` are looked at. */
struct verdict verifier_read(char *log, s64 n_insns);

#endif
