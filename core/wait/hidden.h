/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What some hosts keep from tracing: threads that /proc has and the kernel's list of threads leaves
 * out, and switches that no hook is called for.
 */
#ifndef WAIT_HIDDEN_H
#define WAIT_HIDDEN_H

#include <stdbool.h>

#include "base/mem.h"
#include "base/types.h"

struct hidden {
	VEC(u32) tids; /* of the processes that are watched, not met so far */
};

/* Before the scan: all threads of the process that /proc has. */
void hidden_add_process(struct hidden *h, u32 tgid);
/* The scan has met this one. */
void hidden_take(struct hidden *h, u32 tid);
/* Behind it: warn about those that were not met and are still there. */
void hidden_say(const struct hidden *h);
void hidden_release(struct hidden *h);

/* The thread is on a CPU or waits for one. */
bool hidden_is_runnable(u32 tid);

#endif
