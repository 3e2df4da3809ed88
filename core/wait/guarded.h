/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads the memory of other processes, item by item, in a helper process: a page may wait forever
 * for a userfaultfd handler or a network.  The process that owns such a page is given up, and the
 * work on the others goes on.
 */
#ifndef WAIT_GUARDED_H
#define WAIT_GUARDED_H

#include "base/types.h"

/* All functions get `ctx`. */
struct guarded {
	u32 n; /* items */
	/* The process whose memory item `i` reads. */
	u32 (*process_of)(void *ctx, u32 i);
	/* Runs in the helper, so its results must be in shared memory. */
	void (*read)(void *ctx, u32 i);
	/* Called every few milliseconds, in the caller's process.  Optional. */
	void (*meanwhile)(void *ctx);
	void *ctx;
	u64 limit_ns; /* for all items together; those not read by then are left out */
};

/* Returns 0, or -errno if no helper can be started. */
int guarded_run(const struct guarded *g);

#endif
