/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The program that dead code is removed from. */
#ifndef RUN_DEADCODE_INT_H
#define RUN_DEADCODE_INT_H

#include "base/mem.h"
#include "run/deadcode.h"
#include "run/insn.h"

#define N_REGS 10 /* r0 to r9; the frame pointer is no constant */

/* An instruction can be executed, and then: */
enum {
	IS_LIVE = 1,
	GOES_ON = 2, /* to the next one */
	JUMPS = 4,
};

struct dead_pass {
	struct bpf_insn *insns;
	u32 n;
	const struct deadcode_data *data;
	size_t n_data;
	u8 *ways;    /* by instruction; 0 if it is dead */
	u16 *needed; /* by instruction: the registers whose values are read from there on */
};

/* Finds the ways of each instruction, and replaces those that always give the same number by moves
 * of it.  False: the program is malformed, and unchanged. */
bool constants_find(struct dead_pass *p);

#endif
