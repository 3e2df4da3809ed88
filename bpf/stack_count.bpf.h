/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts occurrences by stack.  If the table of counters is full, each occurrence is sent as a
 * separate record: nothing is lost until the ring is full, too, and those losses are counted.
 */
#ifndef BPF_STACK_COUNT_BPF_H
#define BPF_STACK_COUNT_BPF_H

#include "stack.bpf.h"

/* Number of the current report window; user space increments it. */
u32 stack_window = 0;

/* The table of counters.  Those of the stacks that a CPU sees most often are in its slots first
 * (struct stack_slot). */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct stack_id);
	__type(value, struct stack_count);
} counts SEC(".maps");

/*
 * One per CPU.  The program that uses it must not interrupt itself: perf event programs run one at
 * a time on a CPU (bpf_prog_active in bpf_overflow_handler), tracepoint programs run with
 * preemption off.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct stack_cpu);
} stack_cpus SEC(".maps");

/* Move the slot's counters to the table, and give the slot to the new stack.  Returns false if the
 * table has no entry for the holder, which then keeps the slot. */
static __always_inline bool stack_take_slot(struct stack_cpu *cpu, struct stack_slot *slot,
					    const struct stack_id *id)
{
	struct stack_count *old;

	if (slot->count.n[0] | slot->count.n[1]) {
		old = bpf_map_lookup_elem(&counts, &slot->id);
		if (!old)
			return false;
		cpu->evictions++;
		__sync_fetch_and_add(&old->n[0], slot->count.n[0]);
		__sync_fetch_and_add(&old->n[1], slot->count.n[1]);
	}
	slot->id = *id;
	slot->count.n[0] = slot->count.n[1] = 0;
	return true;
}

/* Count one occurrence of the stack in cpu->rec, whose id is known.  False: its stack could not be
 * sent. */
static __always_inline bool stack_add(struct stack_cpu *cpu, u32 window)
{
	struct stack_record *rec = &cpu->rec;
	struct stack_count none = {}, *count;
	struct stack_slot *slot;

	if (stack_is_copy(rec)) {
		stack_fill_header(rec, window);
		return stack_send(rec);
	}
	slot = &cpu->slots[rec->id.hash[1] & (STACK_SLOTS - 1)];
	if (slot->id.hash[0] == rec->id.hash[0] && slot->id.hash[1] == rec->id.hash[1]) {
		slot->count.n[window & 1]++;
		slot->credit += slot->credit < STACK_CREDIT_MAX;
		return true;
	}
	count = bpf_map_lookup_elem(&counts, &rec->id);
	if (!count) {
		stack_fill_header(rec, window);
		if (!stack_send(rec))
			return false;
		bpf_map_update_elem(&counts, &rec->id, &none, BPF_NOEXIST);
	} else if (slot->credit) {
		slot->credit--;
		__sync_fetch_and_add(&count->n[window & 1], 1);
	} else if (stack_take_slot(cpu, slot, &rec->id)) {
		slot->count.n[window & 1] = 1;
	} else {
		__sync_fetch_and_add(&count->n[window & 1], 1);
	}
	return true;
}

/* Count one occurrence of the stack in cpu->rec; everything after its header must be filled in.
 * `sample`: sent after the stack, with its id and window set; NULL: only counted. */
static __always_inline void stack_count(struct stack_cpu *cpu, struct stack_sample *sample)
{
	u32 window = stack_window;

	cpu->n_taken += cpu->rec.event == STACK_FIRST_EVENT;
	stack_identify(&cpu->rec);
	if (!stack_add(cpu, window) || !sample)
		return;
	sample->id = cpu->rec.id;
	sample->window = window;
	sample->bytes = sizeof(*sample);
	bpf_ringbuf_output(&stacks, sample, sizeof(*sample), BPF_RB_NO_WAKEUP);
}

#endif
