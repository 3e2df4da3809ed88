/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stack store, kernel side: identify a stack by a 128-bit hash, and send it.
 *
 * No stack is lost to a collision of slots as with BPF_MAP_TYPE_STACK_TRACE: the hash is of the
 * frames themselves, and its seed is new for each run, so that no program can prepare a collision.
 */
#ifndef BPF_STACK_BPF_H
#define BPF_STACK_BPF_H

#include "bpf/abi/stack.h"
#include "hash.bpf.h"
#include "lost.bpf.h"
#include "task.bpf.h"

const volatile u64 stack_seed[2] = {};
const volatile u32 stack_max_frames = STACK_MAX_FRAMES; /* kernel.perf_event_max_stack */
const volatile u64 stack_ring_wake = 0; /* wake user space if this many bytes are in the ring */

/* Incremented by user space when a process has mapped other code where code was sampled: every
 * stack is then sent and resolved again. */
u32 stack_generation = 0;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} stacks SEC(".maps");

/* Programs seen so far, by process and exec: the first stack of a new one wakes user space at once,
 * which reads its mappings while it lives. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, u64);
	__type(value, u8);
} stack_programs SEC(".maps");

static __always_inline void stack_hash(struct stack_record *rec, u32 n_words)
{
	hash_words((const u64 *)&rec->tgid, n_words,
		   STACK_FIXED_WORDS + 2 * STACK_MAX_FRAMES + STACK_MORE_WORDS, stack_seed[0],
		   stack_seed[1], rec->id.hash);
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

/* Send the record with its header; false: the ring is full (counted).  Mark a stack as sent only
 * after this has returned true: one that found no room must be sent again. */
static __always_inline bool stack_send(struct stack_record *rec)
{
	u64 flags = BPF_RB_NO_WAKEUP;
	u64 bytes = rec->bytes;

	if (stack_is_new_program(rec) ||
	    bpf_ringbuf_query(&stacks, BPF_RB_AVAIL_DATA) >= stack_ring_wake)
		flags = BPF_RB_FORCE_WAKEUP;
	/* Keeps clang from testing the number of words instead, which tells the verifier nothing
	 * about the bytes. */
	asm volatile("" : "+r"(bytes));
	if (bytes > sizeof(*rec))
		return false;
	if (!bpf_ringbuf_output(&stacks, rec, bytes, flags))
		return true;
	lost_add(BPF_LOST_RING_FULL);
	return false;
}

/* Walk the current task's kernel stack to the start of rec->frames, its user stack to the end of
 * what is there.  Sets n_kernel; n_user and the flags that tell why there is none. */
static __always_inline void stack_walk_kernel(void *ctx, struct stack_record *rec)
{
	const u32 max_bytes = STACK_MAX_FRAMES * sizeof(u64);
	long bytes = bpf_get_stack(ctx, rec->frames, max_bytes, 0);
	u32 n = 0;

	if (bytes > 0)
		n = (u32)bytes / sizeof(u64);
	rec->n_kernel = n > STACK_MAX_FRAMES ? STACK_MAX_FRAMES : n;
}

static __always_inline void stack_walk_user(void *ctx, struct stack_record *rec,
					    struct task_struct *task)
{
	const u32 max_bytes = STACK_MAX_FRAMES * sizeof(u64);
	u32 n = rec->n_kernel;
	long bytes;

	/* The verifier has lost the bound. */
	if (n > STACK_MAX_FRAMES)
		return;
	bytes = bpf_get_stack(ctx, &rec->frames[n], max_bytes, BPF_F_USER_STACK);
	if (bytes > 0) {
		rec->n_user = (u32)bytes / sizeof(u64);
	} else if (task_has_user_memory(task)) {
		rec->flags |= STACK_USER_FAULT;
		lost_add(BPF_LOST_STACK_FAULT);
	} else {
		rec->flags |= STACK_NO_USER;
	}
}

/* Number of words after the header. */
static __always_inline u32 stack_words(const struct stack_record *rec)
{
	return STACK_FIXED_WORDS + rec->n_kernel + rec->n_user + rec->n_more;
}

/* Compute the record's id. */
static __always_inline void stack_identify(struct stack_record *rec)
{
	rec->generation = stack_generation;
	stack_hash(rec, stack_words(rec));
}

static __always_inline void stack_fill_header(struct stack_record *rec, u32 window)
{
	rec->time_ns = bpf_ktime_get_ns();
	rec->window = window;
	rec->bytes = STACK_HEADER_BYTES + stack_words(rec) * sizeof(u64);
}

#endif
