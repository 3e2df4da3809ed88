/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kernel stacks with gaps.  For a thread other than the caller, the kernel leaves out the functions
 * that put threads to sleep (sym/landmarks.h).  The remaining return addresses around a gap tell
 * which call was made there: a stack that was taken live and contains the same addresses shows the
 * missing frames.
 */
#ifndef STACK_GAPS_H
#define STACK_GAPS_H

#include "base/index.h"
#include "base/mem.h"
#include "model/report.h"
#include "sym/landmarks.h"

/* Hash of a kernel stack's addresses without those in gaps. */
struct gaps_key {
	u64 hash[2];
};

/* A stack without gaps, as a node of the store. */
struct gaps_path {
	struct gaps_key key;
	u32 node;
};

/* Zero-initialize. */
struct gaps {
	VEC(struct gaps_path) paths;
	struct index by_key;
};

void gaps_release(struct gaps *g);

/* `landmarks` NULL: the frames in gaps are already left out. */
struct gaps_key gaps_key(const struct landmarks *landmarks, const u64 *frames, u32 n);

/* Remember a stack that was taken live: its key, and the node of its leaf. */
void gaps_learn(struct gaps *g, const struct gaps_key *key, u32 node);

/* The complete stack for one with gaps; 0: none is known, or several that differ by name.  `r` has
 * the nodes, and the frames with their names. */
u32 gaps_fill(const struct gaps *g, const struct gaps_key *key, const struct report *r);

#endif
