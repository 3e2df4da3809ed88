/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where the wall time of each process or thread went, from the same intervals as the stacks: time
 * on CPUs is one more interval, under an identity without frames.
 *
 * Wall time is found apart from them, from births and exits: that both agree is the proof that
 * nothing was left out.
 */
#ifndef WAIT_STATES_H
#define WAIT_STATES_H

#include "wait/intervals.h"

struct states_thread {
	u32 tgid, tid;
	u64 start_time, wall_ns;
	u64 begin_ns; /* later than start_time if it took the number over with its exec */
};

struct states {
	struct waits *waits;		   /* borrowed */
	bool by_thread;			   /* a row for each thread, not process */
	bool has_losses;		   /* so far: not all that happened was seen */
	VEC(struct states_thread) threads; /* of the window; one may be met twice */
	VEC(struct states_thread) later;   /* ended behind the cut */
};

/* A thread lives (`exit_ns` UINT64_MAX), or has ended.  `start_time` is the kernel's, `born_ns`
 * when it was first woken, 0: not seen. */
void states_add_thread(struct states *s, u32 tgid, u32 tid, u64 start_time, u64 born_ns,
		       u64 exit_ns);
/* All that the scan at the start has found and the kernel side has not met since. */
void states_add_sleepers(struct states *s);
void states_release(struct states *s);

/* Turn the report of waits_report() into a table of states; frames have their names.  The threads
 * of the window are forgotten unless it goes on. */
void states_report(struct states *s, const struct store_view *view, struct report *out);

#endif
