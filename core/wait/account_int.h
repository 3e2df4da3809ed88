/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the files that count intervals: they look up the def of an identity, divide time
 * between windows, and track up to which time each thread has been counted.  Pointers to defs,
 * values, credits and sleepers are valid until another one is added.  Private to core/wait.
 */
#ifndef WAIT_ACCOUNT_INT_H
#define WAIT_ACCOUNT_INT_H

#include "wait/intervals.h"

static inline u64 max_of(u64 a, u64 b)
{
	return a > b ? a : b;
}

static inline u64 min_of(u64 a, u64 b)
{
	return a < b ? a : b;
}

/* Bounds and weight for counting an interval: time before `from` has been counted already. */
struct wait_stretch {
	u64 from, weight;
	bool is_whole; /* the thread is blocked for the whole window */
};

/* The owner of an entry of the store. */
static inline const struct store_owner *waits_owner(const struct waits *w, u32 entry)
{
	return &w->store->owners.items[w->store->entries.items[entry].owner];
}

/* The stack's entry in the store; that of lost stacks if it has not arrived. */
u32 waits_entry_of(struct waits *w, const struct stack_id *id);
/* The def with this id; NULL: none. */
struct wait_def *waits_find_def(struct waits *w, const u64 id[2]);
/* For identities that only user space knows: waits with a waiter of their own. */
struct wait_def *waits_def_of(struct waits *w, u32 waiter, const struct wait_link *links, u32 n,
			      u8 end);
struct wait_def *waits_def_of_record(struct waits *w, const struct wait_record *rec);
/* The def's values for the window that contains this time. */
struct wait_values *waits_values_at(struct waits *w, struct wait_def *d, u64 ns);
void waits_add_part(struct waits *w, struct wait_def *d, const struct wait_stretch *s, u64 from,
		    u64 to, enum wait_part part);
/* With want_path: add time to the def's link. */
void waits_add_path(struct waits *w, struct wait_def *d, const struct wait_stretch *s, u64 from,
		    u64 to, u32 link);
/* For --sample, without split: add the square of a wait's whole time. */
void waits_add_whole_square(struct waits *w, struct wait_def *d, const struct wait_stretch *s,
			    u64 from, u64 to);
/* The values of threads that were in this wait for the whole window; NULL: there are none. */
struct wait_values *waits_whole_of(const struct waits *w, const struct wait_def *d);
/* The values to which time and waits of this window are added. */
struct wait_values *waits_window_of(struct waits *w, struct wait_def *d,
				    const struct wait_stretch *s);
struct wait_sleeper *waits_find_sleeper(struct waits *w, u32 pid, u64 start_time);
/* The credit that covers part of this interval; NULL: none. */
struct wait_credit *waits_credit_of(struct waits *w, u32 pid, u64 start_time, u64 off_ns,
				    u64 on_ns);
/* Start of the part of an interval that has not been counted yet. */
u64 waits_uncounted_from(struct waits *w, u32 pid, u64 start_time, u64 off_ns, u64 on_ns);
struct wait_credit *waits_set_credit(struct waits *w, u32 pid, u64 start_time, u64 off_ns);
/* The kernel side reports this thread from now on. */
void waits_know_thread(struct waits *w, u32 pid, u64 start_time);

#endif
