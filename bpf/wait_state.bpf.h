/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How a thread leaves its CPU: asleep and in which state, preempted, throttled, dead.
 */
#ifndef BPF_WAIT_STATE_BPF_H
#define BPF_WAIT_STATE_BPF_H

#include "wait.bpf.h"

static __always_inline u32 state_of(struct task_struct *task, bool typed)
{
	struct task_struct___old *old = (void *)task;

	if (bpf_core_field_exists(task->__state))
		return READ(typed, task, __state);
	return BPF_CORE_READ(old, state);
}

#define MAX_RT_PRIO 100 /* include/linux/sched/prio.h; a deadline's is negative */

/*
 * Out of what its class or its cgroup lets it have.  6.18 takes the threads of a throttled cgroup
 * off one by one; before, the whole run queue stood still with them on it.  The fair queue of a
 * real-time thread is there too, and not what it waits in.
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

/* What the thread is and does as it is switched out. */
struct leaving {
	u64 now;
	u32 state; /* 0: it could go on */
	bool ready, preempted, dead;
};

/*
 * Without the argument (before 5.18) the state may already be that of a wake-up on its way;
 * whether the thread was taken off its run queue tells whether it sleeps.
 */
static __always_inline void how_it_leaves(struct task_struct *prev, bool preempt, u32 prev_state,
					  bool typed, struct leaving *out)
{
	out->preempted = preempt;
	if (has_prev_state) {
		/* With a signal pending it stays runnable, and kernels before 6.16 or so pass what
		 * its state was; no wake-up makes it 0 before the switch is done. */
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
	out->dead = out->state & TASK_DEAD;
}

/*
 * Somebody is waking the current thread: holds the lock of its state, from before sched_waking on,
 * or has left the rest to this CPU (ttwu_queue_wakelist() in kernel/sched/core.c).
 */
static __always_inline bool is_being_woken(struct task_struct *prev, bool typed)
{
	return state_of(prev, typed) == TASK_WAKING ||
	       (bpf_core_field_exists(prev->pi_lock.raw_lock.val.counter) &&
		BPF_CORE_READ(prev, pi_lock.raw_lock.val.counter));
}

static __always_inline bool is_state_wanted(u32 state)
{
	if (!has_states)
		return true;
	if ((state & TASK_IDLE) == TASK_IDLE)
		return want_idle;
	return state ? state & state_mask : want_ready;
}

#endif
