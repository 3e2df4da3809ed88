/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The task iterator: all threads of our PID namespace as they are now, as bytes that user space
 * reads from it (bpf/abi/scan.h).  Include after filter.bpf.h.
 */
#ifndef BPF_SCAN_BPF_H
#define BPF_SCAN_BPF_H

#include "bpf/abi/scan.h"
#include "regs.bpf.h"

/* The record under construction.  One is enough for one reader; static, so that skeletons need not
 * know its type. */
static struct scan_record scan_record;

/* Only list threads that are running now. */
bool scan_only_running = false;

/* Reads a field of any width: on_cpu and on_rq are words up to 6.18, and bytes in 7.2. */
#define SCAN_FLAG(task, field) BPF_CORE_READ_BITFIELD_PROBED(task, field)

/* The registers of user code; zeros for threads that never were in user space (kernel threads,
 * io_uring workers). */
#if defined(__TARGET_ARCH_arm64)
static __always_inline void scan_regs(struct task_struct *task, struct scan_record *rec)
{
	struct pt_regs *regs = regs_of(task);
	u64 pstate = BPF_CORE_READ(regs, pstate);

	rec->pc = BPF_CORE_READ(regs, pc);
	if (!rec->pc || pstate & PSR_MODE_MASK) {
		rec->pc = 0;
		return;
	}
	rec->word_bytes = pstate & PSR_MODE32 ? 4 : 8;
	if (rec->word_bytes == 4) {
		rec->sp = BPF_CORE_READ(regs, regs[13]);
		return; /* frames of 32-bit ARM code have no agreed form */
	}
	rec->sp = BPF_CORE_READ(regs, sp);
	rec->fp = BPF_CORE_READ(regs, regs[29]);
	rec->other = BPF_CORE_READ(regs, regs[30]);
}
#else
static __always_inline void scan_regs(struct task_struct *task, struct scan_record *rec)
{
	struct pt_regs *regs = regs_of(task);
	u16 cs = BPF_CORE_READ(regs, cs);

	if ((cs & 3) != 3)
		return;
	rec->pc = BPF_CORE_READ(regs, ip);
	rec->sp = BPF_CORE_READ(regs, sp);
	rec->fp = BPF_CORE_READ(regs, bp);
	rec->other = regs_other(regs);
	rec->word_bytes = cs == USER32_CS ? 4 : 8;
}
#endif

/* include/uapi/linux/futex.h */
#define FUTEX_WAIT	      0
#define FUTEX_LOCK_PI	      6
#define FUTEX_WAIT_BITSET     9
#define FUTEX_WAIT_REQUEUE_PI 11
#define FUTEX_LOCK_PI2	      13
#define FUTEX_COMMAND	      0x7f
#define FUTEX_WAITERS	      0x80000000U

/* The value of a mutex that has waiters: 2 in glibc, Go, Rust and bionic; musl, robust mutexes and
 * Rust's read-write locks set the highest bit.  -1 is a parked thread (Rust) or a semaphore
 * (musl). */
static __always_inline bool scan_is_contended(u32 value)
{
	return value == 2 || (value & FUTEX_WAITERS && value != ~0U);
}

/*
 * The kind of object that a futex call waits for.  FUTEX_WAIT_BITSET has an absolute timeout, if
 * any: C libraries and Rust use it for condition variables, semaphores, joins and parked threads;
 * and for mutexes with a timeout, whose value is that of a contended mutex.  FUTEX_WAIT with
 * another value may be for anything.
 */
static __always_inline u8 scan_futex_kind(u32 op, u32 value)
{
	op &= FUTEX_COMMAND;
	if (op == FUTEX_LOCK_PI || op == FUTEX_LOCK_PI2)
		return STACK_FUTEX_LOCK;
	if (op == FUTEX_WAIT_REQUEUE_PI)
		return STACK_FUTEX_CONDITION;
	if (op != FUTEX_WAIT && op != FUTEX_WAIT_BITSET)
		return 0;
	if (scan_is_contended(value))
		return STACK_FUTEX_LOCK;
	return op == FUTEX_WAIT_BITSET ? STACK_FUTEX_CONDITION : 0;
}

static __always_inline u8 scan_futex(struct task_struct *task)
{
	struct pt_regs *regs = regs_of(task);

#if defined(__TARGET_ARCH_arm64)
	if (BPF_CORE_READ(regs, syscallno) != 98 || BPF_CORE_READ(regs, pstate) & PSR_MODE32)
		return 0;
	return scan_futex_kind(BPF_CORE_READ(regs, regs[1]), BPF_CORE_READ(regs, regs[2]));
#else
	if (BPF_CORE_READ(regs, orig_ax) != 202 || BPF_CORE_READ(regs, cs) == USER32_CS)
		return 0;
	return scan_futex_kind(BPF_CORE_READ(regs, si), BPF_CORE_READ(regs, dx));
#endif
}

static __always_inline u32 scan_state(struct task_struct *task)
{
	struct task_struct___old *old = (void *)task;

	/* A queued thread is runnable, even if it has set another state (preempted on the way to
	 * sleep), unless the fair class has delayed its dequeue. */
	if (SCAN_FLAG(task, on_rq) &&
	    !(bpf_core_field_exists(task->se.sched_delayed) && SCAN_FLAG(task, se.sched_delayed)))
		return 0;
	if (bpf_core_field_exists(old->state))
		return (u32)BPF_CORE_READ(old, state);
	return BPF_CORE_READ(task, __state);
}

/* A user thread that an interrupt has preempted has at most this many frames in the kernel (3 from
 * 5.10 to 7.3).  A page fault, too, is no system call, but sleeps deeper. */
#define SCAN_PREEMPTED_FRAMES 4

static __always_inline bool scan_is_interrupted(struct task_struct *task,
						const struct scan_record *rec)
{
	struct pt_regs *regs = regs_of(task);

	if (!rec->pc || rec->n_kernel > SCAN_PREEMPTED_FRAMES)
		return false;
#if defined(__TARGET_ARCH_arm64)
	return (s32)BPF_CORE_READ(regs, syscallno) < 0;
#else
	return (s64)BPF_CORE_READ(regs, orig_ax) < 0;
#endif
}

/* Interrupts during the last time on a CPU, which are no time of the thread. */
#define SCAN_INTERRUPTS_NS (20 * 1000)

/*
 * True if a thread in the queue was woken or created; false if it was preempted.  A preempted one
 * entered the queue when its last time on a CPU ended, a woken one has slept in between.  One that
 * was preempted in the kernel, and then moved to another queue by the load balancer, counts as
 * woken.
 */
static __always_inline bool scan_is_woken(struct task_struct *task, const struct scan_record *rec)
{
	u64 arrived, ran;

	if (!bpf_core_field_exists(task->sched_info.last_queued) ||
	    !bpf_core_field_exists(task->se.prev_sum_exec_runtime))
		return false;
	arrived = BPF_CORE_READ(task, sched_info.last_arrival);
	if (!arrived) /* created, and has not run yet */
		return true;
	if (scan_is_interrupted(task, rec))
		return false;
	ran = BPF_CORE_READ(task, se.sum_exec_runtime) -
	      BPF_CORE_READ(task, se.prev_sum_exec_runtime);
	return BPF_CORE_READ(task, sched_info.last_queued) >
	       arrived + ran + ran / 64 + SCAN_INTERRUPTS_NS;
}

static __always_inline u32 scan_cpu(struct task_struct *task)
{
	struct task_struct___cpu *old = (void *)task;

	if (bpf_core_field_exists(old->cpu))
		return BPF_CORE_READ(old, cpu);
	return BPF_CORE_READ(task, thread_info.cpu);
}

static __always_inline void scan_fill(struct task_struct *task, struct scan_record *rec)
{
	long bytes;

	/* Read the switch count first: if it is still the same later, everything read after it is
	 * valid.  The time comes after the state: the state is from before any event that is later
	 * than this time. */
	rec->switches = BPF_CORE_READ(task, nvcsw) + BPF_CORE_READ(task, nivcsw);
	barrier();
	rec->state = scan_state(task);
	rec->on_cpu = SCAN_FLAG(task, on_cpu) != 0;
	barrier();
	rec->time_ns = bpf_ktime_get_ns();
	rec->pid = BPF_CORE_READ(task, pid);
	rec->start_time = BPF_CORE_READ(task, start_time);
	rec->utime = BPF_CORE_READ(task, utime);
	rec->stime = BPF_CORE_READ(task, stime);
	rec->cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
	rec->flags = BPF_CORE_READ(task, flags);
	rec->exec_id = (u32)BPF_CORE_READ(task, self_exec_id);
	rec->cpu = scan_cpu(task);
	rec->in_iowait = SCAN_FLAG(task, in_iowait);
	rec->pc = rec->sp = rec->fp = rec->other = 0;
	rec->n_kernel = rec->word_bytes = 0;
	rec->futex = 0;
	rec->is_woken = false;
	BPF_CORE_READ_INTO(&rec->comm, task, comm);
	if (rec->on_cpu)
		return;
	if (!(rec->flags & PF_KTHREAD)) {
		scan_regs(task, rec);
		rec->futex = scan_futex(task);
	}
	bytes = bpf_get_task_stack(task, rec->kernel, sizeof(rec->kernel), 0);
	if (bytes > 0)
		rec->n_kernel = (u32)bytes / sizeof(u64);
	rec->is_woken = !rec->state && scan_is_woken(task, rec);
}

/* Fills in the record of a thread; NULL: it is not wanted, or there is none. */
static __always_inline struct scan_record *scan_take(struct task_struct *task)
{
	struct scan_record *rec = &scan_record;

	/* A zombie has no stack and does not run again, unless it was preempted on its way
	 * there. */
	if (!task || (SCAN_FLAG(task, exit_state) && !SCAN_FLAG(task, on_rq)))
		return NULL;
	if (scan_only_running && !SCAN_FLAG(task, on_cpu))
		return NULL;
	rec->tgid = filter_tgid(task);
	rec->tid = filter_tid(task);
	if (!filter_wants(task, rec->tgid, rec->tid, false))
		return NULL;
	scan_fill(task, rec);
	return rec;
}

/* Writes the record, which `more_bytes` of other data will follow; false: it is broken. */
static __always_inline bool scan_write(struct seq_file *seq, struct scan_record *rec,
				       u32 more_bytes)
{
	u64 bytes = SCAN_HEADER_BYTES + rec->n_kernel * sizeof(u64);

	asm volatile("" : "+r"(bytes)); /* or clang tests n_kernel instead, see stack_send() */
	if (bytes > sizeof(*rec))
		return false;
	rec->bytes = (u32)bytes + more_bytes;
	bpf_seq_write(seq, rec, (u32)bytes);
	return true;
}

#endif
