// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Samples of what runs on a CPU, by stack. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "filter.bpf.h"
#include "stack.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile bool want_kernel = true;
const volatile bool want_user = true;
const volatile u32 key = 0; /* enum stack_key */

/* Samples seen and taken, for the progress line. */
u64 n_samples = 0;

/*
 * One record under construction per CPU.  It can't be taken twice: the kernel runs one perf
 * event program at a time on a CPU (bpf_prog_active in bpf_overflow_handler).
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct stack_record);
} scratch SEC(".maps");

/*
 * A user stack is there to be walked when the task has user memory of its own: not in kernel
 * threads, and not in a task whose exit has let go of it.
 */
static __always_inline bool has_user_memory(struct task_struct *task)
{
	return !(BPF_CORE_READ(task, flags) & PF_KTHREAD) && BPF_CORE_READ(task, mm);
}

SEC("perf_event")
int profile_sample(struct bpf_perf_event_data *ctx)
{
	u64 ids = bpf_get_current_pid_tgid();
	u32 tid = (u32)ids, tgid = ids >> 32, zero = 0;
	struct task_struct *task = (void *)bpf_get_current_task();
	struct stack_record *rec;

	if (!tid && !filter.include_idle)
		return 0;
	if (filter.pidns_inum) {
		tid = filter_tid(task);
		tgid = filter_tgid(task);
	}
	if (!filter_wants(task, tgid, tid))
		return 0;
	rec = bpf_map_lookup_elem(&scratch, &zero);
	if (!rec)
		return 0;
	rec->tgid = tgid;
	rec->tid = key & STACK_KEY_TID ? tid : 0;
	rec->cpu = key & STACK_KEY_CPU ? bpf_get_smp_processor_id() : 0;
	rec->cgroup = key & STACK_KEY_CGROUP ? bpf_get_current_cgroup_id() : 0;
	bpf_get_current_comm(rec->comm, sizeof(rec->comm));
	rec->flags = has_user_memory(task) ? 0 : STACK_NO_USER;
	stack_walk(ctx, rec, want_kernel, want_user && !rec->flags);
	if (rec->flags & STACK_USER_FAULT)
		lost_add(BPF_LOST_STACK_FAULT);
	stack_count(rec);
	__sync_fetch_and_add(&n_samples, 1);
	return 0;
}
