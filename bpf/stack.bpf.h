/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stack store, kernel side: identify a stack by a 128-bit hash, and send it.
 *
 * Unlike with BPF_MAP_TYPE_STACK_TRACE, no stack is lost to a collision of slots: the hash covers
 * the frames themselves, and its seed is new for each run, so that no program can prepare a
 * collision.
 */
#ifndef BPF_STACK_BPF_H
#define BPF_STACK_BPF_H

#include "bpf/abi/stack.h"
#define COPY_BYTES STACK_COPY_BYTES

#include "cfi.bpf.h"
#include "copy.bpf.h"
#include "hash.bpf.h"
#include "lost.bpf.h"
#include "task.bpf.h"

const volatile u64 stack_seed[2] = {};
const volatile u32 stack_max_frames = STACK_MAX_FRAMES; /* kernel.perf_event_max_stack */
const volatile u64 stack_ring_wake = 0; /* wake user space if this many bytes are in the ring */

/* Incremented by user space when a process has mapped other code where code was sampled: every
 * stack is then sent and resolved again. */
u32 stack_generation = 0;

/* The ring: stacks, and records of other kinds with the same header (struct stack_sample, struct
 * wait_record). */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} stacks SEC(".maps");

/* Programs seen so far, by process and exec: the first stack of a new one wakes user space at once,
 * so that it reads the mappings while the process lives. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, u64);
	__type(value, u8);
} stack_programs SEC(".maps");

struct stack_copying {
	struct stack_copy copy;
	u8 room[COPY_PAGE_BYTES];
};

/* One per CPU.  Values of per-CPU maps have 32 KiB at most. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct stack_copying);
} stack_copyings SEC(".maps");

static __always_inline u8 *copy_place(u32 number)
{
	struct stack_copying *c = bpf_map_lookup_elem(&stack_copyings, &number);

	return c ? c->copy.bytes : NULL;
}

#define STACK_WORDS_MAX (STACK_FIXED_WORDS + 2 * STACK_MAX_FRAMES + STACK_MORE_WORDS)

static __always_inline void stack_hash(struct stack_record *rec, u32 n_words)
{
	hash_words((const u64 *)&rec->tgid, n_words, STACK_WORDS_MAX, stack_seed[0], stack_seed[1],
		   rec->id.hash);
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

static __always_inline bool stack_send_copy(const struct stack_record *rec)
{
	struct cfi_walk *w = cfi_walk(0);
	u32 cpu = bpf_get_smp_processor_id();
	struct stack_copying *c;
	u64 bytes;

	c = bpf_map_lookup_elem(&stack_copyings, &cpu);
	if (!c || !w)
		return false;
	bpf_probe_read_kernel(&c->copy.rec, sizeof(c->copy.rec), rec);
	bytes = sizeof(c->copy.rec) + copy_user_pages(w->start.sp, cpu);
	asm volatile("" : "+r"(bytes));
	return bytes <= sizeof(c->copy) &&
	       !bpf_ringbuf_output(&stacks, &c->copy, bytes, BPF_RB_FORCE_WAKEUP);
}

static __always_inline bool stack_send_frames(struct stack_record *rec)
{
	u64 flags = BPF_RB_NO_WAKEUP;
	u64 bytes = rec->bytes;

	if (stack_is_new_program(rec) ||
	    bpf_ringbuf_query(&stacks, BPF_RB_AVAIL_DATA) >= stack_ring_wake)
		flags = BPF_RB_FORCE_WAKEUP;
	/* Keeps clang from testing the number of words instead: the verifier would learn nothing
	 * about the number of bytes. */
	asm volatile("" : "+r"(bytes));
	return bytes <= sizeof(*rec) && !bpf_ringbuf_output(&stacks, rec, bytes, flags);
}

/* True if the user stack follows the record as a copy, for this occurrence alone. */
static __always_inline bool stack_is_copy(const struct stack_record *rec)
{
	return rec->user_end == STACK_END_COPY;
}

/* Send the record with its header; false: the ring is full (counted).  Mark a stack as sent only
 * after this has returned true: a stack for which there was no room must be sent again. */
static __always_inline bool stack_send(struct stack_record *rec)
{
	if (stack_is_copy(rec) ? stack_send_copy(rec) : stack_send_frames(rec))
		return true;
	lost_add(BPF_LOST_RING_FULL);
	return false;
}

/* Walk the current task's kernel stack to the start of rec->frames, its user stack to the end of
 * the frames that are there already.  They set n_kernel, or n_user and the flags that tell why
 * there is no user stack. */
static __always_inline void stack_walk_kernel(void *ctx, struct stack_record *rec)
{
	const u32 max_bytes = STACK_MAX_FRAMES * sizeof(u64);
	long bytes = bpf_get_stack(ctx, rec->frames, max_bytes, 0);
	u32 n = 0;

	if (bytes > 0)
		n = (u32)bytes / sizeof(u64);
	rec->n_kernel = n > STACK_MAX_FRAMES ? STACK_MAX_FRAMES : n;
}

static __always_inline void stack_walk_by_fp(void *ctx, struct stack_record *rec)
{
	const u32 max_bytes = STACK_MAX_FRAMES * sizeof(u64);
	u32 n = rec->n_kernel;
	long bytes;

	/* The verifier has lost the bound, and clang would test only a part of a byte instead. */
	asm volatile("" : "+r"(n));
	if (n > STACK_MAX_FRAMES)
		return;
	bytes = bpf_get_stack(ctx, &rec->frames[n], max_bytes, BPF_F_USER_STACK);
	if (bytes > 0) {
		rec->n_user = (u32)bytes / sizeof(u64);
	} else if (task_has_user_memory()) {
		rec->flags |= STACK_USER_FAULT;
		lost_add(BPF_LOST_STACK_FAULT);
	} else {
		rec->flags |= STACK_NO_USER;
	}
}

/* Copy the frames of a walk by unwind tables to the record. */
static __always_inline void stack_take_walk(struct stack_record *rec)
{
	struct cfi_walk *w = cfi_walk(0);
	u32 n = rec->n_kernel, bytes;

	asm volatile("" : "+r"(n));
	if (!w || n > STACK_MAX_FRAMES)
		return;
	rec->user_end = w->end;
	rec->n_user = w->n;
	bytes = w->n * sizeof(u64);
	asm volatile("" : "+r"(bytes));
	if (bytes <= STACK_MAX_FRAMES * sizeof(u64))
		bpf_probe_read_kernel(&rec->frames[n], bytes, w->frames);
}

/* Copies fill at most a quarter of the ring, so that they do not cause other records to be lost. */
static __always_inline bool stack_has_copy_room(void)
{
	return bpf_ringbuf_query(&stacks, BPF_RB_AVAIL_DATA) <
	       bpf_ringbuf_query(&stacks, BPF_RB_RING_SIZE) / 4;
}

static __always_inline void stack_walk_user(void *ctx, struct stack_record *rec)
{
	u32 result = CFI_ELSE;

	rec->user_end = STACK_END_UNKNOWN;
	if (!task_may_have_user_stack()) {
		rec->flags |= STACK_NO_USER;
		return;
	}
	if (cfi_is_on)
		result = cfi_walk_stack(rec->tgid, 0);
	if (result == CFI_COPY) {
		if (stack_has_copy_room()) {
			rec->user_end = STACK_END_COPY;
			return;
		}
		cfi_give_back_copy(rec->tgid);
	}
	if (result == CFI_WALKED) {
		stack_take_walk(rec);
		return;
	}
	if (result != CFI_ELSE)
		rec->user_end = STACK_END_LATE;
	stack_walk_by_fp(ctx, rec);
}

/* Append the registers that user space needs to walk a copied stack. */
static __always_inline void stack_add_registers(struct stack_record *rec)
{
	u32 n = rec->n_kernel + rec->n_more;
	struct cfi_walk *w = cfi_walk(0);
	struct stack_registers *regs;

	if (!w || n > 2 * STACK_MAX_FRAMES)
		return;
	regs = (void *)&rec->frames[n];
	regs->at = w->start;
	regs->process_start = w->start_time;
	regs->time_ns = bpf_ktime_get_ns();
	rec->n_more += STACK_REGISTER_WORDS;
}

/* Number of words after the header. */
static __always_inline u32 stack_words(const struct stack_record *rec)
{
	return STACK_FIXED_WORDS + rec->n_kernel + rec->n_user + rec->n_more;
}

/* Complete the part of the record that its id is a hash of. */
static __always_inline void stack_complete(struct stack_record *rec)
{
	rec->generation = stack_generation;
	if (stack_is_copy(rec))
		stack_add_registers(rec);
}

/* Compute the record's id. */
static __always_inline void stack_identify(struct stack_record *rec)
{
	stack_complete(rec);
	stack_hash(rec, stack_words(rec));
}

static __always_inline void stack_fill_header(struct stack_record *rec, u32 window)
{
	rec->time_ns = bpf_ktime_get_ns();
	rec->window = window;
	rec->bytes = STACK_HEADER_BYTES + stack_words(rec) * sizeof(u64);
}

#endif
