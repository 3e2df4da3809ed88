/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * BPF ring buffers, one or one for each CPU, read in passes that end.  libbpf's reader goes on as
 * long as programs write faster than it reads, and looks at no other ring meanwhile.
 */
#ifndef RUN_RING_H
#define RUN_RING_H

#include "base/err.h"
#include "base/mem.h"
#include "base/types.h"

/* Called with each record, which is valid until it returns.  false: end this pass after it. */
typedef bool (*ring_take_fn)(void *ctx, const void *data, size_t size);

struct ring {
	u64 *consumer;	     /* a page of its own, ours to write */
	const u64 *producer; /* a page of its own, then the data, mapped twice in a row */
	const u8 *data;
	u64 bytes; /* of the data; a power of 2 */
};

struct rings {
	VEC(struct ring) v;
	ring_take_fn take;
	void *ctx;
	size_t first; /* where the next pass begins: none is kept waiting by the others */
	int epoll_fd;
};

int rings_init(struct rings *r, ring_take_fn take, void *ctx, struct err *err);
/* A map of type BPF_MAP_TYPE_RINGBUF; the descriptor stays the caller's. */
int rings_add(struct rings *r, int map_fd, struct err *err);
/* Does nothing to one that was zero-initialized. */
void rings_release(struct rings *r);

/* Readable when records wait. */
int rings_fd(const struct rings *r);

/*
 * One pass over all rings: at most what lay in each when the pass came to it, and no longer than
 * until now_ns() is `until_ns`, but one record at least.  true: all of that was taken.
 */
bool rings_read(struct rings *r, u64 until_ns);

/* Leave unread what lies there.  The number of records. */
u64 rings_skip(struct rings *r);

#endif
