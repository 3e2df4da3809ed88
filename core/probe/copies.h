/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Walks the user stacks of probes that arrive as copies of stack memory (bpf/probe_walk.bpf.h).  A
 * copy is a key or a saved value, or it waits for its event, which follows it in the ring.
 */
#ifndef PROBE_COPIES_H
#define PROBE_COPIES_H

#include "bpf/abi/event.h"
#include "stack/unwinding.h"

/* The number of copies that can wait for their events.  Only records of other CPUs come between a
 * copy and its event. */
#define COPIES_WAITING 64

struct copied {
	u64 time_ns; /* time of its event; 0: none */
	u32 cpu, probe;
	u32 n;
	enum stack_end end;
	u64 frames[EVENT_MAX_FRAMES];
};

struct copies {
	struct unwinding *unwinding; /* borrowed */
	struct copied *waiting;	     /* COPIES_WAITING entries; NULL: no copy came yet */
	u32 next;		     /* where the next one is put: it replaces the oldest */
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

/* Walk a record with EVENT_IS_COPY.  The side band up to its time must have been applied.  Returns
 * the stack if the copy is a key or a value, valid until the next call; NULL: the copy waits for
 * its event, or is broken. */
const struct event_stack *copies_take(struct copies *c, const struct event *rec, size_t size);

/* Returns a copy of an event that ends with STACK_END_COPY, with the frames of its stack added; the
 * caller frees it. */
struct event *copies_join(struct copies *c, const struct event *e);

#endif
