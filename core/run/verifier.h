/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds the readable part of a verifier's log: its last sentence, and the instruction at which the
 * verifier stopped. */
#ifndef RUN_VERIFIER_H
#define RUN_VERIFIER_H

#include "base/types.h"

struct verdict {
	s64 insn;	  /* last instruction that the verifier looked at; -1: none */
	const char *said; /* points into the log; "": no sentence */
};

/* Splits `log` into lines, in place.  Instructions from n_insns on are ignored. */
struct verdict verifier_read(char *log, s64 n_insns);

#endif
