/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stack store, kernel side: name a stack by a 128-bit hash, send it once, count it here.
 *
 * Nothing is lost to a collision of slots as with BPF_MAP_TYPE_STACK_TRACE: the hash is of the
 * frames themselves, seeded anew for each run so that no program can prepare a clash.  When the
 * table of counts is full, each occurrence is sent as a record of its own and nothing is lost
 * until the ring is full too, which is counted.
 */
#ifndef BPF_STACK_BPF_H
#define BPF_STACK_BPF_H

#include "lost.bpf.h"
#include "stack.h"

const volatile u64 stack_seed[2] = {};
const volatile u32 stack_max_frames = STACK_MAX_FRAMES; /* kernel.perf_event_max_stack */
const volatile u64 stack_ring_wake = 0; /* bytes waiting in the ring that are worth waking for */

/* Number of the current report window; user space moves it on. */
u32 stack_window = 0;

/* Moved on by user space when a process has mapped other code where code was sampled: every stack
 * is then sent anew, and located anew. */
u32 stack_generation = 0;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct stack_id);
	__type(value, struct stack_count);
} counts SEC(".maps");

/*
 * One per CPU.  The program that uses it must not be interrupted by itself: perf event programs
 * run one at a time on a CPU (bpf_prog_active in bpf_overflow_handler), tracepoint programs with
 * preemption off.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct stack_cpu);
} stack_cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} stacks SEC(".maps");

/* Programs seen so far, by process and exec: the first stack of a new one wakes user space at
 * once, so that its mappings are read while it lives. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, u64);
	__type(value, u8);
} stack_programs SEC(".maps");

/*
 * Two multiply-and-fold lanes over the words.  Each lane alone is a 64-bit hash; together they
 * make an accidental clash among 2^32 stacks a matter of 2^-65.
 */
static __always_inline void stack_hash(struct stack_record *rec, u32 n_words)
{
	const u64 *words = (const u64 *)&rec->tgid;
	u64 a = stack_seed[0], b = stack_seed[1];

	for (u32 i = 0; i < STACK_FIXED_WORDS + 2 * STACK_MAX_FRAMES; i++) {
		u64 w;

		if (i >= n_words)
			break;
		w = words[i];
		a = (a ^ w) * 0x9fb21c651e98df25ULL;
		b = (b + w) * 0xd6e8feb86659fd93ULL;
		a ^= a >> 32;
		b ^= b >> 29;
	}
	a = (a ^ b >> 31) * 0xff51afd7ed558ccdULL;
	b = (b ^ a >> 33) * 0xc4ceb9fe1a85ec53ULL;
	rec->id.hash[0] = a ^ a >> 32;
	rec->id.hash[1] = b ^ b >> 32;
}

static __always_inline bool stack_is_new_program(const struct stack_record *rec)
{
	u64 program = (u64)rec->exec_id << 32 | rec->tgid;
	u8 one = 1;

	if (bpf_map_lookup_elem(&stack_programs, &program))
		return false;
	bpf_map_update_elem(&stack_programs, &program, &one, BPF_ANY);
	return true;
}

static __always_inline void stack_send(struct stack_record *rec)
{
	struct stack_count none = {};
	u64 flags = BPF_RB_NO_WAKEUP;
	u64 bytes = rec->bytes;

	if (stack_is_new_program(rec) ||
	    bpf_ringbuf_query(&stacks, BPF_RB_AVAIL_DATA) >= stack_ring_wake)
		flags = BPF_RB_FORCE_WAKEUP;
	/* Keeps clang from testing the number of words instead, which tells the verifier nothing
	 * about the bytes. */
	asm volatile("" : "+r"(bytes));
	if (bytes > sizeof(*rec))
		return;
	/* Sent first, marked as known after: a stack that found no room must be sent again. */
	if (bpf_ringbuf_output(&stacks, rec, bytes, flags)) {
		lost_add(BPF_LOST_RING_FULL);
		return;
	}
	bpf_map_update_elem(&counts, &rec->id, &none, BPF_NOEXIST);
}

/* Walk both stacks into rec->frames.  Fills n_kernel, n_user and flags. */
static __always_inline void stack_walk(void *ctx, struct stack_record *rec, bool want_kernel,
				       bool want_user)
{
	const u32 max_bytes = STACK_MAX_FRAMES * sizeof(u64);
	long bytes;
	u32 n = 0;

	rec->n_kernel = 0;
	rec->n_user = 0;
	if (want_kernel) {
		bytes = bpf_get_stack(ctx, rec->frames, max_bytes, 0);
		if (bytes > 0)
			n = (u32)bytes / sizeof(u64);
		if (n > STACK_MAX_FRAMES)
			n = STACK_MAX_FRAMES;
		rec->n_kernel = n;
	}
	if (want_user) {
		bytes = bpf_get_stack(ctx, &rec->frames[n], max_bytes, BPF_F_USER_STACK);
		if (bytes > 0)
			rec->n_user = (u32)bytes / sizeof(u64);
		else
			rec->flags |= STACK_USER_FAULT;
	}
}

/* Move a slot's numbers to the table, and the new stack in.  A holder that the table had no room
 * for stays. */
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

/* One occurrence of the stack in cpu->rec (all behind its header is filled in). */
static __always_inline void stack_count(struct stack_cpu *cpu)
{
	struct stack_record *rec = &cpu->rec;
	u32 n_words = STACK_FIXED_WORDS + rec->n_kernel + rec->n_user;
	u32 window = stack_window;
	struct stack_slot *slot;
	struct stack_count *count;

	cpu->n_taken++;
	rec->generation = stack_generation;
	stack_hash(rec, n_words);
	slot = &cpu->slots[rec->id.hash[1] & (STACK_SLOTS - 1)];
	if (slot->id.hash[0] == rec->id.hash[0] && slot->id.hash[1] == rec->id.hash[1]) {
		slot->count.n[window & 1]++;
		slot->credit += slot->credit < STACK_CREDIT_MAX;
		return;
	}
	count = bpf_map_lookup_elem(&counts, &rec->id);
	if (!count) {
		rec->time_ns = bpf_ktime_get_ns();
		rec->window = window;
		rec->bytes = STACK_HEADER_BYTES + n_words * sizeof(u64);
		stack_send(rec);
	} else if (slot->credit) {
		slot->credit--;
		__sync_fetch_and_add(&count->n[window & 1], 1);
	} else if (stack_take_slot(cpu, slot, &rec->id)) {
		slot->count.n[window & 1] = 1;
	} else {
		__sync_fetch_and_add(&count->n[window & 1], 1);
	}
}

#endif
