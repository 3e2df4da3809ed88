/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Computes for how long a thread has been in its state, from times that the scheduler keeps by the
 * clock of its run queues.  That clock is not CLOCK_MONOTONIC: it drifts against it by some ppm.
 */
#ifndef DUMP_AGE_H
#define DUMP_AGE_H

#include "dump/threads.h"

/* By how much CLOCK_MONOTONIC is ahead of the run queues' clock, from all threads of a scan. */
struct age_clock {
	s64 ahead_ns;
	bool is_known;
};

/* Take the difference of the clocks that this thread shows, if it is the smallest so far.  A run
 * queue's clock stands still between two ticks, so the smallest difference is the right one. */
void age_clock_take(struct age_clock *c, const struct dump_thread *t);

/* For how long the thread has been in its state, in ns.  THREAD_AGE_UNKNOWN: this kernel does not
 * tell. */
u64 age_of(const struct age_clock *c, const struct dump_thread *t);

#endif
