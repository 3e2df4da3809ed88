// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// The yardstick: what every stack sampler must pay, and nothing else.  Two bpf_get_stack calls
// into a per-CPU buffer.
/* The helpers need the types of the first. */
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

SEC("perf_event")
int bare(void *ctx)
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

char LICENSE[] SEC("license") = "Dual BSD/GPL";
