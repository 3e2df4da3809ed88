/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A switch of threads: the wait of the next one ends, and that of the previous one begins.
 */
#ifndef BPF_WAIT_SWITCH_BPF_H
#define BPF_WAIT_SWITCH_BPF_H

#include "filter.bpf.h"
#include "orc.bpf.h"
#include "scan.bpf.h"
#include "wait_count.bpf.h"
#include "wait_stack.bpf.h"
#include "wait_state.bpf.h"
#include "wait_thread.bpf.h"

/* ---- switched in ---- */

/* Woken since its last switch-in. */
static __always_inline bool is_woken(const struct wait_thread *t)
{
	return t->waking_ns > t->on_ns;
}

/* Divide the time from switch-out to switch-in into its parts. */
static __always_inline void divide(const struct wait_thread *t, struct wait_interval *w)
{
	u64 whole = w->on_ns - w->off_ns;

	if (t->flags & WAIT_READY) {
		w->ns[t->flags & WAIT_THROTTLE ? WAIT_THROTTLED : WAIT_PREEMPTED] = whole;
	} else if (t->waking_ns >= w->off_ns) {
		w->ns[WAIT_BLOCKED] = t->waking_ns - w->off_ns;
		w->ns[WAIT_RUNQUEUE] = w->on_ns - t->waking_ns;
	} else if (t->waking_ns > w->was_on_ns) {
		/* Woken while it went to sleep: it was runnable before the switch-out. */
		w->ns[WAIT_RUNQUEUE] = whole;
	} else {
		w->ns[WAIT_BLOCKED] = whole;
		lost_add(BPF_LOST_MISSED); /* the wake-up was not seen */
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
	struct wait_interval *w = wait_begin_interval(cpu);
	u64 was_on = t->on_ns;

	w->on_ns = now;
	w->off_ns = t->off_ns;
	w->was_on_ns = was_on;
	w->waking_ns = t->waking_ns;
	w->flags = t->flags;
	t->off_ns = 0;
	t->on_ns = now;
	/* The thread matches the filter from now on; if it already did when the run began, user
	 * space knows that. */
	if (filter_may_change && wait_settled && !w->off_ns && !was_on)
		t->born_ns = now;
	if (want_running) {
		t->utime = READ(typed, next, utime);
		t->stime = READ(typed, next, stime);
	}
	if (!(w->flags & WAIT_WANTED))
		return;
	if (!w->off_ns && was_on) {
		lost_add(BPF_LOST_MISSED); /* its switch-out was not seen */
		return;
	}
	if (w->off_ns && !(w->flags & WAIT_TAKEN))
		return;
	if (w->off_ns) {
		w->waiter = t->stack;
		divide(t, w);
		w->value = now - w->off_ns;
		if (wait_levels) {
			w->value = w->ns[WAIT_BLOCKED];
			w->ns[WAIT_RUNQUEUE] = 0;
		}
		if (!is_long_enough(w) || (wait_levels && !w->value))
			return;
	}
	w->n_links = w->waking_ns ? t->n_links : 0;
	w->end = w->waking_ns ? t->end : WAIT_END_UNKNOWN;
	if (w->off_ns && w->waking_ns < w->off_ns) {
		w->n_links = 0;
		w->end = WAIT_END_UNKNOWN;
	}
	wait_identify(&w->waiter, t, w->n_links, w->end, &w->id);
	wait_count(cpu, w, t, READ(typed, next, pid));
}

/* True if the filter excludes the thread, and will never include it. */
static __always_inline bool never_wants(struct task_struct *task, bool typed)
{
	return wait_levels <= 1 && !filter_may_change && !wait_wants(task, typed);
}

static __always_inline void switched_in(struct wait_cpu *cpu, struct task_struct *next, u64 now,
					bool typed)
{
	struct wait_thread *t;

	if (never_wants(next, typed)) {
		cpu->excluded = wait_settled ? READ(typed, next, pid) : 0;
		return;
	}
	t = wait_find(next, typed);
	if (!t) {
		if (wait_levels <= 1 && filter_may_change && !wait_wants(next, typed))
			return;
		t = wait_make(next, typed);
	}
	if (t)
		end_wait(cpu, t, next, now, typed);
}

/* ---- switched out ---- */

/* True if the thread's waits are told apart by their owner only, and the owner has not changed, so
 * that t->stack is still right. */
static __always_inline bool is_same_owner(const struct wait_thread *t, bool is_renamed)
{
	return !is_renamed && t->is_stack_sent && !want_waiter_stack && !want_running &&
	       !(wait_key & (STACK_KEY_CPU | STACK_KEY_CGROUP));
}

#define UNSEEN_NS (10 * 1000 * 1000)

/*
 * When the current thread was switched in.  If the scheduler's time on CPU is much shorter than
 * ours, a switch-out and a switch-in were not seen, and what it did before is not known.  The
 * tolerance is for time that a hypervisor may take between the two clock readings.
 */
static __always_inline u64 running_since(struct wait_thread *t, struct task_struct *prev, u64 now,
					 bool typed)
{
	u64 ran = ran_ns();

	if (ran >= now)
		return t->on_ns;
	if (!t->on_ns)
		return now - ran;
	if (now - t->on_ns < ran + UNSEEN_NS || (now - t->on_ns) / 2 < ran)
		return t->on_ns;
	lost_add(BPF_LOST_MISSED);
	return now - ran;
}

static __always_inline void count_running(struct wait_cpu *cpu, struct wait_thread *t,
					  struct task_struct *prev,
					  const struct wait_switch_out *how, bool typed)
{
	struct wait_interval *w = wait_begin_interval(cpu);

	w->off_ns = running_since(t, prev, how->now, typed); /* where the wait before it ended */
	w->on_ns = how->now;
	w->flags = WAIT_RUNNING;
	cpu->rec.flags = STACK_RUNNING;
	wait_know(cpu, &t->run, &t->is_run_sent);
	cpu->rec.flags = 0;
	w->id = w->waiter = cpu->rec.id;
	if (t->on_ns) {
		w->ns[WAIT_RUN] = how->now - w->off_ns;
		w->ns[WAIT_UTIME] = growth(t->utime, READ(typed, prev, utime));
		w->ns[WAIT_STIME] = growth(t->stime, READ(typed, prev, stime));
	} else {
		w->flags |= WAIT_TOTALS;
		w->ns[WAIT_UTIME] = READ(typed, prev, utime);
		w->ns[WAIT_STIME] = READ(typed, prev, stime);
	}
	wait_count(cpu, w, t, READ(typed, prev, pid));
}

static __always_inline bool is_in_mask(u32 cpu)
{
	return !has_cpus || cpu_mask[cpu / 64 % WAIT_CPU_WORDS] >> cpu % 64 & 1;
}

static __always_inline bool is_cpu_wanted(void)
{
	return is_in_mask(bpf_get_smp_processor_id());
}

static __always_inline bool is_taken(struct wait_thread *t, const struct wait_switch_out *how)
{
	if (!(t->flags & WAIT_WANTED) || !is_state_wanted(how->state))
		return false;
	if (wait_levels && how->ready)
		return false; /* only blocked time has wakers */
	if (!is_cpu_wanted())
		return false;
	return !sample_below || bpf_get_prandom_u32() < sample_below;
}

/* The thread left at off_ns, and its entry is no longer used.  User space must know when, so if the
 * record of that is lost, the entry is kept until user space reads it. */
static __noinline void end_entry(struct wait_cpu *cpu, struct wait_thread *t, u32 pid, u64 off_ns,
				 u64 born_ns)
{
	struct wait_interval *end = wait_begin_interval(cpu);

	end->off_ns = off_ns;
	end->on_ns = born_ns;
	if ((want_running || sample_below) && t->flags & WAIT_WANTED &&
	    !wait_send(cpu, end, t, pid, WAIT_REC_EXIT)) {
		t->off_ns = off_ns;
		t->has_left = true;
		return;
	}
	bpf_map_delete_elem(&wait_threads, &pid);
}

/* The thread has ended, or does not match the filter any more. */
static __always_inline void forget_thread(struct wait_cpu *cpu, struct task_struct *task, u64 now,
					  bool typed)
{
	struct wait_thread *t = wait_find(task, typed);
	u32 pid = READ(typed, task, pid);

	if (t)
		end_entry(cpu, t, pid, now, t->born_ns);
}

/* The thread was switched in unseen: on hosts that hide their agents the hooks are not called for
 * some tasks.  The scheduler knows when, so nothing is missing; only without its answer the time is
 * that of the next event. */
static __always_inline void catch_up(struct wait_cpu *cpu, struct wait_thread *t,
				     struct task_struct *prev, u64 now, bool typed)
{
	u64 ran = ran_ns(), since = t->off_ns;

	if (ran < now - since)
		since = now - ran;
	else if (t->task == (u64)prev)
		lost_add(BPF_LOST_MISSED);
	end_wait(cpu, t, prev, since, typed);
}

/* Start a new interval at the last switch-in: the thread took over the leader's TID in exec
 * (on_exec() is yet to run), or has just begun to match the filter. */
static __always_inline void restart_interval(struct wait_thread *t, struct task_struct *prev,
					     u64 now, bool typed)
{
	u64 ran = ran_ns();

	if (!t->on_ns && ran < now)
		t->born_ns = t->on_ns = now - ran;
	t->task = (u64)prev;
	t->utime = READ(typed, prev, utime);
	t->stime = READ(typed, prev, stime);
}

/* True if the thread did not match the filter at its switch-in, or had another TID: otherwise its
 * birth would have been seen. */
static __always_inline bool is_changed(const struct wait_thread *t, struct task_struct *prev)
{
	if (t->task != (u64)prev)
		return true;
	if (t->on_ns || t->born_ns)
		return false;
	return filter_may_change || (wait_attached_ns && t->start_time > wait_attached_ns) ||
	       is_executing(prev);
}

/* Record owner, stack and waited-for object of the wait in t->stack. */
static __always_inline void take_stack(void *ctx, struct wait_cpu *cpu, struct wait_thread *t,
				       struct task_struct *prev, const struct wait_switch_out *how)
{
	struct task_struct *task = task_current();

	wait_fill_owner(&cpu->rec, task);
	if (want_kind && BPF_CORE_READ_BITFIELD_PROBED(prev, in_iowait))
		cpu->rec.flags = STACK_IOWAIT;
	if (want_kind && !how->ready && !(TASK_READ(task, flags) & PF_KTHREAD))
		cpu->rec.flags |= scan_futex(task);
	if (want_waiter_stack && want_kernel)
		unwind_kernel(ctx, &cpu->rec, task, UNWIND_SWITCH);
	if (want_waiter_stack && want_user)
		stack_walk_user(ctx, &cpu->rec);
	if (want_objects && !how->ready && !(how->state & WAIT_HELD_STATES))
		wait_add_object(&cpu->rec, task);
	wait_know(cpu, &t->stack, &t->is_stack_sent);
}

static __always_inline void switched_out(void *ctx, struct wait_cpu *cpu, struct task_struct *prev,
					 const struct wait_switch_out *how, bool typed)
{
	bool wanted = wait_wants(prev, typed), is_renamed;
	struct wait_thread *t;
	u8 flags;

	if (!wanted && wait_levels <= 1) {
		t = filter_may_change ? wait_find(prev, typed) : NULL;
		/* The thread ends at its last switch-in: its running time since then belongs to its
		 * new identity. */
		if (t)
			forget_thread(cpu, prev, t->off_ns || !t->on_ns ? how->now : t->on_ns,
				      typed);
		return;
	}
	t = wait_find(prev, typed) ?: wait_make(prev, typed);
	if (!t)
		return;
	if (t->off_ns)
		catch_up(cpu, t, prev, how->now, typed);
	if (is_changed(t, prev))
		restart_interval(t, prev, how->now, typed);
	t->flags = wanted ? WAIT_WANTED : 0;
	is_renamed = wait_take_comm(t, task_current());
	if (want_running && wanted) {
		wait_fill_owner(&cpu->rec, task_current());
		count_running(cpu, t, prev, how, typed);
	}
	if (how->dead) {
		forget_thread(cpu, prev, how->now, typed);
		return;
	}
	/* A wake-up since the switch-in was before the thread decided to sleep, unless it is still
	 * in progress. */
	if (!how->ready && is_woken(t) && !is_being_woken(prev, typed))
		t->waking_ns = 0;
	flags = t->flags;
	/* A thread woken while it went to sleep is not marked as ready: divide() counts its wait as
	 * run-queue time. */
	if (how->ready && (how->preempted || !is_woken(t))) {
		flags |= WAIT_READY;
		if (!wait_levels && is_throttled(prev))
			flags |= WAIT_THROTTLE;
	}
	if (is_taken(t, how)) {
		if (!is_same_owner(t, is_renamed))
			take_stack(ctx, cpu, t, prev, how);
		flags |= WAIT_TAKEN;
		if (sample_below)
			flags |= WAIT_SAMPLED;
	}
	t->flags = flags;
	t->off_ns = how->now;
}

static __always_inline int on_switch(void *ctx, bool preempt, struct task_struct *prev,
				     struct task_struct *next, u32 prev_state, bool typed)
{
	bool wants_prev = !is_excluded(prev, typed), wants_next = !is_excluded(next, typed);
	struct wait_cpu *cpu;
	struct wait_switch_out *how;
	u64 now;

	if (!wants_prev && !wants_next)
		return 0;
	cpu = wait_cpu();
	if (!cpu)
		return 0;
	how = &cpu->how;
	now = how->now = bpf_ktime_get_ns();
	how->wants_next = wants_next;
	barrier();
	if (wants_prev && (u32)READ(typed, prev, pid) != cpu->excluded) {
		classify_switch_out(prev, preempt, prev_state, typed, how);
		switched_out(ctx, cpu, prev, how, typed);
	}
	cpu->excluded = 0;
	if (how->wants_next)
		switched_in(cpu, next, now, typed);
	return 0;
}

#endif
