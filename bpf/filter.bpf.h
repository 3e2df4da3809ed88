/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which tasks are watched: the kernel side of the filter.  Knows tasks and the lists; must not know
 * what is measured.  Include after vmlinux.h and bpf_helpers.h, bpf_core_read.h.
 */
#ifndef BPF_FILTER_BPF_H
#define BPF_FILTER_BPF_H

#include "bpf/abi/filter.h"
#include "lost.bpf.h"
#include "task.bpf.h"

const volatile struct filter_conf filter = {};
const volatile struct filter_comm filter_comm = {};

/* Sized by user space before loading; 1 when unused. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct filter_process);
} filter_tgids SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u32); /* enum filter_bits */
} filter_tids SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, FILTER_SLOTS);
	__type(key, u32);
	__type(value, u8);
} filter_slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, u64);
	__type(value, u32); /* enum filter_bits */
} filter_cgroups SEC(".maps");

/* Results for the cgroups that were tested last: id << 1 | wanted.  They stay valid: a cgroup keeps
 * its ancestors, and ids include a generation (kernfs, 5.5), so none is reused. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, FILTER_SLOTS);
	__type(key, u32);
	__type(value, u64);
} filter_cgroup_known SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u32); /* enum filter_bits */
} filter_uids SEC(".maps");

/* As in bcc: maps that other programs pin and fill, keyed by the ids of cgroups or mount
 * namespaces.  User space uses the pinned maps in place of these. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, u64);
	__type(value, u64);
} filter_cgroupmap SEC(".maps"), filter_mntnsmap SEC(".maps");

/* PID namespaces nest no deeper: MAX_PID_NS_LEVEL is 32 (include/linux/pid_namespace.h). */
#define FILTER_PIDNS_LEVELS  33
#define FILTER_CGROUP_LEVELS 32

/* The number of a struct pid in our own PID namespace; 0: not visible there. */
static __always_inline u32 filter_pid_nr(struct pid *pid)
{
	u32 level = BPF_CORE_READ(pid, level);

	for (u32 i = 0; i < FILTER_PIDNS_LEVELS; i++) {
		struct upid upid;

		if (i > level)
			break;
		/* A variable index cannot be relocated, so the stride is that of our own struct
		 * upid: a number and a pointer, as in every kernel since 4.14. */
		if (bpf_core_read(&upid, sizeof(upid), &pid->numbers[i]))
			break;
		if (BPF_CORE_READ(upid.ns, ns.inum) == filter.pidns_inum)
			return upid.nr;
	}
	return 0;
}

/* Thread and process id in our own PID namespace. */
static __always_inline u32 filter_tid(struct task_struct *task)
{
	if (filter.pidns_inum)
		return filter_pid_nr(BPF_CORE_READ(task, thread_pid));
	return BPF_CORE_READ(task, pid);
}

static __always_inline u32 filter_tgid(struct task_struct *task)
{
	if (filter.pidns_inum)
		return filter_pid_nr(BPF_CORE_READ(task, group_leader, thread_pid));
	return BPF_CORE_READ(task, tgid);
}

/* Before 6.1 an array holds the ids of the ancestors; since then it holds pointers to them.  CO-RE
 * relocates the start of an array, but not a variable index. */
static __always_inline u64 filter_ancestor_id(struct cgroup *cgrp, u32 level)
{
	struct cgroup___ids *old = (void *)cgrp;
	struct cgroup *ancestor = NULL;
	u64 id = 0;

	if (bpf_core_field_exists(old->ancestor_ids)) {
		bpf_probe_read_kernel(&id, sizeof(id),
				      (void *)old + bpf_core_field_offset(old->ancestor_ids) +
					      level * sizeof(id));
		return id;
	}
	bpf_probe_read_kernel(&ancestor, sizeof(ancestor),
			      (void *)cgrp + bpf_core_field_offset(cgrp->ancestors) +
				      level * sizeof(ancestor));
	return BPF_CORE_READ(ancestor, kn, id);
}

static __always_inline u32 filter_cgroup_bits_at(struct cgroup *cgrp, u32 level)
{
	u64 id = filter_ancestor_id(cgrp, level);
	u32 *bits = bpf_map_lookup_elem(&filter_cgroups, &id);

	return bits ? *bits : 0;
}

static __always_inline struct cgroup *filter_cgroup_of(struct task_struct *task, bool typed)
{
	struct css_set *set = typed ? task->cgroups : BPF_CORE_READ(task, cgroups);
	struct cgroup_subsys_state *css = NULL;
	void *where;

	if (filter.cgroup_subsys < 0)
		return typed ? set->dfl_cgrp : BPF_CORE_READ(set, dfl_cgrp);
	where = (void *)set + bpf_core_field_offset(set->subsys) +
		(u32)filter.cgroup_subsys * sizeof(css);
	if (typed)
		return (*(struct cgroup_subsys_state **)where)->cgroup;
	bpf_probe_read_kernel(&css, sizeof(css), where);
	return BPF_CORE_READ(css, cgroup);
}

/* A task is in a listed cgroup if the listed one is its own cgroup or an ancestor of it. */
static __always_inline bool filter_is_below_wanted(struct cgroup *cgrp)
{
	u32 level = BPF_CORE_READ(cgrp, level);
	u32 bits = 0;

	for (u32 i = 0; i < FILTER_CGROUP_LEVELS && i <= level; i++)
		if (filter.cgroup_levels & (1U << i))
			bits |= filter_cgroup_bits_at(cgrp, i);
	if (bits & FILTER_UNWANTED)
		return false;
	return !filter.has_cgroups || bits & FILTER_WANTED;
}

static __always_inline bool filter_wants_cgroup(struct task_struct *task, bool typed)
{
	struct cgroup *cgrp = filter_cgroup_of(task, typed);
	u64 id = typed ? cgrp->kn->id : BPF_CORE_READ(cgrp, kn, id);
	u64 verdict;
	u32 slot = id % FILTER_SLOTS;
	u64 *known = bpf_map_lookup_elem(&filter_cgroup_known, &slot);

	if (!known)
		return false;
	verdict = *known ^ id << 1;
	if (verdict > 1) {
		verdict = filter_is_below_wanted(cgrp);
		*known = id << 1 | verdict;
	}
	return verdict;
}

static __always_inline bool filter_wants_pinned(struct task_struct *task)
{
	u64 id;

	if (filter.has_cgroupmap) {
		id = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
		if (!bpf_map_lookup_elem(&filter_cgroupmap, &id))
			return false;
	}
	if (filter.has_mntnsmap) {
		id = BPF_CORE_READ(task, nsproxy, mnt_ns, ns.inum);
		if (!bpf_map_lookup_elem(&filter_mntnsmap, &id))
			return false;
	}
	return true;
}

static __always_inline bool filter_wants_comm(struct task_struct *task, bool typed)
{
	u64 states = filter_comm.start;
	char comm[16] __attribute__((aligned(8)));

	if (typed)
		task_copy_comm(task, comm);
	else if (BPF_CORE_READ_STR_INTO(&comm, task, comm) < 0)
		return false;
	for (u32 i = 0; i < sizeof(comm) - 1; i++) {
		u8 c = comm[i];

		if (!c)
			break;
		states = (states << 1 & filter_comm.step[c]) | (states & filter_comm.loop);
		if (!states)
			break;
	}
	if (states & filter_comm.unwanted)
		return false;
	return !filter.has_comms || states & filter_comm.wanted;
}

static __always_inline u8 *filter_slot(u32 id)
{
	u32 slot = id % FILTER_SLOTS;

	return bpf_map_lookup_elem(&filter_slots, &slot);
}

static __always_inline bool filter_may_list(u32 id)
{
	u8 *slot = filter_slot(id);

	return slot && *slot;
}

static __always_inline bool filter_wants_uid(struct task_struct *task, bool typed)
{
	u32 uid = typed ? task->cred->uid.val : BPF_CORE_READ(task, cred, uid.val);
	u32 *bits = filter_may_list(uid) ? bpf_map_lookup_elem(&filter_uids, &uid) : NULL;

	if (bits && *bits & FILTER_UNWANTED)
		return false;
	return !filter.has_uids || (bits && *bits & FILTER_WANTED);
}

/*
 * True if this is the listed process, not a later one with the same number.  A number is free as
 * soon as its owner is reaped, but sched_process_free is called an RCU grace period later.  A
 * number given by the user means the process that had it when it was first seen.  `typed` as in
 * filter_wants(): then a first thread, which most are, costs one load instead of two calls.
 */
static __always_inline bool filter_is_owner(struct filter_process *p, struct task_struct *task,
					    bool typed)
{
	u64 start_ns = typed && task->pid == task->tgid
			       ? task->start_time
			       : BPF_CORE_READ(task, group_leader, start_time);

	if (!p->start_ns)
		p->start_ns = start_ns;
	return p->start_ns == start_ns;
}

/* True if the numbers alone exclude the task, whatever the other tests say. */
static __always_inline bool filter_is_out(u32 tgid, u32 tid)
{
	if (filter.self_tgid && tgid == filter.self_tgid)
		return true;
	if (filter.only_tgid)
		return tgid != filter.only_tgid;
	if (!filter.has_tgids && !filter.has_tids)
		return false;
	return !(filter.has_tgids && filter_may_list(tgid)) &&
	       !(filter.has_tids && filter_may_list(tid));
}

static __always_inline bool filter_wants_process(struct task_struct *task, u32 tgid, u32 tid,
						 bool typed)
{
	bool wanted = !filter.has_tgids && !filter.has_tids;

	if (filter.has_tgids || filter.has_not_tgids) {
		struct filter_process *p = bpf_map_lookup_elem(&filter_tgids, &tgid);

		if (p && !filter_is_owner(p, task, typed))
			p = NULL;
		if (p && p->bits & FILTER_UNWANTED)
			return false;
		if (p && p->bits & FILTER_WANTED)
			wanted = true;
	}
	if (filter.has_tids && !wanted)
		wanted = bpf_map_lookup_elem(&filter_tids, &tid);
	return wanted;
}

/*
 * True if the task passes all tests, cheapest first.  `tgid` and `tid` are from filter_tgid() and
 * filter_tid(); `typed`: the verifier knows the type of `task`, so plain loads can read it.
 * Callers handle the idle task (tid 0 in the initial namespace).
 */
static __always_inline bool filter_wants(struct task_struct *task, u32 tgid, u32 tid, bool typed)
{
	if (filter_is_out(tgid, tid))
		return false;
	if (!filter_wants_process(task, tgid, tid, typed))
		return false;
	if ((filter.has_uids || filter.has_not_uids) && !filter_wants_uid(task, typed))
		return false;
	if ((filter.has_cgroups || filter.has_not_cgroups) && !filter_wants_cgroup(task, typed))
		return false;
	if (!filter_wants_pinned(task))
		return false;
	if ((filter.has_comms || filter.has_not_comms) && !filter_wants_comm(task, typed))
		return false;
	return true;
}

/*
 * With has_members, the number of times that a process which is not listed has entered one of the
 * cgroups.  User space then looks for it; its probes may come too late for its first calls.
 */
u64 filter_n_joined;

static __always_inline void filter_note_join(struct task_struct *task, struct cgroup *cgrp)
{
	u32 tgid = filter_tgid(task);
	struct filter_process *p = bpf_map_lookup_elem(&filter_tgids, &tgid);

	/* Ids are unique within a hierarchy only. */
	if (BPF_CORE_READ(cgrp, root) != BPF_CORE_READ(filter_cgroup_of(task, false), root))
		return;
	if ((!p || !filter_is_owner(p, task, false)) && filter_is_below_wanted(cgrp))
		__sync_fetch_and_add(&filter_n_joined, 1);
}

/* cgroup_attach_task(cgroup, path, first thread, true for all threads). */
SEC("raw_tp/cgroup_attach_task")
int filter_on_join(struct bpf_raw_tracepoint_args *ctx)
{
	filter_note_join((void *)ctx->args[2], (void *)ctx->args[0]);
	return 0;
}

/*
 * Children are watched like their parent: raw tracepoint sched_process_fork(parent, child), in the
 * parent's context, before the child can run.  It is a raw tracepoint, because tracepoints attached
 * through perf are skipped while another BPF program runs on the CPU.
 *
 * Since 7.0 a thread can be preempted in the program, and until it goes on the kernel skips the
 * program for all other threads of that CPU: their children, and all descendants of those, would
 * not be watched.  So there are two programs that do the same.  While one of them is occupied the
 * other still runs (prog_missed_forks() in core/run/prog.h).
 */
static __always_inline void filter_follow(struct bpf_raw_tracepoint_args *ctx, bool is_second)
{
	struct task_struct *parent = (void *)ctx->args[0], *child = (void *)ctx->args[1];
	u32 parent_tgid = filter_tgid(parent), tgid = filter_tgid(child);
	struct filter_process *p, new = {};
	u8 *slot;

	if (tgid == parent_tgid)
		return;
	p = bpf_map_lookup_elem(&filter_tgids, &parent_tgid);
	if (!p || !(p->bits & FILTER_FOLLOW) || !filter_is_owner(p, parent, false)) {
		/* By clone3() with CLONE_INTO_CGROUP. */
		if (filter.has_members)
			filter_note_join(child, filter_cgroup_of(child, false));
		return;
	}
	new.start_ns = BPF_CORE_READ(child, start_time);
	new.bits = p->bits & ~(u32)FILTER_MOVED;
	slot = filter_slot(tgid);
	if (slot)
		*slot = 1;
	/* Both programs fail if the table is full: one of them counts. */
	if (bpf_map_update_elem(&filter_tgids, &tgid, &new, BPF_ANY) && is_second)
		lost_add(BPF_LOST_MAP_FULL);
}

SEC("raw_tp/sched_process_fork")
int filter_on_fork(struct bpf_raw_tracepoint_args *ctx)
{
	filter_follow(ctx, false);
	return 0;
}

SEC("raw_tp/sched_process_fork")
int filter_on_fork_too(struct bpf_raw_tracepoint_args *ctx)
{
	filter_follow(ctx, true);
	return 0;
}

/*
 * The number of execs after which a process no longer has the perf events that were opened for it.
 * If a thread other than the first calls exec, it becomes the first one, under the same number, but
 * the perf events of the old first thread are gone.  With `follow` each thread has inherited
 * events, which it keeps, unless the kernel removes them from the process because the new program
 * has other rights than its user (fs/exec.c, begin_new_exec).
 */
u64 filter_n_moved;

static __always_inline bool filter_is_moved(struct task_struct *task, u32 tid_before)
{
	if (filter.follow)
		return !BPF_CORE_READ(task, perf_event_ctxp);
	return tid_before != (u32)BPF_CORE_READ(task, pid);
}

SEC("raw_tp/sched_process_exec")
int filter_on_exec(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (void *)ctx->args[0];
	u32 tgid = filter_tgid(task);
	struct filter_process *p;

	if (!filter_is_moved(task, (u32)ctx->args[1]))
		return 0;
	p = bpf_map_lookup_elem(&filter_tgids, &tgid);
	if (!p || !filter_is_owner(p, task, false))
		return 0;
	p->bits |= FILTER_MOVED;
	__sync_fetch_and_add(&filter_n_moved, 1);
	return 0;
}

/*
 * sched_process_free(task) is called when nothing of a task is left, so no part of its exit is
 * missed.  By then its number may be in use again, even by a child that the fork hook has added:
 * the start time shows which process the entry belongs to.  An entry without one is for a process
 * given by the user, which was alive then.
 */
SEC("raw_tp/sched_process_free")
int filter_on_free(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (void *)ctx->args[0];
	u32 tid = BPF_CORE_READ(task, pid), tgid = BPF_CORE_READ(task, tgid);
	struct filter_process *p;

	/* In a PID namespace the task's number is no longer known, so entries stay.  The table is
	 * bounded, and processes that do not fit are counted. */
	if (filter.pidns_inum)
		return 0;
	if (filter.has_tids)
		bpf_map_delete_elem(&filter_tids, &tid);
	if (tid != tgid)
		return 0;
	p = bpf_map_lookup_elem(&filter_tgids, &tgid);
	if (p && (!p->start_ns || p->start_ns == BPF_CORE_READ(task, start_time)))
		bpf_map_delete_elem(&filter_tgids, &tgid);
	return 0;
}

#endif
