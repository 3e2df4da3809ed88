/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Links: the waker's stack, whether the waker is a thread or an interrupt, and who woke it.
 */
#ifndef BPF_WAIT_WAKER_BPF_H
#define BPF_WAIT_WAKER_BPF_H

#include "orc.bpf.h"
#include "wait_stack.bpf.h"
#include "wait_thread.bpf.h"

/* Written after the load, before the hooks are attached: finding the ranges takes as long as the
 * load. */
u64 irq_bytes = 0; /* from the start of the first range to the end of the last */
struct wait_range irq_ranges[WAIT_IRQ_RANGES] = {};
struct wait_range return_ranges[WAIT_RETURN_RANGES] = {};

/*
 * Binary search.  The ranges are sorted; unused ones are filled with the highest address.  It has
 * no branches, because each would double the paths that the verifier walks.  Kernel addresses
 * differ by less than 2^63, so the sign of a difference compares them.  It is a global function, so
 * that it is not verified again for every frame.
 */
__noinline bool wait_is_irq_entry(u64 at);
__noinline bool wait_is_irq_entry(u64 at)
{
	u64 i = 0;

#pragma clang loop unroll(full)
	for (u64 step = WAIT_IRQ_RANGES / 2; step; step /= 2) {
		s64 below = at - irq_ranges[(i + step) & (WAIT_IRQ_RANGES - 1)].start;

		asm volatile("" : "+r"(below));
		i += step & ~(below >> 63);
		asm volatile("" : "+r"(i));
	}
	i &= WAIT_IRQ_RANGES - 1;
	return (at - irq_ranges[i].start) < (irq_ranges[i].end - irq_ranges[i].start);
}

__noinline bool wait_is_return(u64 at);
__noinline bool wait_is_return(u64 at)
{
	for (u32 r = 0; r < WAIT_RETURN_RANGES; r++)
		if (at - return_ranges[r].start < return_ranges[r].end - return_ranges[r].start)
			return true;
	return false;
}

/* Frames per call: the verifier walks these once, and then a loop over all frames in such steps. */
#define WAIT_SOME_FRAMES 8

/* True if one of the frames from number `first` to n is on the return path from an interrupt. */
__noinline bool wait_is_back_among(u32 first, u32 n);
__noinline bool wait_is_back_among(u32 first, u32 n)
{
	struct wait_cpu *cpu = wait_cpu();

	for (u32 i = 0; cpu && i < WAIT_SOME_FRAMES; i++) {
		u64 at = first + i;

		asm volatile("" : "+r"(at)); /* test the bound of the register that is used */
		if (at >= n || at >= STACK_MAX_FRAMES)
			break;
		if (wait_is_return(cpu->rec.frames[at]))
			return true;
	}
	return false;
}

/* True if one of the n leaf frames is on the return path from an interrupt: code called from there
 * runs on the task's own behalf, such as its death by a signal. */
static __always_inline bool wait_is_back(u32 n)
{
	bool is_back = false;

	for (u32 i = 0; i < STACK_MAX_FRAMES && !is_back; i += WAIT_SOME_FRAMES) {
		if (i >= *(volatile u32 *)&n)
			break;
		is_back = wait_is_back_among(i, n);
	}
	return is_back;
}

/* The number of the first frame, counted from 1, that is an interrupt's entry, among the frames
 * from number `first` on; 0: none. */
__noinline u32 wait_irq_entry_among(u32 first);
__noinline u32 wait_irq_entry_among(u32 first)
{
	struct wait_cpu *cpu = wait_cpu();

	if (!cpu)
		return 0;
	for (u32 i = 0; i < WAIT_SOME_FRAMES; i++) {
		u64 n = first + i, at;

		asm volatile("" : "+r"(n)); /* test the bound of the register that is used */
		/* Volatile: otherwise the verifier would know a different value at each exit of the
		 * loop. */
		if (n >= *(volatile u8 *)&cpu->rec.n_kernel || n >= STACK_MAX_FRAMES)
			break;
		at = cpu->rec.frames[n];
		if (at - irq_ranges[0].start < irq_bytes && wait_is_irq_entry(at))
			return n + 1;
	}
	return 0;
}

/* Number of leaf frames in the CPU's record that belong to the interrupt that called wake-up; 0: it
 * was not an interrupt. */
static __always_inline u32 wait_irq_frames(struct wait_cpu *cpu)
{
	u32 n = 0;

	for (u32 i = 0; i < STACK_MAX_FRAMES && !n; i += WAIT_SOME_FRAMES) {
		if (i >= *(volatile u8 *)&cpu->rec.n_kernel)
			break;
		n = wait_irq_entry_among(i);
	}
	return n && !wait_is_back(n - 1) ? n : 0;
}

/* Compares the name, which no other kernel thread has; user programs are excluded, because they can
 * choose any name. */
static __always_inline bool wait_is_ksoftirqd(struct task_struct *task,
					      const struct stack_record *rec)
{
	u64 name;

	__builtin_memcpy(&name, "ksoftirqd/", sizeof(name));
	return *(const u64 *)rec->comm == name && TASK_READ(task, flags) & PF_KTHREAD;
}

/* Work done in an interrupt does not belong to the interrupted thread: clear the ids and set the
 * interrupt's name. */
static __always_inline void wait_disown(struct wait_cpu *cpu)
{
	struct stack_record *rec = &cpu->rec;

	rec->tgid = rec->tid = rec->cpu = rec->exec_id = 0;
	rec->cgroup = rec->start_time = 0;
	rec->flags = STACK_INTERRUPT;
	__builtin_memcpy(rec->comm, cpu->irq, sizeof(rec->comm));
}

/* Record the waker's stack in t->links[0]; returns false if the waker is an interrupt. */
static __always_inline bool wait_walk_waker(void *ctx, struct wait_cpu *cpu, struct wait_thread *t,
					    bool is_new)
{
	struct task_struct *task = task_current();
	struct stack_record *rec = &cpu->rec;
	bool is_thread = true;
	u32 n;

	wait_fill_owner(rec, task);
	/* New threads are rare: reading their creators' stacks would cost more when the program is
	 * loaded. */
	if (is_new)
		stack_walk_kernel(ctx, rec);
	else
		unwind_kernel(ctx, rec, task, UNWIND_WAKING);
	n = wait_irq_frames(cpu);
	if (n) {
		rec->n_kernel = n;
		is_thread = false;
	} else if (!(u32)bpf_get_current_pid_tgid() || wait_is_ksoftirqd(task, rec)) {
		is_thread = false;
	}
	if (!is_thread) {
		wait_disown(cpu);
	} else {
		if (!want_kernel)
			rec->n_kernel = 0;
		if (want_user)
			stack_walk_user(ctx, rec);
	}
	wait_know(cpu, &t->links[0].stack, &t->is_link_sent);
	return is_thread;
}

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
				       bool is_new)
{
	struct wait_cpu *cpu = wait_cpu();
	bool is_thread;

	if (!cpu)
		return;
	is_thread = wait_walk_waker(ctx, cpu, t, is_new);
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

#endif
