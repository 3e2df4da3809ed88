/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters per CPU and spec, kernel side. */
#ifndef BPF_PROBE_COUNT_BPF_H
#define BPF_PROBE_COUNT_BPF_H

#include "bpf/abi/event.h"

/* A function that compiled probes call.  `used`: otherwise clang drops arguments for which all
 * callers here pass constants, and the function no longer has the arguments that bpf/abi/fixed.h
 * lists. */
#define FIXED_FN static __noinline __attribute__((used))

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct probe_count);
} probe_counts SEC(".maps");

#define COUNT(probe, field)                                                         \
	do {                                                                        \
		u32 key_ = (probe);                                                 \
		struct probe_count *c_ = bpf_map_lookup_elem(&probe_counts, &key_); \
                                                                                    \
		if (c_)                                                             \
			__sync_fetch_and_add(&c_->field, 1);                        \
	} while (0)

#endif
