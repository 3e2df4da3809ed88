/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * User stacks of probes that came as copies (bpf/probe_walk.bpf.h), walked here: a stack that is a
 * key or a saved value, or one that waits for its event, which follows it in the ring.
 */
#ifndef PROBE_COPIES_H
#define PROBE_COPIES_H

#include "bpf/abi/event.h"
#include "stack/unwinding.h"

/* Copies that wait for their events, which follow them but for records of other CPUs. */
#define COPIES_WAITING 64

struct copied {
	u64 time_ns; /* its event's; 0: none */
	u32 cpu, probe;
	u32 n;
	enum stack_end end;
	u64 frames[EVENT_MAX_FRAMES];
};

struct copies {
	struct unwinding *unwinding; /* borrowed */
	struct copied *waiting;	     /* COPIES_WAITING; NULL: there was none yet */
	u32 next;		     /* where the next one is put: the oldest goes */
	struct event_stack stack;    /* the last one that was walked */
};

void copies_release(struct copies *c);

static inline bool copies_is_copy(const struct event *e)
{
	return e->flags & EVENT_IS_COPY;
}

/* How an event's user stack ends. */
static inline enum stack_end event_end(const struct event *e)
{
	return (enum stack_end)((e->flags & EVENT_END) >> EVENT_END_SHIFT);
}

/* Walk a record with EVENT_IS_COPY, once the side band up to its time was applied.  Returns the
 * stack that it is, valid until the next call; NULL: it waits for its event, or is broken. */
const struct event_stack *copies_take(struct copies *c, const struct event *rec, size_t size);

/* An event that ends with STACK_END_COPY, with its frames: the caller frees it. */
struct event *copies_join(struct copies *c, const struct event *e);

#endif
