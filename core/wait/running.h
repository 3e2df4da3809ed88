/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Time on CPUs beside the waits (--states), and how the kernel's accounting divides it: into user
 * and system, by what the thread's two clocks grew meanwhile.  Only core/wait.
 */
#ifndef WAIT_RUNNING_H
#define WAIT_RUNNING_H

#include "wait/intervals.h"

/* ---- intervals.c's ---- */

/* Where an interval is counted: what lies before `from` was counted already. */
struct wait_stretch {
	u64 from, weight;
};

u32 waits_entry_of(struct waits *w, const struct stack_id *id);
struct wait_def *waits_def_of(struct waits *w, u32 target, const struct wait_link *links, u32 n,
			      u8 end);
struct wait_def *waits_def_of_record(struct waits *w, const struct wait_record *rec);
void waits_add_part(struct waits *w, struct wait_def *d, const struct wait_stretch *s, u64 from,
		    u64 to, enum wait_part part);
struct wait_sleeper *waits_find_sleeper(struct waits *w, u32 pid, u64 start_time);
/* NULL: nothing of it was credited. */
struct wait_credit *waits_credit_of(struct waits *w, u32 pid, u64 start_time, u64 off_ns,
				    u64 on_ns);
/* From when on an interval has not been counted yet. */
u64 waits_uncounted_from(struct waits *w, u32 pid, u64 start_time, u64 off_ns, u64 on_ns);
struct wait_credit *waits_set_credit(struct waits *w, u32 pid, u64 start_time, u64 off_ns);
/* What the kernel side knows, it tells from now on. */
void waits_know_thread(struct waits *w, u32 pid, u64 start_time);

/* ---- running.c's ---- */

void waits_add_running(struct waits *w, const struct wait_record *rec);
/* Of a thread that is on a CPU at the cut: one that was seen to come on, one that was there before
 * the run began. */
void waits_credit_running(struct waits *w, u32 pid, const struct wait_thread *t);
void waits_credit_runner(struct waits *w, const struct wait_sleeper *s);

#endif
