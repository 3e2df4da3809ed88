/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Threads: which of them match the filter, and their entries in `wait_threads`.
 */
#ifndef BPF_WAIT_THREAD_BPF_H
#define BPF_WAIT_THREAD_BPF_H

#include "filter.bpf.h"
#include "lost.bpf.h"
#include "task.bpf.h"
#include "wait_conf.bpf.h"

/* A new entry.  Too large for a BPF stack. */
#define WAIT_THREAD_WORDS \
	((sizeof(struct wait_thread) + WAIT_MAX_LEVELS * sizeof(struct wait_link)) / sizeof(u64))
const u64 wait_no_thread[WAIT_THREAD_WORDS] = {};

static __always_inline bool is_other_kind(struct task_struct *task, bool typed)
{
	if (user_threads_only && READ(typed, task, flags) & PF_KTHREAD)
		return true;
	return kernel_threads_only && !(READ(typed, task, flags) & PF_KTHREAD);
}

static __noinline bool wait_wants(struct task_struct *task, bool typed)
{
	u32 tid, tgid;

	if (is_other_kind(task, typed))
		return false;
	if (filter.pidns_inum) {
		tid = filter_tid(task);
		tgid = filter_tgid(task);
	} else {
		tid = READ(typed, task, pid);
		tgid = READ(typed, task, tgid);
	}
	return filter_wants(task, tgid, tid, typed);
}

/*
 * True for idle threads and threads excluded by kind or ID.  This is decided from one or two cache
 * lines before anything else is read: if one process is watched, most switches on a busy host are
 * those of such threads.  Other filter criteria may change during a thread's life, so a thread that
 * has an entry is let through: it may have to be forgotten.
 */
static __always_inline bool is_excluded(struct task_struct *task, bool typed)
{
	u32 tid = READ(typed, task, pid);

	if (!tid)
		return true;
	if (wait_levels > 1)
		return false; /* any thread may be the waker of a waker */
	if (is_other_kind(task, typed))
		return true;
	if (!filter.pidns_inum && filter_is_out(READ(typed, task, tgid), tid))
		return true;
	return filter_may_change && !wait_slots[tid % WAIT_SLOTS] && !wait_wants(task, typed);
}

/* The thread's entry; NULL if there is none, or if it belongs to an earlier thread with this
 * PID. */
static __always_inline struct wait_thread *wait_find(struct task_struct *task, bool typed)
{
	u32 pid = READ(typed, task, pid);
	struct wait_thread *t = bpf_map_lookup_elem(&wait_threads, &pid);

	if (t && (t->start_time != READ(typed, task, start_time) || t->has_left))
		return NULL;
	return t;
}

/*
 * True if the task was its process's first thread until another thread's exec took over its TID.
 * It now has that thread's TID but still its own start time, and is about to exit; its remaining
 * switches are not recorded.  This is not inlined, because `typed` would then leave the registers
 * in wait_make() and no longer be a constant to the verifier.
 */
static __noinline bool is_former_first(struct task_struct *task, bool typed)
{
	u64 start_time = READ(typed, task, start_time);

	if (READ(typed, task, pid) == READ(typed, task, tgid))
		return false;
	/* The helper reads it, because a plain load of a pointer is expensive to verify
	 * (bpf/task.bpf.h). */
	return BPF_CORE_READ(task, group_leader, start_time) == start_time;
}

/* True during exec: the task may have taken over another thread's TID since its last switch-in. */
static __always_inline bool is_executing(struct task_struct *task)
{
	return bpf_core_field_exists(task->in_execve) &&
	       BPF_CORE_READ_BITFIELD_PROBED(task, in_execve);
}

/* Returns NULL if the task must not be recorded, or if the table is full (counted as lost). */
static __noinline struct wait_thread *wait_make(struct task_struct *task, bool typed)
{
	u32 pid = READ(typed, task, pid);
	struct wait_thread *t;

	if (is_former_first(task, typed))
		return NULL;
	wait_slots[pid % WAIT_SLOTS] = 1;
	if (bpf_map_update_elem(&wait_threads, &pid, wait_no_thread, BPF_ANY)) {
		lost_add(BPF_LOST_MAP_FULL);
		return NULL;
	}
	t = bpf_map_lookup_elem(&wait_threads, &pid);
	if (!t)
		return NULL;
	t->start_time = READ(typed, task, start_time);
	t->task = (u64)task;
	if (filter.pidns_inum) {
		t->tid = filter_tid(task);
		t->tgid = filter_tgid(task);
	} else {
		t->tid = pid;
		t->tgid = READ(typed, task, tgid);
	}
	bpf_probe_read_kernel(t->comm, sizeof(t->comm), &task->comm);
	if (wait_wants(task, typed))
		t->flags = WAIT_WANTED;
	return t;
}

/* How long the current thread has been on its CPU, according to the scheduler; UINT64_MAX if this
 * kernel does not provide it.  Global because it loads pointers, see bpf/task.bpf.h. */
__noinline u64 ran_ns(void);
__noinline u64 ran_ns(void)
{
	struct task_struct *task = task_current();
	struct cfs_rq *queue = NULL;

	if (!bpf_core_field_exists(task->sched_info.last_arrival) ||
	    !bpf_core_field_exists(task->se.cfs_rq) || !bpf_core_field_exists(queue->rq))
		return ~0ULL;
	if (want_running && task_is_typed()) /* otherwise it is rarely called */
		return task->se.cfs_rq->rq->clock - task->sched_info.last_arrival;
	return BPF_CORE_READ(task, se.cfs_rq, rq, clock) -
	       BPF_CORE_READ(task, sched_info.last_arrival);
}

/* Growth of a thread's CPU clock; 0 if it went back, because another thread has taken over
 * the TID. */
static __always_inline u64 growth(u64 from, u64 to)
{
	return to > from ? to - from : 0;
}

/* Copy the current thread's name to its entry; true if it has changed. */
static __always_inline bool wait_take_comm(struct wait_thread *t, struct task_struct *task)
{
	u64 *was = (u64 *)t->comm, is[2];

	task_comm(task, (char *)is);
	if (is[0] == was[0] && is[1] == was[1])
		return false;
	was[0] = is[0];
	was[1] = is[1];
	return true;
}

#endif
