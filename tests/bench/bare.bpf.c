// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// The yardstick: the cost of both stacks for any tool, and nothing else.  Two bpf_get_stack calls
// into a per-CPU buffer, for a CPU sample, for each thread that is switched out, and for each one
// that wakes another.  And the floor: programs that do nothing.
/* The helpers need the types of the first header. */
/* clang-format off */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
/* clang-format on */

#define MAX_DEPTH 127

struct buffer {
	__u64 kernel[MAX_DEPTH + 1], user[MAX_DEPTH + 1];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct buffer);
} buffers SEC(".maps");

static __always_inline int two_stacks(void *ctx)
{
	struct buffer *b;
	__u32 zero = 0;

	b = bpf_map_lookup_elem(&buffers, &zero);
	if (!b)
		return 0;
	bpf_get_stack(ctx, b->kernel, MAX_DEPTH * sizeof(__u64), 0);
	bpf_get_stack(ctx, b->user, MAX_DEPTH * sizeof(__u64), BPF_F_USER_STACK);
	return 0;
}

SEC("perf_event")
int bare(void *ctx)
{
	return two_stacks(ctx);
}

SEC("tp_btf/sched_switch")
int bare_switch(void *ctx)
{
	if (!(__u32)bpf_get_current_pid_tgid())
		return 0; /* the idle task waits for nothing */
	return two_stacks(ctx);
}

SEC("tp_btf/sched_waking")
int bare_waking(void *ctx)
{
	return two_stacks(ctx);
}

/* The cost of the kernel's own path to a program. */
SEC("tp_btf/sched_switch")
int nothing_switch(void *ctx)
{
	return 0;
}

SEC("tp_btf/sched_waking")
int nothing_waking(void *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
