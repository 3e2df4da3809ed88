// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "event/reorder.h"

#include <string.h>

#include "test.h"

static void add(struct reorder *h, u64 t)
{
	reorder_add(h, t, &t, sizeof(t));
}

/* The times given out until nothing is ready, as text. */
static const char *all(struct reorder *h, u64 until)
{
	static char text[256];
	const u64 *t;
	size_t n, at = 0;
	bool is_late;

	text[0] = 0;
	while ((t = reorder_next(h, until, &n, &is_late)))
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%llu%s", at ? " " : "", *t,
				       is_late ? "!" : "");
	return text;
}

TEST(hold_orders_what_comes_from_several_cpus)
{
	struct reorder h;

	reorder_init(&h, 50);
	add(&h, 100);
	add(&h, 130);
	add(&h, 90);
	add(&h, 120);
	CHECK_STR(all(&h, UINT64_MAX), "90 100 120 130");
	CHECK_STR(all(&h, UINT64_MAX), "");
	reorder_release(&h);
}

TEST(hold_waits_for_what_may_still_come)
{
	struct reorder h;

	reorder_init(&h, 50);
	add(&h, 100);
	add(&h, 140);
	CHECK_STR(all(&h, 149), "");
	CHECK_STR(all(&h, 150), "100");
	add(&h, 120);
	CHECK_STR(all(&h, 200), "120 140");
	reorder_release(&h);
}

TEST(hold_marks_what_comes_too_late_and_shows_it_at_once)
{
	struct reorder h;

	reorder_init(&h, 50);
	add(&h, 100);
	CHECK_STR(all(&h, 200), "100");
	add(&h, 99);
	add(&h, 180);
	CHECK_STR(all(&h, 200), "99!");
	CHECK_U64(h.n_late, 1);
	CHECK_STR(all(&h, UINT64_MAX), "180");
	reorder_release(&h);
}

TEST(hold_keeps_the_order_of_arrival_for_equal_times)
{
	struct reorder h;
	const char *a = "first", *b = "second";
	size_t n;
	bool late;

	reorder_init(&h, 50);
	reorder_add(&h, 5, a, 6);
	reorder_add(&h, 5, b, 7);
	CHECK_STR(reorder_next(&h, UINT64_MAX, &n, &late), "first");
	CHECK_STR(reorder_next(&h, UINT64_MAX, &n, &late), "second");
	CHECK_U64(n, 7);
	reorder_release(&h);
}

static void add_up(void *ctx, void *record)
{
	*(u64 *)ctx += *(const u64 *)record;
}

/* No records that were returned; all others, sorted or not. */
TEST(all_that_is_held_can_be_visited)
{
	struct reorder h;
	u64 sum = 0;
	bool late;
	size_t n;

	reorder_init(&h, 50);
	for (u64 v = 1; v <= 100; v *= 10)
		reorder_add(&h, v, &v, sizeof(v));
	reorder_next(&h, UINT64_MAX, &n, &late);
	reorder_add(&h, 1000, &(u64){ 1000 }, sizeof(u64));
	reorder_visit(&h, add_up, &sum);
	CHECK_U64(sum, 1110);
	reorder_release(&h);
}

/* Records of all sizes, from two CPUs whose clocks agree and whose records are picked up by turns:
 * each comes out once, whole and in order, and room that was given out is used again. */
TEST(hold_gives_out_all_that_came_whole_and_in_order)
{
	u64 sum_in = 0, sum_out = 0, last = 0, now = 1000, *r, record[9];
	struct reorder h;
	size_t n;
	bool late;

	reorder_init(&h, 50);
	for (u32 round = 0; round < 2000; round++) {
		for (u32 i = 0; i < 20; i++) {
			u64 t = now + i % 10;

			n = 8 * (1 + (round * 7 + i * 3) % 9);
			for (size_t k = 0; k < n / 8; k++)
				record[k] = t + k;
			reorder_add(&h, t, record, n - (n > 8) * 5);
			sum_in += t;
		}
		now += 10;
		while ((r = reorder_next(&h, now, &n, &late))) {
			CHECK(!late && r[0] >= last && r[0] + 50 <= now);
			for (size_t k = 1; k < n / 8; k++)
				CHECK_U64(r[k], r[0] + k);
			last = r[0];
			sum_out += last;
		}
		CHECK(reorder_bytes(&h) <= 7UL * 20 * 72);
	}
	while ((r = reorder_next(&h, UINT64_MAX, &n, &late)))
		sum_out += r[0];
	CHECK_U64(sum_out, sum_in);
	CHECK_U64(reorder_bytes(&h), 0);
	CHECK(h.bytes.cap + h.spare.cap <= 128 * 1024);
	reorder_release(&h);
}
