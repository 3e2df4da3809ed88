/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * User stacks that end before they reach the start of the thread, and why: most of them because a
 * walk by frame pointers met code that keeps none.  The numbers do not show this, so it is detected
 * and reported.
 */
#ifndef STACK_TRUNCATION_H
#define STACK_TRUNCATION_H

#include "bpf/abi/stack.h"
#include "model/report.h"

struct truncations {
	u64 walked;			     /* value of rows with a user part */
	u64 by_reason[TRUNCATION_N_REASONS]; /* value of those that do not reach their root */
	/* Rows that end early in code that can't be walked: */
	u64 value;	    /* their value */
	u64 n_stacks;	    /* their number */
	const char *module; /* where most of them end; NULL: not known, or none of them does */
	u64 in_module;	    /* the value that ends there */
};

/* Why a stack with this end lacks its root: truncation_frames[] shows the reason as a frame.
 * TRUNCATION_N_REASONS: it does not lack its root, or only names can tell. */
enum truncation_reason truncations_of_end(enum stack_end end);

/* The same for a single user stack of n > 0 locations, leaf first, of which that frame is the
 * last. */
enum truncation_reason truncations_of_stack(const struct frame *frames, const u32 *locs, u32 n,
					    enum stack_end end);

void truncations_find(const struct report *r, struct truncations *out);

/* Add them to a ledger. */
void truncations_settle(const struct truncations *truncations, struct ledger *l);

/* Number of the stack's `n` locations (leaf first) that are real calls: beyond the start of the
 * thread, a walk finds only the value that the register happened to hold. */
u32 truncations_whole(const struct frame *frames, const u32 *locs, u32 n);

#endif
