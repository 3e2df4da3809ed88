/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records from several CPUs put in order of time: each is held for a while, so that an earlier one
 * that takes longer to arrive is shown before it.  What comes even later is given out at once and
 * said to be late.  Knows times; must not know what a record means.
 */
#ifndef EVENT_REORDER_H
#define EVENT_REORDER_H

#include "base/mem.h"
#include "base/types.h"

struct held {
	u64 time_ns, serial; /* serial: order of arrival, for equal times */
	size_t at;	     /* in `bytes` */
	u32 n;
	bool is_late;
};

struct hold {
	u64 hold_ns;
	VEC(struct held) waiting; /* in order */
	VEC(struct held) fresh;	  /* as they came */
	/* Of both, as they came; `bytes` before those of the given out were left behind. */
	VEC(u8) bytes, spare;
	size_t next;  /* of `waiting`: not given out yet */
	size_t given; /* of `bytes`: given out */
	u64 shown_ns; /* time of the last one given out */
	u64 serial, n_late;
};

void hold_init(struct hold *h, u64 hold_ns);
void hold_release(struct hold *h);

/* The bytes are copied (aligned to 8); the copy may be written to until the next call. */
void *hold_add(struct hold *h, u64 time_ns, const void *data, size_t n);

/* The next record from before `until_ns` - hold_ns, in order; NULL: none (yet).  UINT64_MAX: all.
 * Valid until the next call of hold_add. */
void *hold_next(struct hold *h, u64 until_ns, size_t *n, bool *is_late);

/* All that is held, in no order. */
void hold_for_each(struct hold *h, void (*visit)(void *ctx, void *record), void *ctx);

/* Bytes held: the user bounds them by asking with UINT64_MAX. */
size_t hold_bytes(const struct hold *h);

#endif
