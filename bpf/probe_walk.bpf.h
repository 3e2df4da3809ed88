/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * User stacks of probes by call frame information (bpf/cfi.bpf.h).  Included by probe.bpf.c, for
 * its ring, header and seeds.
 *
 * Since 6.0 uprobe programs can be preempted, and a probe may be hit inside another one, so each
 * walk has the number of its scratch slot.
 */
#ifndef BPF_PROBE_WALK_BPF_H
#define BPF_PROBE_WALK_BPF_H

#define COPY_BYTES EVENT_COPY_BYTES

#include "cfi.bpf.h"
#include "copy.bpf.h"

/* Per CPU: a buffer for each slot would take too much memory. */
#define COPY_BUFFERS 4

/* A buffer into which a stack is copied; copy_place() explains `room`. */
struct event_copying {
	u64 busy;
	struct event_copy copy;
	u8 room[COPY_PAGE_BYTES];
	u64 n_words; /* copied */
	u64 address_mask;
};

/* The number of further copies that may be made only to find that user space has the same stack
 * already, until user space sets this again, ten times a second.  A copy takes some 5 us. */
s64 event_repeats_left = 0;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, COPY_BUFFERS);
	__type(key, u32);
	__type(value, struct event_copying);
} event_copyings SEC(".maps");

/* The addition's result is not used, because 5.10 has no instruction for that.  If two programs
 * want a buffer at the same time, both may therefore fail to get it. */
static __always_inline struct event_copying *take_buffer(u32 *number)
{
	for (u32 i = 0; i < COPY_BUFFERS; i++) {
		u32 key = i;
		struct event_copying *c = bpf_map_lookup_elem(&event_copyings, &key);

		if (!c)
			return NULL;
		__sync_fetch_and_add(&c->busy, 1);
		*number = i;
		if (*(volatile u64 *)&c->busy == 1)
			return c;
		__sync_fetch_and_add(&c->busy, -1);
	}
	return NULL;
}

static __always_inline u8 *copy_place(u32 number)
{
	struct event_copying *c = bpf_map_lookup_elem(&event_copyings, &number);

	return c ? c->copy.bytes : NULL;
}

/* ---- which copies are the same ---- */

#define PRINT_CHUNK 8
#define PRINT_PLACE (1ULL << 63) /* no address of user space */
#define COPY_WORDS  (COPY_BYTES / 8)

/*
 * Two stacks are the same if they are at the same instruction, and if two kinds of words are equal
 * and in the same positions in both (registers and stack): addresses of code after a call, and
 * addresses in the stack.  All return addresses and frame pointers are among those; other words
 * differ from call to call.  Addresses in the stack are taken relative to the stack pointer, so
 * that threads that do the same have one stack.
 */
#ifdef __TARGET_ARCH_x86
#define PRINT_BITS 47
#define RESTORER   0x0f0000000fc0c748ULL /* mov $15, %rax; syscall: returns from a signal */

/* 0: a `call *MODRM` of any length has its first byte at byte i. */
static __always_inline u64 not_call_at(u64 code, u32 i)
{
	return (code >> 8 * i & 0x38ff) ^ 0x10ff;
}

static __always_inline u64 print_code(u64 word)
{
	u64 code[2]; /* the 8 bytes before the address, and from it on */

	/* Assume that this is code that is not in memory now. */
	if (bpf_probe_read_user(code, sizeof(code), (void *)(word - sizeof(u64))))
		return word;
	/* The address at which a signal interrupted the thread need not be after a call: the id
	 * becomes unique. */
	if (code[1] == RESTORER)
		return bpf_ktime_get_ns();
	if ((code[0] >> 24 & 0xff) == 0xe8)
		return word;
	if (!not_call_at(code[0], 6) || !not_call_at(code[0], 5) || !not_call_at(code[0], 4) ||
	    !not_call_at(code[0], 2) || !not_call_at(code[0], 1))
		return word;
	return 0;
}
#else
#define PRINT_BITS 55 /* addresses of libraries and stacks have 48 bits, signed ones 7 more */

static __always_inline u64 print_code(u64 word)
{
	return word;
}
#endif

static __always_inline u64 print_of(const struct event_copying *c, u64 word)
{
	u64 at;

	if (word < 65536 || word >> PRINT_BITS)
		return 0;
	word = regs_address(word, c->address_mask);
	at = word - c->copy.regs.at.sp;
	return at < COPY_BYTES ? PRINT_PLACE | at : print_code(word);
}

/* Add some words of the copy to its id, in the manner of hash_words(). */
__noinline int event_print_chunk(u32 number, u32 first);
__noinline int event_print_chunk(u32 number, u32 first)
{
	struct event_copying *c = bpf_map_lookup_elem(&event_copyings, &number);
	const u64 *words;
	u64 a, b;

	if (!c)
		return 0;
	words = (const u64 *)c->copy.bytes;
	a = c->copy.id[0];
	b = c->copy.id[1];
	for (u32 i = 0; i < PRINT_CHUNK; i++) {
		u64 w;

		if (first + i >= c->n_words)
			break;
		w = print_of(c, words[(first + i) & (COPY_WORDS - 1)]);
		a = (a ^ w) * 0x9fb21c651e98df25ULL;
		b = (b + w) * 0xd6e8feb86659fd93ULL;
		a ^= a >> 32;
		b ^= b >> 29;
	}
	c->copy.id[0] = a;
	c->copy.id[1] = b;
	return 0;
}

static __always_inline void print_copy(struct event_copying *c, u32 number, u32 bytes)
{
	const struct cfi_registers *at = &c->copy.regs.at;
	const u64 regs[] = { at->pc, print_of(c, at->fp), print_of(c, at->other) };
	u64 id[2];

	c->n_words = bytes / 8;
	hash_words(regs, 3, 3, stack_seed[0] ^ program_id(),
		   stack_seed[1] ^ (u64)stack_generation << 8, id);
	c->copy.id[0] = id[0];
	c->copy.id[1] = id[1];
	for (u32 i = 0; i < COPY_WORDS / PRINT_CHUNK; i++) {
		if (i * PRINT_CHUNK >= c->n_words)
			break;
		event_print_chunk(number, i * PRINT_CHUNK);
	}
}

/* User space has this stack already: the copy is given back to cfi_copies_left, but not to the
 * limit of the process, because the table that it waits for may never come. */
static __always_inline bool is_repeat(const struct event_copying *c)
{
	if (!bpf_map_lookup_elem(&stacks_sent, c->copy.id))
		return false;
	if (event_repeats_left <= 0)
		return true;
	__sync_fetch_and_add(&event_repeats_left, -1);
	__sync_fetch_and_add(&cfi_copies_left, 1);
	return true;
}

/* ---- sending them ---- */

/* Copies fill at most a quarter of the ring, so that they do not cause events to be lost. */
static __always_inline bool has_copy_room(void *ring)
{
	return bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) <
	       bpf_ringbuf_query(ring, BPF_RB_RING_SIZE) / 4;
}

/* Send it at once: the process may end before user space has read its mappings. */
static __always_inline bool output_copy(void *data, u64 bytes)
{
	u32 cpu;
	void *ring;

	if (!n_rings)
		return has_copy_room(&events) &&
		       !bpf_ringbuf_output(&events, data, bytes, BPF_RB_FORCE_WAKEUP);
	cpu = bpf_get_smp_processor_id();
	ring = bpf_map_lookup_elem(&rings, &cpu);
	return ring && has_copy_room(ring) &&
	       !bpf_ringbuf_output(ring, data, bytes, BPF_RB_FORCE_WAKEUP);
}

/* A stack is marked as sent only after it was sent: if there was no room for it, it must be sent
 * again. */
static __always_inline bool send_copied(struct event_copying *c, u32 number, u32 copied, u64 is_key)
{
	u64 bytes = __builtin_offsetof(struct event_copy, bytes) + copied;
	u32 one = 1;

	if (is_key) {
		print_copy(c, number, copied);
		if (is_repeat(c))
			return true;
	}
	c->copy.event.bytes = bytes;
	asm volatile("" : "+r"(bytes));
	if (bytes > sizeof(c->copy) || !output_copy(&c->copy, bytes))
		return false;
	if (is_key)
		bpf_map_update_elem(&stacks_sent, c->copy.id, &one, BPF_ANY);
	return true;
}

static __always_inline bool send_copy(struct scratch *s, u64 is_key)
{
	struct cfi_walk *w = cfi_walk(s->slot);
	struct event_copying *c;
	u32 number = 0;
	bool is_sent;

	if (!w)
		return false;
	c = take_buffer(&number);
	if (!c)
		return false;
	fill_header(&c->copy.event, s->probe);
	c->copy.event.time_ns = s->start_ns;
	c->copy.event.flags = is_key ? EVENT_IS_COPY | EVENT_IS_STACK : EVENT_IS_COPY;
	c->copy.exec_id = TASK_READ(task_current(), self_exec_id);
	c->copy.event.exec_id = (u16)c->copy.exec_id;
	c->copy.regs.at = w->start;
	c->address_mask = w->address_mask;
	c->copy.regs.process_start = w->start_time;
	c->copy.regs.time_ns = bpf_ktime_get_ns();
	c->copy.generation = stack_generation;
	is_sent = send_copied(c, number, copy_user_pages(w->start.sp, number), is_key);
	s->stack.id[0] = c->copy.id[0];
	s->stack.id[1] = c->copy.id[1];
	__sync_fetch_and_add(&c->busy, -1);
	return is_sent;
}

/* The frames go to s->stack.frames, their number to s->used. */
static __always_inline u64 take_frames(struct scratch *s)
{
	struct cfi_walk *w = cfi_walk(s->slot);
	u32 bytes;

	if (!w)
		return 0;
	bytes = w->n * sizeof(u64);
	asm volatile("" : "+r"(bytes));
	if (bytes > EVENT_MAX_FRAMES * sizeof(u64))
		return 0;
	bpf_probe_read_kernel(s->stack.frames, bytes, w->frames);
	s->used = w->n;
	return FIXED_SEND_WALKED | (u64)w->end << EVENT_END_SHIFT;
}

FIXED_FN u64 fixed_walk(struct scratch *s, u64 is_key)
{
	u32 tgid, result;

	if (!s || !cfi_is_on || !task_may_have_user_stack())
		return 0;
	tgid = current_ids() >> 32;
	result = cfi_walk_stack(tgid, s->slot);
	if (result == CFI_WALKED)
		return take_frames(s);
	if (result == CFI_COPY && send_copy(s, is_key)) {
		s->used = 0;
		return FIXED_SEND_WALKED | STACK_END_COPY << EVENT_END_SHIFT;
	}
	if (result == CFI_COPY)
		cfi_give_back_copy(tgid);
	return result == CFI_ELSE ? 0 : STACK_END_LATE << EVENT_END_SHIFT;
}

#endif
