/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Open calls of a thread, kernel side.  Knows stack pointers; must not know what was saved.  The
 * loops here are written for the verifier: their state is in the map's value (volatile), because
 * otherwise it would follow every path through 64 rounds.
 */
#ifndef BPF_SPAN_BPF_H
#define BPF_SPAN_BPF_H

#include "bpf/abi/span.h"
#include "probe_count.bpf.h"

const volatile u32 n_spans = 0; /* set before loading */

/* Open calls.  Preallocated, because compiled probes also run where memory cannot be allocated. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct span_thread);
	__type(value, struct span_frames);
} frames SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(struct span_slot));
	__uint(value_size, sizeof(struct span_record));
} saved SEC(".maps");

static const struct span_frames no_frames = {};

/*
 * Two addresses this close are on the same stack: the kernel's, which has this size (THREAD_SIZE),
 * or that of a thread, which is larger.  Interrupts, signals and coroutines have stacks of their
 * own.  One test of one number is enough, since a free slot (0) and calls that are less deep are
 * both far away; and the verifier immediately forgets what it learns from the test.
 */
#define STACK_REACH (16 * 1024)

/* 1 if x is 0, else 0, without a jump: in the loops below, each jump would give the verifier two
 * paths to follow in each of 64 rounds, 20 ms in all. */
static __always_inline u64 is_zero(u64 x)
{
	u64 minus = -x, sign;

	/* Keeps clang from turning it into a comparison. */
	asm volatile("" : "+r"(minus));
	sign = (x | minus) >> 63;
	asm volatile("" : "+r"(sign));
	return sign ^ 1;
}

/* The values saved by a stale call stay in its slot until the slot is used again or the thread
 * ends. */
static __always_inline void count_stale(u32 span, u64 stale)
{
	struct probe_count *count;

	if (!stale)
		return;
	count = bpf_map_lookup_elem(&probe_counts, &span);
	if (count)
		__sync_fetch_and_add(&count->missed, stale);
}

/*
 * The stack grows down: calls deeper than a new one have never returned.
 *
 * An open call at the same stack pointer may be the caller of the new one: a tail call (f: jmp g)
 * passes the caller's frame on, and later both returns are seen one right after the other, the last
 * call's first.  Or the open call never returned (longjmp).  If the last event was a return from
 * that stack pointer, it never returned, because its return would have followed at once.  Otherwise
 * it stays until a call that is less deep returns, or until there is no room.
 */
FIXED_FN u64 fixed_frame_push(u32 span, u64 sp)
{
	struct span_thread key = { .tid = (u32)bpf_get_current_pid_tgid(), .span = span };
	volatile struct span_frames *f = bpf_map_lookup_elem(&frames, &key);
	u64 slot;

	if (!f) {
		bpf_map_update_elem(&frames, &key, &no_frames, BPF_NOEXIST);
		f = bpf_map_lookup_elem(&frames, &key);
		if (!f) {
			COUNT(span, map_full);
			return 0;
		}
	}
	f->found = f->n;
	f->stale = 0;
	/* True if calls at the same stack pointer are stale. */
	f->left = is_zero(f->popped - sp) | is_zero(f->n - SPAN_MAX_DEPTH);
	f->popped = 0;
	for (u32 i = 0; i < SPAN_MAX_DEPTH; i++) {
		u64 was, near, before;

		if (i >= f->n)
			break;
		was = f->sp[i];
		near = is_zero((sp - was) / STACK_REACH) & (f->left | (is_zero(sp - was) ^ 1));
		was &= near - 1;
		f->sp[i] = was;
		f->stale += near;
		/* The first free one. */
		before = i - f->found;
		f->found += before & -(is_zero(was) & before >> 63);
	}
	count_stale(span, f->stale);
	slot = f->found;
	if (slot >= SPAN_MAX_DEPTH) {
		COUNT(span, too_deep);
		return 0;
	}
	f->sp[slot] = sp;
	slot++;
	if (f->n < slot)
		f->n = slot;
	if (f->high < slot)
		f->high = slot;
	return slot;
}

FIXED_FN u64 fixed_frame_pop(u32 span, u64 sp)
{
	struct span_thread key = { .tid = (u32)bpf_get_current_pid_tgid(), .span = span };
	volatile struct span_frames *f = bpf_map_lookup_elem(&frames, &key);
	u64 slot;

	if (!f) {
		COUNT(span, no_start);
		return 0;
	}
	f->found = f->left = f->stale = 0;
	for (u32 i = 0; i < SPAN_MAX_DEPTH; i++) {
		u64 was, below, near, is_it;

		if (i >= f->n)
			break;
		was = f->sp[i];
		below = sp - was;
		is_it = is_zero(below);
		near = is_zero(below / STACK_REACH) ^ is_it;
		/* The last one at sp. */
		f->found = (f->found & (is_it - 1)) | (-is_it & (i + 1));
		f->stale += near;
		was &= near - 1;
		f->sp[i] = was;
		/* The last slot in use. */
		f->left = (f->left & -is_zero(was)) | ((i + 1) & (is_zero(was) - 1));
	}
	slot = f->found;
	f->popped = sp;
	count_stale(span, f->stale);
	if (!slot || slot > SPAN_MAX_DEPTH) {
		f->n = f->left;
		COUNT(span, no_start);
		return 0;
	}
	f->sp[slot - 1] = 0;
	/* If the slot was the last one in use, n is one less. */
	f->n = f->left - is_zero(f->left - slot);
	return slot;
}

/* Delete the record of a system call; a thread is in one at a time. */
static __always_inline void forget_single(struct span_slot *slot)
{
	struct span_record *record = bpf_map_lookup_elem(&saved, slot);

	if (!record)
		return;
	count_stale(slot->span, record->start_ns != 0);
	bpf_map_delete_elem(&saved, slot);
}

/* Clean up the calls that a thread has left open when it ends. */
SEC("raw_tp/sched_process_exit")
int probe_on_exit(struct bpf_raw_tracepoint_args *ctx)
{
	struct span_thread key = { .tid = (u32)bpf_get_current_pid_tgid() };
	struct span_slot slot = {};
	u32 task = bpf_get_current_task() >> SPAN_TASK_SHIFT;

	for (u32 span = 0; span < EVENT_MAX_SPANS && span < n_spans; span++) {
		volatile struct span_frames *f;

		key.span = span;
		slot.span = span;
		slot.depth = 0;
		f = bpf_map_lookup_elem(&frames, &key);
		slot.thread = f ? key.tid : task;
		if (!f) {
			forget_single(&slot);
			continue;
		}
		f->stale = 0;
		for (u32 i = 0; i < SPAN_MAX_DEPTH; i++) {
			if (i >= f->high)
				break;
			slot.depth = i;
			bpf_map_delete_elem(&saved, &slot);
			f->stale += is_zero(f->sp[i]) ^ 1;
		}
		count_stale(span, f->stale);
		bpf_map_delete_elem(&frames, &key);
	}
	return 0;
}

#endif
