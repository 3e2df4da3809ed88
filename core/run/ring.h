/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads BPF ring buffers, one or one per CPU, in bounded passes. libbpf's reader continues for as
 * long as programs write faster than it reads, and reads no other ring meanwhile.
 */
#ifndef RUN_RING_H
#define RUN_RING_H

#include "base/err.h"
#include "base/mem.h"
#include "base/types.h"

/* Called with each record, which is valid during the call only.  Returns false to end the pass
 * after it. */
typedef bool (*ring_take_fn)(void *ctx, const void *data, size_t size);

struct ring {
	u64 *consumer;	     /* a page of its own, writable */
	const u64 *producer; /* a page of its own, then the data */
	const u8 *data;
	u64 bytes; /* size of the data; a power of 2 */
};

struct rings {
	VEC(struct ring) v;
	ring_take_fn take;
	void *ctx;
	VEC(u8) wrapped; /* copy of a record that goes on at the start of its ring */
	size_t first; /* where the next pass begins, so that no ring has to wait for the others */
	int epoll_fd;
};

int rings_init(struct rings *r, ring_take_fn take, void *ctx, struct err *err);
/* Add a map of type BPF_MAP_TYPE_RINGBUF; the caller keeps the descriptor. */
int rings_add(struct rings *r, int map_fd, struct err *err);
/* May be called on zero-initialized rings. */
void rings_release(struct rings *r);

/* Readable if there are records. */
int rings_fd(const struct rings *r);

/* One pass over all rings: reads what is in each when the pass reaches it, until now_ns() is
 * `until_ns`, but at least one record.  Returns true if all of that was read. */
bool rings_read(struct rings *r, u64 until_ns);

/* True if no ring is more than half full. */
bool rings_have_room(const struct rings *r);

/* Discard the records that are there; returns their number. */
u64 rings_skip(struct rings *r);

#endif
