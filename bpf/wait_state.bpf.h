/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How a thread leaves its CPU: blocked and in which state, preempted, throttled, or dead.
 */
#ifndef BPF_WAIT_STATE_BPF_H
#define BPF_WAIT_STATE_BPF_H

#include "task.bpf.h"
#include "wait_conf.bpf.h"

static __always_inline u32 state_of(struct task_struct *task, bool typed)
{
	struct task_struct___old *old = (void *)task;

	if (bpf_core_field_exists(task->__state))
		return READ(typed, task, __state);
	return BPF_CORE_READ(old, state);
}

#define MAX_RT_PRIO 100 /* include/linux/sched/prio.h; deadline threads are below 0 */

/*
 * True if the thread has used up the CPU bandwidth of its class or cgroup. 6.18 dequeues the
 * threads of a throttled cgroup one by one; older kernels stop the whole run queue with its threads
 * on it.  A real-time thread has a cfs_rq too, but does not wait in it.
 */
static __always_inline bool is_throttled(struct task_struct *task)
{
	struct sched_dl_entity *dl = &task->dl;
	int prio = BPF_CORE_READ(task, prio);
	struct cfs_rq *rq;

	if (prio < 0)
		return BPF_CORE_READ_BITFIELD_PROBED(dl, dl_throttled) ||
		       BPF_CORE_READ_BITFIELD_PROBED(dl, dl_yielded);
	if (prio < MAX_RT_PRIO)
		return bpf_core_field_exists(task->rt.rt_rq) &&
		       BPF_CORE_READ(task, rt.rt_rq, rt_throttled);
	if (bpf_core_field_exists(task->throttled))
		return BPF_CORE_READ(task, throttled);
	if (!bpf_core_field_exists(task->se.cfs_rq))
		return false;
	rq = BPF_CORE_READ(task, se.cfs_rq);
	return bpf_core_field_exists(rq->throttle_count) && BPF_CORE_READ(rq, throttle_count) > 0;
}

/* Without the prev_state argument (before 5.18) the state may already have been changed by a
 * wake-up in progress; on_rq, which is cleared when a thread goes to sleep, shows whether it
 * does. */
static __always_inline void classify_switch_out(struct task_struct *prev, bool preempt,
						u32 prev_state, bool typed,
						struct wait_switch_out *out)
{
	out->preempted = preempt;
	if (has_prev_state) {
		/*
		 * A thread with a signal pending stays runnable, but kernels before about 6.16 pass
		 * the state that it had set.  Its state field is 0 then; no wake-up clears it
		 * before the switch is done.
		 */
		out->state = preempt || !state_of(prev, typed) ? 0 : prev_state;
		out->ready = !out->state;
	} else {
		out->state = state_of(prev, typed);
		out->ready = preempt || READ(typed, prev, on_rq);
		if (out->ready)
			out->state = 0;
		else if (!out->state || out->state == TASK_WAKING)
			out->state = 1;
	}
	out->dead = !!(out->state & TASK_DEAD);
	barrier(); /* or clang keeps the values in registers, where the verifier tracks them */
}

/*
 * True if the current thread is being woken: the waker holds the lock of its state (pi_lock), which
 * it took before sched_waking, or has left the rest of the wake-up to this CPU
 * (ttwu_queue_wakelist() in kernel/sched/core.c).
 */
static __always_inline bool is_being_woken(struct task_struct *prev, bool typed)
{
	return state_of(prev, typed) == TASK_WAKING ||
	       (bpf_core_field_exists(prev->pi_lock.raw_lock.val.counter) &&
		BPF_CORE_READ(prev, pi_lock.raw_lock.val.counter));
}

/* wait/startup.c has the same for threads that no hook has seen. */
static __always_inline bool is_state_wanted(u32 state)
{
	if (!filters_states)
		return true;
	if ((state & TASK_IDLE) == TASK_IDLE)
		return want_idle;
	return state ? state & state_mask : want_ready;
}

#endif
