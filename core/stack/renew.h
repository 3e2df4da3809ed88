/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Bounds the memory of runs with many reports.
 *
 * The kernel side sends a stack once, so user space may forget it only after the kernel side has.
 * Stack ids depend on a generation (struct stack_record, struct event_stack).  When many stacks
 * have not been met for some reports, the generation is incremented.  All stacks that occur from
 * then on are sent again, and two reports later the counters of the old ids are final.
 */
#ifndef STACK_RENEW_H
#define STACK_RENEW_H

#include "stack/store.h"

struct renewal {
	u32 *generation;    /* assigned to new ids; in the kernel side's .bss */
	u64 begun_ns;	    /* when it was last incremented */
	u64 settled_ns;	    /* when generations[] were last set */
	u32 generations[2]; /* the generation at the last report but one, and at the last one */
	size_t known_after; /* size of the symbolizer after the store last forgot */
};

/* Have all stacks sent again from now on. */
void renewal_begin(struct renewal *r, u64 now);

/* Call it from time to time: a stack is sent once, and resolved with the mappings of that time, so
 * all stacks must be sent again when code was replaced. */
void renewal_tick(struct renewal *r, struct symbolizer *sym, u64 now);

/* Call it after each report that is neither a snapshot nor the last one: the store's entries get
 * older.  true: call store_forget(), for ids made before generation *settled, and then
 * renewal_end(). */
bool renewal_is_due(struct renewal *r, struct store *s, u32 *settled);
void renewal_end(struct renewal *r, const struct store *s);

#endif
