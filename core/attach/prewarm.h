/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The wait of the first user probe, begun before there is a program to attach.
 *
 * Whoever adds a user probe waits for an RCU grace period, 5 to 20 ms: the kernel keeps forks out
 * with a lock that is cheap for them and dear for us (percpu_down_write of dup_mmap_sem).  Until
 * one grace period after that lock is given back, the next takes it for nothing.  So a process of
 * ours attaches to a file that nobody maps while we read types and symbols.  Nothing depends on it
 * but time.
 */
#ifndef ATTACH_PREWARM_H
#define ATTACH_PREWARM_H

#include <stdbool.h>

#include "base/subprocess.h"

struct attach_ahead {
	struct helper helper; /* pid 0: none, or it is over */
};

void attach_ahead_begin(struct attach_ahead *a);
/* The real probes are there: let go, and see whether that is done.  Does not wait; call it again.
 */
void attach_ahead_end(struct attach_ahead *a);
/* The same, until it is done: when the real probes were let go of, for that takes as long.  A run
 * that fails before leaves it to init. */
void attach_ahead_wait(struct attach_ahead *a);

#endif
