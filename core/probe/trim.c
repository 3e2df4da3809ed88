// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "probe/trim.h"

/* METHODS_CALLED: the kernel calls the program through functions that are then on the stack.
 * METHODS_RECORD: the program gets a record, together with the registers of the call. */
#define METHODS_CALLED \
	(1U << ATTACH_RAW_TP | 1U << ATTACH_TP_BTF | 1U << ATTACH_SYSCALL_RAW | 1U << ATTACH_FENTRY)
#define METHODS_RECORD (1U << ATTACH_TRACEPOINT | 1U << ATTACH_SYSCALL_EVENT)

/* The methods of a probe; if there are several, the stack shows which one was used. */
static u32 methods_of(const struct probe *probe)
{
	u32 methods = 0;

	part_for_each(part, probe)
		methods |= 1U << part->plan->method;
	return methods;
}

static void know_landmarks(struct own_frames *o, u64 addr)
{
	struct err ignored = { 0 };

	o->has_landmarks = true;
	if (o->kernel && o->kernel->name(o->kernel->ctx, addr))
		o->landmarks.source = o->kernel;
	else
		landmarks_read("/proc", NULL, &o->landmarks, &ignored);
}

u32 own_frames_count(struct own_frames *o, const struct probes *p, const struct event *e,
		     const u64 *frames)
{
	u32 methods, n = 0;

	if (!e->n_kernel || e->probe >= p->v.n)
		return 0;
	methods = methods_of(p->v.items[e->probe]);
	if (methods & METHODS_CALLED) {
		if (!o->has_landmarks)
			know_landmarks(o, frames[0]);
		n = landmarks_trim(&o->landmarks, frames, e->n_kernel);
	}
	if (!n && methods & METHODS_RECORD)
		n = landmarks_doubled(frames, e->n_kernel);
	return n;
}

u32 caller_insert(u64 *words, u32 n)
{
	u64 caller = n ? words[0] : 0;

	if (n < 2 || !caller || (n > 2 && words[2] == caller))
		return n != 0;
	words[0] = words[1];
	words[1] = caller;
	return 0;
}

u32 user_words_max(const struct event *e, u32 max_frames)
{
	return e->flags & EVENT_HAS_CALLER && max_frames < EVENT_MAX_FRAMES ? max_frames + 1
									    : max_frames;
}

void own_frames_release(struct own_frames *o)
{
	landmarks_release(&o->landmarks);
}
