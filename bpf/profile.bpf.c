// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Samples the tasks on CPUs, and counts the samples by stack. */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "filter.bpf.h"
#include "stack_count.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile bool want_kernel = true;
const volatile bool want_user = true;
/* A bit for each event, by enum stack_event: send each sample, in addition to counting it. */
const volatile u32 want_samples = 0;
const volatile u32 key = 0; /* enum stack_key */

static __noinline int take_sample(struct bpf_perf_event_data *ctx, u32 event)
{
	u64 ids = bpf_get_current_pid_tgid();
	u32 tid = (u32)ids, tgid = ids >> 32, zero = 0;
	struct stack_sample sample = {};
	struct stack_cpu *cpu;
	struct task_struct *task;
	struct stack_record *rec;
	bool is_sent = want_samples >> event & 1;

	if (!tid && !filter.include_idle)
		return 0;
	task = task_current();
	if (filter.pidns_inum) {
		tid = filter_tid(task);
		tgid = filter_tgid(task);
	}
	if (!filter_wants(task, tgid, tid, task_is_typed()))
		return 0;
	cpu = bpf_map_lookup_elem(&stack_cpus, &zero);
	if (!cpu)
		return 0;
	rec = &cpu->rec;
	rec->tgid = tgid;
	rec->tid = key & STACK_KEY_TID ? tid : 0;
	rec->cpu = key & STACK_KEY_CPU ? bpf_get_smp_processor_id() : 0;
	rec->cgroup = key & STACK_KEY_CGROUP ? bpf_get_current_cgroup_id() : 0;
	rec->exec_id = TASK_READ(task, self_exec_id);
	rec->event = event;
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
	if (is_sent) {
		sample.time_ns = bpf_ktime_get_ns();
		sample.tgid = tgid;
		sample.tid = tid;
		sample.cpu = bpf_get_smp_processor_id();
		sample.period = ctx->sample_period;
	}
	stack_count(cpu, is_sent ? &sample : NULL);
	return 0;
}

SEC("perf_event")
int profile_sample(struct bpf_perf_event_data *ctx)
{
	return take_sample(ctx, STACK_FIRST_EVENT);
}

SEC("perf_event")
int profile_second(struct bpf_perf_event_data *ctx)
{
	return take_sample(ctx, STACK_SECOND_EVENT);
}
