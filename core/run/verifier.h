/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds the readable part of a verifier's log: the sentence it ends with, and where it stopped. */
#ifndef RUN_VERIFIER_H
#define RUN_VERIFIER_H

#include "base/types.h"

struct verdict {
	s64 insn;	  /* last instruction it looked at; -1: none */
	const char *said; /* points into the log; "": no sentence */
};

/* Splits `log` into lines, in place.  Instructions from n_insns on are ignored. */
struct verdict verifier_read(char *log, s64 n_insns);

#endif
