/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * User stacks that stop short of where threads begin: the walk by frame pointers met code that
 * keeps none.  Nobody sees that from the numbers, so it is looked for and said.
 */
#ifndef STACK_CUTS_H
#define STACK_CUTS_H

#include "model/report.h"

struct cuts {
	u64 walked, cut;    /* values of rows with a user part; of those that stop short */
	u64 n_stacks;	    /* rows that stop short */
	const char *module; /* where most of them stop; NULL: not known, or none is cut */
	u64 in_module;	    /* their value */
};

void cuts_find(const struct report *r, struct cuts *out);

/* How many of a stack's `n` locations, the leaf first, are calls: what a walk finds behind the
 * place where the thread begins is whatever its register held. */
u32 cuts_whole(const struct frame *frames, const u32 *locs, u32 n);

#endif
