/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads BPF ring buffers, one for all CPUs or one per CPU, in bounded passes.  libbpf's reader does
 * not return as long as programs write faster than it reads, and does not read the other rings
 * during that time.
 */
#ifndef RUN_RING_H
#define RUN_RING_H

#include "base/err.h"
#include "base/mem.h"
#include "base/types.h"

/* Called with each record, which is valid during the call only.  Returns false to end the pass
 * after that record. */
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
	VEC(u8) current; /* the record that `take` has, because it may set others aside */
	VEC(u8) aside; /* records that are read before those in the rings, each after its length */
	size_t aside_at; /* those before it have been read */
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

/* One pass over all rings: from each ring, reads the records that are in it when the pass reaches
 * it.  Stops when now_ns() is `until_ns`, but reads at least one record.  Returns true if no such
 * record was left. */
bool rings_read(struct rings *r, u64 until_ns);

/* Move the records in the rings to memory (2 MiB at most), which makes room in the rings while the
 * caller of rings_read waits in `take`. */
void rings_set_aside(struct rings *r);

/* true if no ring is more than half full. */
bool rings_have_room(const struct rings *r);

/* Discard the records that are in the rings; returns their number. */
u64 rings_skip(struct rings *r);

#endif
