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
#define ASIDE_BYTES  (2 << 20)

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
	vec_release(&r->current);
	vec_release(&r->aside);
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

/* The next record, which may continue at the start of its ring, to `out`. */
static void copy_record(const struct ring *ring, u32 n, u8 *out)
{
	u64 at = (*ring->consumer + HEADER_BYTES) & (ring->bytes - 1);
	u64 before = ring->bytes - at;

	if (before > n)
		before = n;
	memcpy(out, ring->data + at, before);
	memcpy(out + before, ring->data, n - before);
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
		u32 n = length_of(len);

		vec_reserve(&r->current, n);
		copy_record(ring, n, r->current.items);
		leave(ring, len);
		if (!(len & BPF_RINGBUF_DISCARD_BIT))
			goes_on = r->take(r->ctx, r->current.items, n) && now_ns() < until_ns;
	}
	return goes_on;
}

/* ---- records set aside ---- */

/* Each record has its length before it, and is aligned as in a ring. */
static size_t aside_bytes(u32 n)
{
	return HEADER_BYTES + (n + 7) / 8 * 8;
}

static void set_aside(struct rings *r, const struct ring *ring, u32 n)
{
	u8 *to;

	vec_reserve(&r->aside, aside_bytes(n));
	to = r->aside.items + r->aside.n;
	memcpy(to, &n, sizeof(n));
	copy_record(ring, n, to + HEADER_BYTES);
	r->aside.n += aside_bytes(n);
}

void rings_set_aside(struct rings *r)
{
	struct ring *ring;
	u32 len;

	vec_for_each(ring, &r->v) {
		u64 end = __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE);

		for (; next(ring, end, &len); leave(ring, len)) {
			if (r->aside.n + aside_bytes(length_of(len)) > ASIDE_BYTES)
				return;
			if (!(len & BPF_RINGBUF_DISCARD_BIT))
				set_aside(r, ring, length_of(len));
		}
	}
}

/* The length of the next record that was set aside; false: there is none. */
static bool next_aside(const struct rings *r, u32 *n)
{
	if (r->aside_at == r->aside.n)
		return false;
	memcpy(n, r->aside.items + r->aside_at, sizeof(*n));
	return true;
}

static bool read_aside(struct rings *r, u64 until_ns)
{
	bool goes_on = true;
	u32 n;

	while (goes_on && next_aside(r, &n)) {
		vec_reserve(&r->current, n);
		memcpy(r->current.items, r->aside.items + r->aside_at + HEADER_BYTES, n);
		r->aside_at += aside_bytes(n);
		goes_on = r->take(r->ctx, r->current.items, n) && now_ns() < until_ns;
	}
	if (r->aside_at == r->aside.n) {
		vec_release(&r->aside);
		r->aside_at = 0;
	}
	return goes_on;
}

bool rings_read(struct rings *r, u64 until_ns)
{
	size_t first = r->first;

	if (!read_aside(r, until_ns))
		return false;
	for (size_t i = 0; i < r->v.n; i++) {
		r->first = (first + i + 1) % r->v.n;
		if (!read_one(r, &r->v.items[(first + i) % r->v.n], until_ns))
			return false;
	}
	/* `take` may have set records aside that were in the rings. */
	return r->aside_at == r->aside.n;
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

	for (; next_aside(r, &len); r->aside_at += aside_bytes(len))
		n++;
	vec_for_each(ring, &r->v) {
		u64 end = __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE);

		for (; next(ring, end, &len); leave(ring, len))
			n += !(len & BPF_RINGBUF_DISCARD_BIT);
	}
	return n;
}
