// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "run/ring.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"

/* Before each record: its length with two flags, and its page offset (BPF_RINGBUF_HDR_SZ). */
#define HEADER_BYTES 8

int rings_init(struct rings *r, ring_take_fn take, void *ctx, struct err *err)
{
	*r = (struct rings){ .take = take, .ctx = ctx, .epoll_fd = epoll_create1(EPOLL_CLOEXEC) };
	return r->epoll_fd < 0 ? err_errno(err, errno, "cannot watch the ring buffer") : 0;
}

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static int map(struct ring *ring, int fd)
{
	void *consumer = mmap(NULL, page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	void *producer;

	if (consumer == MAP_FAILED)
		return -errno;
	ring->consumer = consumer;
	/* The kernel offers to map the data twice in a row, so that no record wraps; but both
	 * mappings would count as resident memory. */
	producer = mmap(NULL, page_bytes() + ring->bytes, PROT_READ, MAP_SHARED, fd,
			(off_t)page_bytes());
	if (producer == MAP_FAILED)
		return -errno;
	ring->producer = producer;
	ring->data = (const u8 *)producer + page_bytes();
	return 0;
}

static void unmap(struct ring *ring)
{
	if (ring->consumer)
		munmap(ring->consumer, page_bytes());
	if (ring->producer)
		munmap((void *)(uintptr_t)ring->producer, page_bytes() + ring->bytes);
}

int rings_add(struct rings *r, int map_fd, struct err *err)
{
	struct epoll_event ev = { .events = EPOLLIN };
	struct bpf_map_info info = { 0 };
	u32 n = sizeof(info);
	struct ring ring = { 0 };
	int ret = 0;

	if (bpf_obj_get_info_by_fd(map_fd, &info, &n))
		return err_errno(err, errno, "cannot read the ring buffer");
	ring.bytes = info.max_entries;
	ret = map(&ring, map_fd);
	if (!ret && epoll_ctl(r->epoll_fd, EPOLL_CTL_ADD, map_fd, &ev))
		ret = -errno;
	if (ret) {
		unmap(&ring);
		return err_errno(err, -ret, "cannot read the ring buffer");
	}
	vec_push(&r->v, ring);
	return 0;
}

void rings_release(struct rings *r)
{
	struct ring *ring;

	if (!r->take)
		return;
	vec_for_each(ring, &r->v)
		unmap(ring);
	vec_release(&r->v);
	vec_release(&r->wrapped);
	if (r->epoll_fd >= 0)
		close(r->epoll_fd);
	r->take = NULL;
}

int rings_fd(const struct rings *r)
{
	return r->epoll_fd;
}

/* The next record before `end`; false: there is none, or it is still being written. */
static bool next(const struct ring *ring, u64 end, u32 *len)
{
	u64 at = *ring->consumer;

	if (at >= end)
		return false;
	*len = __atomic_load_n((const u32 *)(const void *)(ring->data + (at & (ring->bytes - 1))),
			       __ATOMIC_ACQUIRE);
	return !(*len & BPF_RINGBUF_BUSY_BIT);
}

static u32 length_of(u32 len)
{
	return len & ~(u32)(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
}

/* The bytes of the next record, in one piece. */
static const u8 *record_of(struct rings *r, const struct ring *ring, u32 len)
{
	u64 at = (*ring->consumer + HEADER_BYTES) & (ring->bytes - 1);
	u64 n = length_of(len), before = ring->bytes - at;

	if (n <= before)
		return ring->data + at;
	vec_reserve(&r->wrapped, n);
	memcpy(r->wrapped.items, ring->data + at, before);
	memcpy(r->wrapped.items + before, ring->data, n - before);
	return r->wrapped.items;
}

/* Release the record's space. */
static void leave(const struct ring *ring, u32 len)
{
	u64 bytes = (length_of(len) + HEADER_BYTES + 7) / 8 * 8;

	__atomic_store_n(ring->consumer, *ring->consumer + bytes, __ATOMIC_RELEASE);
}

/* Returns false if the pass must end. */
static bool read_one(struct rings *r, const struct ring *ring, u64 until_ns)
{
	u64 end = __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE);
	bool goes_on = true;
	u32 len;

	while (goes_on && next(ring, end, &len)) {
		if (!(len & BPF_RINGBUF_DISCARD_BIT))
			goes_on = r->take(r->ctx, record_of(r, ring, len), length_of(len)) &&
				  now_ns() < until_ns;
		leave(ring, len);
	}
	return goes_on;
}

bool rings_read(struct rings *r, u64 until_ns)
{
	size_t first = r->first;

	for (size_t i = 0; i < r->v.n; i++) {
		r->first = (first + i + 1) % r->v.n;
		if (!read_one(r, &r->v.items[(first + i) % r->v.n], until_ns))
			return false;
	}
	return true;
}

bool rings_have_room(const struct rings *r)
{
	const struct ring *ring;

	vec_for_each(ring, &r->v)
		if (__atomic_load_n(ring->producer, __ATOMIC_ACQUIRE) - *ring->consumer >
		    ring->bytes / 2)
			return false;
	return true;
}

u64 rings_skip(struct rings *r)
{
	struct ring *ring;
	u64 n = 0;
	u32 len;

	vec_for_each(ring, &r->v) {
		u64 end = __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE);

		for (; next(ring, end, &len); leave(ring, len))
			n += !(len & BPF_RINGBUF_DISCARD_BIT);
	}
	return n;
}
