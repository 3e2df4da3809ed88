/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reorder buffer: puts records from several CPUs in order of time.  Each record is held for a
 * while, so that an earlier one that arrives later is still returned first.  A record that arrives
 * too late is returned at once and marked as late.  Knows times; must not know what a record means.
 */
#ifndef EVENT_REORDER_H
#define EVENT_REORDER_H

#include "base/mem.h"
#include "base/types.h"

struct reorder_item {
	u64 time_ns, serial; /* serial: order of arrival, for records with equal times */
	size_t at;	     /* offset in `bytes` */
	u32 n;
	bool is_late;
};

struct reorder {
	u64 delay_ns;
	VEC(struct reorder_item) waiting; /* sorted */
	VEC(struct reorder_item) fresh;	  /* in order of arrival */
	/* The data of all records, in order of arrival; may begin with bytes of records that were
	 * returned. */
	VEC(u8) bytes, spare;
	size_t next;  /* index in `waiting` of the next record to return */
	size_t given; /* bytes of the records that were returned */
	u64 shown_ns; /* time of the last record returned */
	u64 serial, n_late;
};

void reorder_init(struct reorder *b, u64 delay_ns);
void reorder_release(struct reorder *b);

/* Add a copy of the record (aligned to 8), which may be written to until the next call. */
void *reorder_add(struct reorder *b, u64 time_ns, const void *data, size_t n);

/* The next record older than `until_ns` - delay_ns, in order, or NULL if there is none yet.
 * UINT64_MAX: all.  Valid until the next call of reorder_add. */
void *reorder_next(struct reorder *b, u64 until_ns, size_t *n, bool *is_late);

/* Visit all held records, in no particular order. */
void reorder_visit(struct reorder *b, void (*visit)(void *ctx, void *record), void *ctx);

/* Bytes held.  The caller limits them by calling reorder_next with UINT64_MAX. */
size_t reorder_bytes(const struct reorder *b);

#endif
