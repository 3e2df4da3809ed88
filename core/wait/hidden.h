/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Detects threads and switches that some hosts hide from tracing: threads that are in /proc but not
 * in the kernel's list of threads, and switches for which no hook is called.
 */
#ifndef WAIT_HIDDEN_H
#define WAIT_HIDDEN_H

#include <stdbool.h>

#include "base/mem.h"
#include "base/types.h"

struct hidden {
	VEC(u32) tids; /* threads of watched processes that the scan has not met so far */
};

/* Add all threads of the process that /proc shows.  Call it before the scan. */
void hidden_add_process(struct hidden *h, u32 tgid);
/* The scan has met this thread. */
void hidden_take(struct hidden *h, u32 tid);
/* After the scan: warn about threads that were not met and are still alive. */
void hidden_say(const struct hidden *h);
void hidden_release(struct hidden *h);

/* True if the thread is on a CPU or waits for one. */
bool hidden_is_runnable(u32 tid);

#endif
