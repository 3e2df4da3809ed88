/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kernel stacks with gaps.  Of a thread that is not the caller the kernel shows a stack without the
 * functions that put threads to sleep (sym/landmarks.h).  What is left are return addresses: those
 * around a gap say which call was made there.  So a stack that was taken live, and passes through
 * the same addresses, shows what is missing.
 */
#ifndef STACK_GAPS_H
#define STACK_GAPS_H

#include "base/index.h"
#include "base/mem.h"
#include "model/report.h"
#include "sym/landmarks.h"

/* The addresses of a kernel stack without those in gaps. */
struct gaps_key {
	u64 hash[2];
};

/* A stack that has no gaps, as a node of the store's. */
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

/* `places` NULL: of a stack that has gaps already. */
struct gaps_key gaps_key(const struct places *places, const u64 *frames, u32 n);

/* A stack was taken live: its key, and the node of its leaf. */
void gaps_learn(struct gaps *g, const struct gaps_key *key, u32 node);

/* The whole of a stack with gaps; 0: none was met, or some that differ by name.  `r` has the nodes
 * and the frames, which are named. */
u32 gaps_fill(const struct gaps *g, const struct gaps_key *key, const struct report *r);

#endif
