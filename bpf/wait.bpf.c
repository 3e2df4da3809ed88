// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Off-CPU time and wakers: the kernel side of offcpu, wakeup, offwake and chain.
 *
 * A thread's stack is taken at switch-out, its waker's in sched_waking, each in its own context.
 * Each hook exists as tp_btf, whose arguments are read by plain loads, and as a raw tracepoint for
 * kernels whose BTF is read from a file.  Code that the options rule out is removed before the load
 * (core/run/deadcode.h).
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "filter.bpf.h"
#include "scan.bpf.h"
#include "wait_switch.bpf.h"
#include "wait_waker.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* ---- the task iterator ---- */

SEC("iter/task")
int scan_task(struct bpf_iter__task *ctx)
{
	/* Each plain load of such a pointer takes the verifier 1.5 ms (bpf/task.bpf.h): one for all
	 * paths. */
	struct seq_file *seq = ctx->meta->seq;
	struct scan_record *rec = scan_take(ctx->task);

	if (rec)
		scan_write(seq, rec, 0);
	return 0;
}

/* ---- woken ---- */

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

static __always_inline int on_waking(void *ctx, struct task_struct *p, bool is_new, bool typed)
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
	else if (wait_levels > 1 ||
		 (wait_levels && !is_new && (!t->off_ns || t->flags & WAIT_TAKEN)))
		link_waker(ctx, t, pid, now, is_new);
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
	return on_waking(ctx, (void *)ctx[0], false, true);
}

SEC("tp_btf/sched_wakeup_new")
int wait_wakeup_new(u64 *ctx)
{
	return on_waking(ctx, (void *)ctx[0], true, true);
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
	return on_waking(ctx, (void *)ctx->args[0], false, false);
}

SEC("raw_tp/sched_wakeup_new")
int wait_wakeup_new_raw(struct bpf_raw_tracepoint_args *ctx)
{
	return on_waking(ctx, (void *)ctx->args[0], true, false);
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
