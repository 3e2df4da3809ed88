/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How a wait ends: its time divided by kind, and counted.
 */
#ifndef BPF_WAITEND_BPF_H
#define BPF_WAITEND_BPF_H

#include "wait.bpf.h"

/* Since it came on; with one level, since its last wait ended. */
static __always_inline bool is_woken(const struct wait_thread *t)
{
	return t->waking_ns > t->on_ns;
}

/* Divide the time from switch-out to switch-in. */
static __always_inline void divide(const struct wait_thread *t, struct wait_interval *w)
{
	u64 whole = w->on_ns - w->off_ns;

	if (t->flags & WAIT_READY) {
		w->ns[t->flags & WAIT_THROTTLE ? WAIT_THROTTLED : WAIT_PREEMPTED] = whole;
	} else if (t->waking_ns >= w->off_ns) {
		w->ns[WAIT_BLOCKED] = t->waking_ns - w->off_ns;
		w->ns[WAIT_RUNQUEUE] = w->on_ns - t->waking_ns;
	} else if (t->waking_ns > w->was_on_ns) {
		/* Woken on its way to sleep: it was ready before it was off. */
		w->ns[WAIT_RUNQUEUE] = whole;
	} else {
		w->ns[WAIT_BLOCKED] = whole;
		lost_add(BPF_LOST_MISSED); /* no wake-up was seen */
	}
}

static __always_inline bool is_long_enough(const struct wait_interval *w)
{
	if (want_running)
		return true;
	return w->value >= min_ns && w->value <= max_ns;
}

static __always_inline void end_wait(struct wait_cpu *cpu, struct wait_thread *t,
				     struct task_struct *next, u64 now, bool typed)
{
	struct wait_interval w = { .on_ns = now };
	u64 was_on;

	was_on = t->on_ns;
	w.off_ns = t->off_ns;
	w.was_on_ns = was_on;
	w.waking_ns = t->waking_ns;
	w.flags = t->flags;
	t->off_ns = 0;
	t->on_ns = now;
	/* Unless it was one of ours when the run began, which user space knows, it is from now on.
	 */
	if (filter_may_change && wait_settled && !w.off_ns && !was_on)
		t->born_ns = now;
	if (want_running) {
		t->utime = READ(typed, next, utime);
		t->stime = READ(typed, next, stime);
	}
	if (!(w.flags & WAIT_WANTED))
		return;
	if (!w.off_ns && was_on) {
		lost_add(BPF_LOST_MISSED); /* it was switched out unseen */
		return;
	}
	if (w.off_ns && !(w.flags & WAIT_TAKEN))
		return;
	if (w.off_ns) {
		w.target = t->stack;
		divide(t, &w);
		w.value = now - w.off_ns;
		if (wait_levels) {
			w.value = w.ns[WAIT_BLOCKED];
			w.ns[WAIT_RUNQUEUE] = 0;
		}
		if (!is_long_enough(&w) || (wait_levels && !w.value))
			return;
	}
	w.n_links = w.waking_ns ? t->n_links : 0;
	w.end = w.waking_ns ? t->end : WAIT_END_UNKNOWN;
	if (w.off_ns && w.waking_ns < w.off_ns) {
		w.n_links = 0;
		w.end = WAIT_END_UNKNOWN;
	}
	wait_identify(&w.target, t, w.n_links, w.end, &w.id);
	wait_count(cpu, &w, t, READ(typed, next, pid));
}

#endif
