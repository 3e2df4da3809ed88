// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Off-CPU time and wakers: the kernel side of offcpu, wakeup, offwake and chain.
 *
 * A thread's stack is taken at switch-out, its waker's in sched_waking, each in its own context.
 * Each hook exists as tp_btf, whose arguments are read by plain loads, and as a raw tracepoint for
 * kernels whose BTF is read from a file.  The hooks of wake-ups exist without the wakers' links,
 * too: a kernel spends time on every instruction that it is given, even on those that the options
 * rule out (7.3 spends half of it before it removes them).
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "filter.bpf.h"
#include "scan.bpf.h"
#include "wait_count.bpf.h"
#include "wait_state.bpf.h"
#include "wait_thread.bpf.h"
#include "wait_waker.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* ---- the task iterator ---- */

SEC("iter/task")
int scan_task(struct bpf_iter__task *ctx)
{
	struct scan_record *rec = scan_take(ctx->task);

	if (rec)
		scan_write(ctx, rec, 0);
	return 0;
}

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
 * some tasks. */
static __always_inline void catch_up(struct wait_cpu *cpu, struct wait_thread *t,
				     struct task_struct *prev, u64 now, bool typed)
{
	u64 ran = ran_ns(), since = t->off_ns;

	if (ran < now - since)
		since = now - ran;
	if (t->task == (u64)prev)
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
	if (wants_prev && (u32)READ(typed, prev, pid) != cpu->excluded) {
		classify_switch_out(prev, preempt, prev_state, typed, how);
		switched_out(ctx, cpu, prev, how, typed);
	}
	cpu->excluded = 0;
	if (wants_next)
		switched_in(cpu, next, now, typed);
	return 0;
}

/* ---- woken ---- */

/* Continue the chain with the waker's own links if the waker was woken after `since`, the time at
 * which the thread that it is waking was switched out. */
static __always_inline void extend_chain(struct wait_thread *t, u32 pid, u64 since)
{
	struct wait_thread *w = wait_find(task_current(), task_is_typed());
	u32 waker = (u32)bpf_get_current_pid_tgid();
	u32 n = 1;

	t->end = WAIT_END_RUNNING;
	if (!w || !w->n_links) {
		if (want_all_wakers)
			t->end = WAIT_END_UNKNOWN;
		return;
	}
	if (!want_all_wakers && w->waking_ns <= since)
		return;
	/* Link 0 is the waker, so the last link of a full chain is dropped. */
	t->end = w->n_links >= wait_levels ? WAIT_END_DEPTH : w->end;
	for (u32 i = 0; i + 1 < WAIT_MAX_LEVELS; i++) {
		if (i >= w->n_links || i + 1 >= wait_levels)
			break;
		if (w->links[i].pid && (w->links[i].pid == pid || w->links[i].pid == waker)) {
			t->end = WAIT_END_CYCLE;
			break;
		}
		t->links[i + 1] = w->links[i];
		n++;
	}
	t->n_links = n;
}

static __always_inline void link_waker(void *ctx, struct wait_thread *t, u32 pid, u64 now,
				       enum unwind_site site)
{
	struct wait_cpu *cpu = wait_cpu();
	bool is_thread;

	if (!cpu)
		return;
	is_thread = wait_walk_waker(ctx, cpu, t, site);
	t->links[0].waking_ns = now;
	t->links[0].pid = is_thread ? (u32)bpf_get_current_pid_tgid() : 0;
	t->n_links = 1;
	if (!is_thread)
		t->end = WAIT_END_IRQ;
	else if (wait_levels == 1)
		t->end = WAIT_END_NONE;
	else
		/* Still going to sleep: its waker cannot have been woken after that. */
		extend_chain(t, pid, t->off_ns ?: t->on_ns ? ~0ULL : 0);
}

/* The thread has never run: its run-queue time begins, under a stack without frames. */
static __always_inline void begin_life(struct wait_thread *t, struct task_struct *p, u64 now)
{
	struct wait_cpu *cpu = wait_cpu();

	if (!cpu)
		return;
	t->off_ns = t->born_ns = now;
	t->is_begun = true;
	t->flags = WAIT_WANTED;
	if (wait_levels || !is_state_wanted(0) || !is_cpu_wanted())
		return;
	wait_fill_owner(&cpu->rec, task_current());
	cpu->rec.tgid = t->tgid;
	if (wait_key & STACK_KEY_TID) {
		cpu->rec.tid = t->tid;
		cpu->rec.start_time = t->start_time;
	}
	cpu->rec.exec_id = BPF_CORE_READ(p, self_exec_id);
	cpu->rec.flags = STACK_NEW;
	bpf_probe_read_kernel(cpu->rec.comm, sizeof(cpu->rec.comm), &p->comm);
	wait_know(cpu, &t->stack, &t->is_stack_sent);
	t->flags |= WAIT_TAKEN;
}

/* The program after `--` begins when bperf lets it go: its wait until then was bperf's doing. */
static __always_inline bool is_release(const struct wait_thread *t)
{
	if (!wait_held_tid || t->tid != wait_held_tid || !filter.self_tgid ||
	    filter_tgid(task_current()) != filter.self_tgid)
		return false;
	wait_held_tid = 0;
	return true;
}

/* The thread's first event is its wake-up: keep the state that it waited in. */
static __always_inline void note_first(struct wait_thread *t, struct task_struct *p)
{
	u32 state = scan_state(p);

	if (!state)
		t->flags |= WAIT_READY;
	if (is_state_wanted(state) && is_in_mask(scan_cpu(p)) && (state || !wait_levels))
		t->flags |= WAIT_TAKEN;
}

static __always_inline int on_waking(void *ctx, struct task_struct *p, bool is_new, bool typed,
				     bool links)
{
	struct wait_thread *t;
	bool is_held;
	u64 now;
	u32 pid;

	if (is_excluded(p, typed))
		return 0;
	/* A thread woken by itself, or by an interrupt on its own CPU, has not gone to sleep, so
	 * this is not a wait. */
	pid = READ(typed, p, pid);
	if (pid == (u32)bpf_get_current_pid_tgid())
		return 0;
	if (never_wants(p, typed))
		return 0;
	t = wait_find(p, typed);
	if (!t) {
		if (wait_levels <= 1 && filter_may_change && !wait_wants(p, typed))
			return 0;
		t = wait_make(p, typed);
		if (!t)
			return 0;
		note_first(t, p);
	} else if (wait_levels <= 1 && !(t->flags & WAIT_WANTED)) {
		return 0;
	}
	now = bpf_ktime_get_ns();
	is_held = is_release(t);
	if ((is_new || is_held) && t->flags & WAIT_WANTED)
		begin_life(t, p, now);
	/* The creator of a thread matters only as a waker's waker. */
	if (is_held)
		t->n_links = 0;
	else if (links && (wait_levels > 1 || (!is_new && (!t->off_ns || t->flags & WAIT_TAKEN))))
		link_waker(ctx, t, pid, now, is_new ? UNWIND_WAKEUP_NEW : UNWIND_WAKING);
	t->waking_ns = now;
	return 0;
}

/* ---- exec ---- */

/*
 * When a thread other than the first one calls exec, it takes over the first one's TID and start
 * time while it runs (de_thread in fs/exec.c).  That was a short time ago, and it may have slept
 * since.  Its old TID ends at the last switch-in: the thread's running time since then is counted
 * for the new TID.
 */
static __always_inline int on_exec(struct task_struct *p, u32 old_pid, bool typed)
{
	struct wait_thread *old, *t;
	struct wait_cpu *cpu;

	if ((u32)READ(typed, p, pid) == old_pid)
		return 0;
	cpu = wait_cpu();
	old = bpf_map_lookup_elem(&wait_threads, &old_pid);
	if (!cpu || !old)
		return 0;
	t = wait_find(p, typed) ?: wait_make(p, typed);
	if (!t || t->tgid != old->tgid)
		return 0;
	if (t->off_ns) /* the first thread was preempted just before it exited */
		end_wait(cpu, t, p, t->off_ns > old->on_ns ? t->off_ns : old->on_ns, typed);
	if (!t->on_ns || t->task != (u64)p) {
		t->utime = old->utime;
		t->stime = old->stime;
	}
	if (!t->on_ns)
		t->born_ns = t->on_ns = old->on_ns;
	t->task = (u64)p;
	end_entry(cpu, old, old_pid, old->on_ns, old->born_ns);
	return 0;
}

/* ---- the hooks ---- */

SEC("tp_btf/sched_switch")
int wait_switch(u64 *ctx)
{
	return on_switch(ctx, ctx[0], (void *)ctx[1], (void *)ctx[2], has_prev_state ? ctx[3] : 0,
			 true);
}

SEC("tp_btf/sched_waking")
int wait_waking(u64 *ctx)
{
	return on_waking(ctx, (void *)ctx[0], false, true, false);
}

SEC("tp_btf/sched_wakeup_new")
int wait_wakeup_new(u64 *ctx)
{
	return on_waking(ctx, (void *)ctx[0], true, true, false);
}

SEC("tp_btf/sched_waking")
int wait_waking_link(u64 *ctx)
{
	return on_waking(ctx, (void *)ctx[0], false, true, true);
}

SEC("tp_btf/sched_wakeup_new")
int wait_wakeup_new_link(u64 *ctx)
{
	return on_waking(ctx, (void *)ctx[0], true, true, true);
}

SEC("tp_btf/sched_process_exec")
int wait_exec(u64 *ctx)
{
	return on_exec((void *)ctx[0], ctx[1], true);
}

SEC("raw_tp/sched_switch")
int wait_switch_raw(struct bpf_raw_tracepoint_args *ctx)
{
	return on_switch(ctx, ctx->args[0], (void *)ctx->args[1], (void *)ctx->args[2],
			 has_prev_state ? ctx->args[3] : 0, false);
}

SEC("raw_tp/sched_waking")
int wait_waking_raw(struct bpf_raw_tracepoint_args *ctx)
{
	return on_waking(ctx, (void *)ctx->args[0], false, false, false);
}

SEC("raw_tp/sched_wakeup_new")
int wait_wakeup_new_raw(struct bpf_raw_tracepoint_args *ctx)
{
	return on_waking(ctx, (void *)ctx->args[0], true, false, false);
}

SEC("raw_tp/sched_waking")
int wait_waking_link_raw(struct bpf_raw_tracepoint_args *ctx)
{
	return on_waking(ctx, (void *)ctx->args[0], false, false, true);
}

SEC("raw_tp/sched_wakeup_new")
int wait_wakeup_new_link_raw(struct bpf_raw_tracepoint_args *ctx)
{
	return on_waking(ctx, (void *)ctx->args[0], true, false, true);
}

SEC("raw_tp/sched_process_exec")
int wait_exec_raw(struct bpf_raw_tracepoint_args *ctx)
{
	return on_exec((void *)ctx->args[0], ctx->args[1], false);
}

/*
 * A CPU sample as time: an interval that ends with the sample.  The timer of cpu-clock cannot
 * interrupt the hooks above, which run with interrupts off, so all of them can share the per-CPU
 * records.
 */
SEC("perf_event")
int wait_sample(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = task_current();
	u64 now = bpf_ktime_get_ns();
	u32 pid = (u32)bpf_get_current_pid_tgid();
	struct wait_cpu *cpu = wait_cpu();
	struct wait_interval *w;
	struct wait_thread *t;

	if (!pid || !cpu || !wait_wants(task, task_is_typed()))
		return 0;
	t = wait_find(task, task_is_typed());
	if (!t) {
		t = wait_make(task, task_is_typed());
		if (!t)
			return 0;
		t->on_ns = now;
	}
	wait_fill_owner(&cpu->rec, task);
	cpu->rec.flags = STACK_RUNNING;
	if (want_kernel)
		stack_walk_kernel(ctx, &cpu->rec);
	if (want_user)
		stack_walk_user(ctx, &cpu->rec);
	wait_know(cpu, &t->run, &t->is_run_sent);
	w = wait_begin_interval(cpu);
	w->on_ns = now;
	w->flags = WAIT_RUNNING;
	w->id = w->waiter = cpu->rec.id;
	w->off_ns = now - sample_ns;
	w->ns[WAIT_RUN] = sample_ns;
	wait_count(cpu, w, t, pid);
	return 0;
}

SEC("raw_tp/irq_handler_entry")
int wait_irq_entry(struct bpf_raw_tracepoint_args *ctx)
{
	struct irqaction *action = (void *)ctx->args[1];
	struct wait_cpu *cpu = wait_cpu();

	if (cpu)
		bpf_probe_read_kernel_str(cpu->irq, sizeof(cpu->irq), BPF_CORE_READ(action, name));
	return 0;
}

SEC("raw_tp/irq_handler_exit")
int wait_irq_exit(struct bpf_raw_tracepoint_args *ctx)
{
	struct wait_cpu *cpu = wait_cpu();

	if (cpu)
		__builtin_memset(cpu->irq, 0, sizeof(cpu->irq));
	return 0;
}
