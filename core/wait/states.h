/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where the wall time of each process or thread went, from the same intervals as the stacks: time
 * on CPUs is one more interval, under an identity without frames.
 *
 * Wall time is computed separately, from births and exits: if the two agree, nothing was missed.
 */
#ifndef WAIT_STATES_H
#define WAIT_STATES_H

#include "wait/intervals.h"

struct states_thread {
	u32 tgid, tid;
	u64 start_time, wall_ns;
	u64 begin_ns; /* later than start_time if it took over the TID in exec */
	u64 exit_ns;
	char comm[16];
};

/* The life of a thread, as far as it was watched. */
struct states_life {
	u32 tgid, tid;
	u64 start_time; /* the kernel's */
	u64 born_ns;	/* its first wake-up; 0: not seen */
	u64 exit_ns;	/* UINT64_MAX: it is alive */
	const char *comm;
};

struct states {
	struct waits *waits;		   /* borrowed */
	bool by_thread;			   /* a row per thread, not per process */
	bool has_losses;		   /* events were lost so far */
	VEC(struct states_thread) threads; /* in this window; a thread may be listed twice */
	VEC(struct states_thread) later; /* ended after the cut, so they belong to a later window */
};

/* Add a thread that is alive or has ended. */
void states_add_thread(struct states *s, const struct states_life *life);
/* Add all threads that the scan at the start has found and the kernel side has not met since. */
void states_add_sleepers(struct states *s);
void states_release(struct states *s);

/* Turn the report of waits_report() into a table of states; frames must have their names.  The
 * window's threads are forgotten, except after a snapshot. */
void states_report(struct states *s, const struct store_view *view, struct report *out);

#endif
