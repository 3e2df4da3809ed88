// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "run/ring.h"

#include <linux/bpf.h>

#include "base/clock.h"
#include "test.h"

#define BYTES  4096
#define RECORD 16 /* with its header */

/* A ring in our own memory, as the kernel would map it, and its writer. */
struct fake {
	u64 consumer, producer;
	u8 data[BYTES] __attribute__((aligned(8)));
	struct rings rings;
	u64 n_taken, last;
	bool keeps_up; /* writes another record for each that is read */
};

static void put_flagged(struct fake *f, u64 value, u32 flags)
{
	u64 at = f->producer % BYTES;
	u32 len = sizeof(value) | flags;

	memcpy(f->data + at, &len, sizeof(len));
	memcpy(f->data + (at + 8) % BYTES, &value, sizeof(value));
	f->producer += RECORD;
}

static void put(struct fake *f, u64 value)
{
	put_flagged(f, value, 0);
}

static bool take(void *ctx, const void *data, size_t size)
{
	struct fake *f = ctx;

	CHECK_U64(size, sizeof(f->last));
	memcpy(&f->last, data, sizeof(f->last));
	f->n_taken++;
	if (f->keeps_up)
		put(f, f->n_taken);
	return true;
}

static void begin(struct fake *f)
{
	const struct ring ring = {
		.consumer = &f->consumer, .producer = &f->producer, .data = f->data, .bytes = BYTES
	};

	memset(f, 0, sizeof(*f));
	f->rings = (struct rings){ .take = take, .ctx = f, .epoll_fd = -1 };
	vec_push(&f->rings.v, ring);
}

TEST(a_pass_ends_though_a_writer_keeps_up)
{
	static struct fake f;

	begin(&f);
	f.keeps_up = true;
	for (u64 i = 0; i < 10; i++)
		put(&f, i);
	CHECK(rings_read(&f.rings, UINT64_MAX));
	CHECK_U64(f.n_taken, 10);
	CHECK_U64(f.producer - f.consumer, 10 * RECORD);
}

TEST(a_pass_that_has_no_time_takes_one_record)
{
	static struct fake f;

	begin(&f);
	put(&f, 7);
	put(&f, 8);
	CHECK(!rings_read(&f.rings, 0));
	CHECK_U64(f.last, 7);
	CHECK(!rings_read(&f.rings, 0));
	CHECK_U64(f.last, 8);
	CHECK(rings_read(&f.rings, 0));
}

TEST(a_record_that_is_being_written_is_left_with_all_after_it)
{
	static struct fake f;

	begin(&f);
	put(&f, 1);
	put_flagged(&f, 2, BPF_RINGBUF_BUSY_BIT);
	put(&f, 3);
	rings_read(&f.rings, UINT64_MAX);
	CHECK_U64(f.n_taken, 1);
	CHECK_U64(rings_skip(&f.rings), 0);
}

TEST(a_discarded_record_is_skipped)
{
	static struct fake f;

	begin(&f);
	put_flagged(&f, 1, BPF_RINGBUF_DISCARD_BIT);
	put(&f, 2);
	CHECK(rings_read(&f.rings, UINT64_MAX));
	CHECK_U64(f.n_taken, 1);
	CHECK_U64(f.last, 2);
}

TEST(records_wrap_around_the_ring)
{
	static struct fake f;

	begin(&f);
	for (u64 i = 0; i < 3 * BYTES / RECORD; i++) {
		put(&f, i);
		CHECK(rings_read(&f.rings, UINT64_MAX));
		CHECK_U64(f.last, i);
	}
}

struct text {
	const char *want;
	u64 n_taken;
};

static bool take_text(void *ctx, const void *data, size_t size)
{
	struct text *t = ctx;

	CHECK_U64(size, strlen(t->want));
	CHECK(!memcmp(data, t->want, size));
	t->n_taken++;
	return true;
}

/* At each place where the ring's end can be in a record. */
TEST(a_record_over_the_end_of_the_ring_is_whole)
{
	static const char want[] = "a record of forty bytes, in five words..";
	static struct fake f;
	struct text t = { .want = want };
	const u32 len = sizeof(want) - 1;

	for (u64 start = BYTES - 56; start < BYTES + 8; start += 8) {
		begin(&f);
		f.rings.take = take_text;
		f.rings.ctx = &t;
		f.consumer = f.producer = start;
		memcpy(f.data + start % BYTES, &len, sizeof(len));
		for (u32 i = 0; i < len; i++)
			f.data[(start + 8 + i) % BYTES] = (u8)want[i];
		f.producer += 48;
		CHECK(rings_read(&f.rings, UINT64_MAX));
		CHECK_U64(f.consumer, f.producer);
		vec_release(&f.rings.current);
		vec_release(&f.rings.v);
	}
	CHECK_U64(t.n_taken, 8);
}

/* Reads records in order; the first one takes so long that others are set aside. */
static bool take_slowly(void *ctx, const void *data, size_t size)
{
	struct fake *f = ctx;

	CHECK_U64(size, sizeof(f->last));
	memcpy(&f->last, data, sizeof(f->last));
	CHECK_U64(f->last, ++f->n_taken);
	if (f->last == 1) {
		rings_set_aside(&f->rings);
		CHECK_U64(f->producer - f->consumer, 0);
		put(f, 4);
		rings_set_aside(&f->rings);
		put(f, 5);
	}
	/* The record is still there. */
	CHECK(!memcmp(data, &f->last, size));
	return true;
}

TEST(records_set_aside_are_read_first)
{
	static struct fake f;

	begin(&f);
	f.rings.take = take_slowly;
	put(&f, 1);
	put(&f, 2);
	put_flagged(&f, 9, BPF_RINGBUF_DISCARD_BIT);
	put(&f, 3);
	rings_read(&f.rings, 0);
	CHECK_U64(f.n_taken, 1);
	CHECK(rings_read(&f.rings, UINT64_MAX));
	CHECK_U64(f.n_taken, 5);
	CHECK(!f.rings.aside.items);
	rings_release(&f.rings);
}

/* At the end of a run, rings are read until a pass says that nothing is left. */
TEST(a_pass_that_set_records_aside_has_left_some)
{
	static struct fake f;

	begin(&f);
	f.rings.take = take_slowly;
	for (u64 i = 1; i <= 3; i++)
		put(&f, i);
	CHECK(!rings_read(&f.rings, UINT64_MAX));
	CHECK_U64(f.n_taken, 1);
	CHECK(rings_read(&f.rings, UINT64_MAX));
	CHECK_U64(f.n_taken, 5);
	rings_release(&f.rings);
}

TEST(at_most_two_mib_are_set_aside)
{
	static struct fake f;
	u64 n = 0;

	begin(&f);
	while (f.producer == f.consumer) {
		put(&f, n++);
		rings_set_aside(&f.rings);
	}
	CHECK_U64(n, (2 << 20) / RECORD + 1);
	CHECK_U64(rings_skip(&f.rings), n);
	CHECK(rings_read(&f.rings, UINT64_MAX));
	CHECK_U64(f.n_taken, 0);
}

TEST(what_is_left_unread_is_counted)
{
	static struct fake f;

	begin(&f);
	put(&f, 1);
	put_flagged(&f, 2, BPF_RINGBUF_DISCARD_BIT);
	put(&f, 3);
	CHECK_U64(rings_skip(&f.rings), 2);
	CHECK_U64(f.n_taken, 0);
	CHECK_U64(f.producer - f.consumer, 0);
}

/* A busy ring does not keep another from being read. */
TEST(each_ring_has_its_turn)
{
	static struct fake a, b;

	begin(&a);
	begin(&b);
	vec_push(&a.rings.v, b.rings.v.items[0]);
	for (u64 i = 0; i < 100; i++)
		put(&a, i);
	put(&b, 1000);
	rings_read(&a.rings, 0);
	CHECK_U64(a.last, 0);
	rings_read(&a.rings, 0);
	CHECK_U64(a.last, 1000);
}
