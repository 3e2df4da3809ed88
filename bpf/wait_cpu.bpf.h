/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The per-CPU record in which the hooks of wait.bpf.c build a stack.  It is too large for a BPF
 * stack, and orc.bpf.h unwinds into it too.
 */
#ifndef BPF_WAIT_CPU_BPF_H
#define BPF_WAIT_CPU_BPF_H

#include "bpf/abi/wait.h"

/* No locking is needed: the hooks run with interrupts off. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct wait_cpu);
} wait_cpus SEC(".maps");

static __always_inline struct wait_cpu *wait_cpu(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&wait_cpus, &zero);
}

/* The stack under construction on this CPU. */
static __always_inline struct stack_record *unwind_record(void)
{
	struct wait_cpu *cpu = wait_cpu();

	return cpu ? &cpu->rec : NULL;
}

#endif
