// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/index.h"

#include "base/hash.h"
#include "test.h"

/* Times that `id` is among the candidates for a hash. */
static int times_found(const struct index *t, u64 hash, u32 id)
{
	size_t at = 0;
	int n = 0;
	u32 i;

	while (index_next(t, hash, &at, &i))
		n += i == id;
	return n;
}

static int candidates(const struct index *t, u64 hash)
{
	size_t at = 0;
	int n = 0;
	u32 i;

	while (index_next(t, hash, &at, &i))
		n++;
	return n;
}

/* Add items whose hashes are given by a function, and look for all of them after each growth. */
static bool all_are_found(u64 (*hash)(u32 i), u32 n)
{
	struct index t = { 0 };
	size_t cap = 0;
	bool is_good = true;

	for (u32 i = 0; i < n; i++) {
		index_add(&t, hash(i), i);
		if (t.cap == cap && i < n - 1)
			continue;
		cap = t.cap;
		for (u32 k = 0; k <= i && is_good; k++)
			is_good = times_found(&t, hash(k), k) == 1;
	}
	is_good &= t.n == n && t.n <= t.cap;
	index_release(&t);
	return is_good;
}

static u64 mixed(u32 i)
{
	return hash_u64(i);
}

static u64 counted_up(u32 i)
{
	return i;
}

static u64 counted_down(u32 i)
{
	return 0xffffffffU - i;
}

/* The last slots: 0x9e3779b1 times its inverse is 1 (modulo 2^32). */
static u64 at_the_end(u32 i)
{
	return (u32)((0xffffffffU - i) * 0x0e8b2f51U);
}

static u64 all_the_same(u32 i)
{
	(void)i;
	return 7;
}

TEST(items_are_found_again_however_their_hashes_lie)
{
	CHECK(all_are_found(mixed, 50000));
	CHECK(all_are_found(counted_up, 20000));
	CHECK(all_are_found(counted_down, 20000));
	CHECK(all_are_found(at_the_end, 3000));
	CHECK(all_are_found(all_the_same, 300));
}

TEST(items_that_were_not_added_are_not_found)
{
	struct index t = { 0 };

	CHECK(candidates(&t, 1) == 0);
	for (u32 i = 0; i < 1000; i++)
		index_add(&t, hash_u64(i), i);
	for (u32 i = 1000; i < 2000; i++)
		CHECK(times_found(&t, hash_u64(i), i) == 0);
	index_release(&t);
	CHECK(candidates(&t, 1) == 0);
}

TEST(equal_hashes_are_all_candidates)
{
	struct index t = { 0 };

	for (u32 i = 0; i < 500; i++)
		index_add(&t, i % 5, i);
	for (u64 hash = 0; hash < 5; hash++)
		CHECK(candidates(&t, hash) == 100);
	index_release(&t);
}
