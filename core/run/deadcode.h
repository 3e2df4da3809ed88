/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Removes what a BPF program cannot execute with the constants of its read-only data.  The options
 * of a run are such constants, so much of a program is dead in each run.  The verifier finds this
 * out by itself, but only after it has paid for each dead instruction: several passes look at all
 * of them, and dead ranges are cut out one at a time.
 */
#ifndef RUN_DEADCODE_H
#define RUN_DEADCODE_H

#include <linux/bpf.h>

#include "base/types.h"

/* A frozen map that programs can only read. */
struct deadcode_data {
	int fd; /* as it stands in instructions */
	const u8 *bytes;
	size_t n;
};

/*
 * Rewrites the `n` instructions of a main program and its functions in place, and returns how many
 * remain.  kept[i] becomes the new index of instruction i or, if it was removed, of the first one
 * after it that was not; kept[n] is the new length.  A function that is never called has no
 * instruction left.
 */
u32 deadcode_remove(struct bpf_insn *insns, u32 n, const struct deadcode_data *data, size_t n_data,
		    u32 *kept);

#endif
