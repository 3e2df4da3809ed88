// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Threads as they are now: the kernel side of dump.  The task iterator describes all of them; those
 * that are on a CPU have no stack that others can read, so they are sampled.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/abi/dump.h"
#include "filter.bpf.h"
#include "object.bpf.h"
#include "scan.bpf.h"
#include "stack.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile bool want_kernel = true;
const volatile bool want_user = true;

/* The data under construction, as scan_record. */
static struct dump_more dump_more;

/* ---- the task iterator ---- */

static __always_inline void dump_call(struct task_struct *task, struct dump_more *more)
{
	struct pt_regs *regs = regs_of(task);

#if defined(__TARGET_ARCH_arm64)
	if (BPF_CORE_READ(regs, pstate) & PSR_MODE32)
		return;
	more->call = BPF_CORE_READ(regs, syscallno);
	more->args[0] = BPF_CORE_READ(regs, orig_x0);
	more->args[1] = BPF_CORE_READ(regs, regs[1]);
	more->args[2] = BPF_CORE_READ(regs, regs[2]);
	more->args[3] = BPF_CORE_READ(regs, regs[3]);
	more->args[4] = BPF_CORE_READ(regs, regs[4]);
	more->args[5] = BPF_CORE_READ(regs, regs[5]);
#else
	if (BPF_CORE_READ(regs, cs) == USER32_CS)
		return;
	more->call = BPF_CORE_READ(regs, orig_ax);
	more->args[0] = BPF_CORE_READ(regs, di);
	more->args[1] = BPF_CORE_READ(regs, si);
	more->args[2] = BPF_CORE_READ(regs, dx);
	more->args[3] = BPF_CORE_READ(regs, r10);
	more->args[4] = BPF_CORE_READ(regs, r8);
	more->args[5] = BPF_CORE_READ(regs, r9);
#endif
}

#define FIRST_NORMAL_PRIO 100 /* MAX_RT_PRIO, include/linux/sched/prio.h */

/* A thread that is not fair (real-time, deadline) has no count of its last run. */
static __always_inline void dump_times(struct task_struct *task, struct dump_more *more)
{
	struct task_struct *current = task_current();
	struct cfs_rq *queue = NULL;
	u64 sum, before;

	more->counted_ns = BPF_CORE_READ(task, se.exec_start);
	if (bpf_core_field_exists(task->se.cfs_rq) && bpf_core_field_exists(queue->rq))
		more->clock_ns = BPF_CORE_READ(current, se.cfs_rq, rq, clock);
	if (!bpf_core_field_exists(task->sched_info.last_arrival))
		return;
	more->arrived_ns = BPF_CORE_READ(task, sched_info.last_arrival);
	more->queued_ns = BPF_CORE_READ(task, sched_info.last_queued);
	if (BPF_CORE_READ(task, prio) < FIRST_NORMAL_PRIO)
		return;
	sum = BPF_CORE_READ(task, se.sum_exec_runtime);
	before = BPF_CORE_READ(task, se.prev_sum_exec_runtime);
	more->ran_ns = sum > before ? sum - before : 0;
}

/* The inode of the socket at the other end; a socket that was not accepted yet has none. */
static __always_inline u64 dump_peer(struct task_struct *task, const struct wait_object *o)
{
	struct file *file = object_file(task, o->fd);
	struct socket *socket = BPF_CORE_READ(file, private_data);
	struct unix_sock *u = (void *)BPF_CORE_READ(socket, sk);

	return BPF_CORE_READ(u, peer, sk_socket, file, f_inode, i_ino);
}

static __always_inline u32 dump_inner_tid(struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	u32 level = BPF_CORE_READ(pid, level);
	struct upid upid = {};

	if (level < FILTER_PIDNS_LEVELS)
		bpf_core_read(&upid, sizeof(upid), &pid->numbers[level]);
	return upid.nr;
}

static __always_inline void dump_fill(struct task_struct *task, const struct scan_record *rec,
				      struct dump_more *more)
{
	__builtin_memset(more, 0, sizeof(*more));
	more->call = -1;
	more->inner_tid = dump_inner_tid(task);
	BPF_CORE_READ_INTO(&more->process, task, group_leader, comm);
	dump_times(task, more);
	if (rec->flags & PF_KTHREAD || rec->on_cpu)
		return;
	more->is_frozen = object_is_frozen(task);
	/* A worker of io_uring has a copy of the registers of the call during which it was made. */
	if (!rec->pc)
		return;
	dump_call(task, more);
	object_read(task, &more->object);
	if (more->object.kind == OBJECT_SOCKET && more->object.family == AF_UNIX)
		more->peer = dump_peer(task, &more->object);
}

SEC("iter/task")
int scan_task(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct dump_more *more = &dump_more;
	struct seq_file *seq = ctx->meta->seq;
	struct scan_record *rec;

	rec = task ? scan_take(task) : NULL;
	if (!rec)
		return 0;
	dump_fill(task, rec, more);
	if (scan_write(seq, rec, sizeof(*more)))
		bpf_seq_write(seq, more, sizeof(*more));
	return 0;
}

/* ---- samples of threads on CPUs ---- */

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct stack_record);
} dump_samples SEC(".maps");

SEC("perf_event")
int dump_sample(struct bpf_perf_event_data *ctx)
{
	u64 ids = bpf_get_current_pid_tgid();
	u32 tid = (u32)ids, tgid = ids >> 32, zero = 0;
	struct task_struct *task;
	struct stack_record *rec;

	if (!tid)
		return 0;
	task = task_current();
	if (filter.pidns_inum) {
		tid = filter_tid(task);
		tgid = filter_tgid(task);
	}
	if (!filter_wants(task, tgid, tid, task_is_typed()))
		return 0;
	rec = bpf_map_lookup_elem(&dump_samples, &zero);
	if (!rec)
		return 0;
	rec->tgid = tgid;
	rec->tid = tid;
	rec->start_time = BPF_CORE_READ(task, start_time);
	rec->exec_id = TASK_READ(task, self_exec_id);
	rec->flags = 0;
	task_comm(task, rec->comm);
	rec->n_kernel = 0;
	rec->n_user = 0;
	rec->n_more = 0;
	rec->user_end = STACK_END_UNKNOWN;
	if (want_kernel)
		stack_walk_kernel(ctx, rec);
	if (want_user)
		stack_walk_user(ctx, rec);
	stack_complete(rec);
	stack_fill_header(rec, 0);
	stack_send(rec);
	return 0;
}
