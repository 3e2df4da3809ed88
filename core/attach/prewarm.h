/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Hides the grace period of the first user probe.
 *
 * Adding a user probe waits for an RCU grace period, 5 to 20 ms: the kernel excludes forks with a
 * lock that is cheap for forks and expensive for us (percpu_down_write of dup_mmap_sem).  For one
 * grace period after its release, the lock can be taken again without a wait.  So a helper process
 * attaches to a file that is not mapped while we read types and symbols.  If it fails, only time is
 * lost.
 */
#ifndef ATTACH_PREWARM_H
#define ATTACH_PREWARM_H

#include <stdbool.h>

#include "base/subprocess.h"

struct attach_ahead {
	struct helper helper; /* pid 0: none, or it has ended */
};

void attach_ahead_begin(struct attach_ahead *a);
/* The real probes are attached: tell the helper to detach, and reap it if it has ended.  Does not
 * wait; call it again. */
void attach_ahead_end(struct attach_ahead *a);
/* The same, but waits for the helper.  Call it after the real probes were detached, which takes as
 * long anyway.  A run that fails earlier leaves the helper to init. */
void attach_ahead_wait(struct attach_ahead *a);

#endif
