// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The wants: symbols streamed past sorted addresses. */
#include "sym/resolve.h"

#include "test.h"

static struct wants wants_of(const u64 *at, size_t n)
{
	struct wants w = { 0 };

	for (size_t i = 0; i < n; i++)
		wants_add(&w, (u32)i, at[i]);
	wants_sort(&w);
	return w;
}

static void cover(struct wants *w, u64 start, u64 size, u32 rank, const char *name)
{
	struct sym_entry o = { .start = start, .size = size, .rank = rank, .name = view_of(name) };

	wants_cover(w, &o);
}

static void near(struct wants *w, u64 start, const char *name)
{
	struct sym_entry o = { .start = start, .name = view_of(name) };

	wants_near(w, &o);
}

TEST(a_sized_symbol_covers_its_bytes_and_no_more)
{
	const u64 at[] = { 0xfff, 0x1000, 0x10ff, 0x1100 };
	struct wants w = wants_of(at, ARRAY_SIZE(at));

	cover(&w, 0x1000, 0x100, 0, "f");
	CHECK(!w.list.items[0].best.is_set);
	CHECK_STR(str_text(&w.list.items[1].best.name), "f");
	CHECK_STR(str_text(&w.list.items[2].best.name), "f");
	CHECK(!w.list.items[3].best.is_set);
	wants_release(&w);
}

TEST(the_inner_symbol_wins_whatever_the_order)
{
	const u64 at[] = { 0x1050 };
	struct wants w = wants_of(at, 1);

	cover(&w, 0x1040, 0x20, 0, "inner");
	cover(&w, 0x1000, 0x100, 0, "outer");
	CHECK_STR(str_text(&w.list.items[0].best.name), "inner");
	wants_release(&w);
}

TEST(of_two_names_for_an_address_the_better_rank_wins)
{
	const u64 at[] = { 0x1050 };
	struct wants w = wants_of(at, 1);

	cover(&w, 0x1000, 0x100, 1, "label");
	cover(&w, 0x1000, 0x100, 3, "function");
	cover(&w, 0x1000, 0x100, 2, "local");
	CHECK_STR(str_text(&w.list.items[0].best.name), "function");
	wants_release(&w);
}

TEST(a_symbol_that_ends_beyond_the_address_space_is_no_overflow)
{
	const u64 at[] = { 1, UINT64_MAX };
	struct wants w = wants_of(at, 2);

	cover(&w, UINT64_MAX - 1, UINT64_MAX, 0, "last");
	CHECK(!w.list.items[0].best.is_set);
	CHECK_STR(str_text(&w.list.items[1].best.name), "last");
	wants_release(&w);
}

TEST(the_nearest_below_is_found_in_unsorted_symbols)
{
	const u64 at[] = { 0x500, 0x1500, 0x1600, 0x2500 };
	struct wants w = wants_of(at, ARRAY_SIZE(at));

	near(&w, 0x2000, "c");
	near(&w, 0x1400, "b");
	near(&w, 0x1000, "a");
	near(&w, 0x3000, "d");
	wants_settle(&w);
	CHECK(!w.list.items[0].near.is_set);
	CHECK_STR(str_text(&w.list.items[1].near.name), "b");
	CHECK_STR(str_text(&w.list.items[2].near.name), "b");
	CHECK_STR(str_text(&w.list.items[3].near.name), "c");
	wants_release(&w);
}

TEST(equal_addresses_all_get_the_name)
{
	const u64 at[] = { 0x1500, 0x1500, 0x1500 };
	struct wants w = wants_of(at, ARRAY_SIZE(at));

	near(&w, 0x1000, "a");
	wants_settle(&w);
	for (size_t i = 0; i < 3; i++)
		CHECK_STR(str_text(&w.list.items[i].near.name), "a");
	wants_release(&w);
}

TEST(names_are_cut_at_the_limit)
{
	const u64 at[] = { 0x1000 };
	struct wants w = wants_of(at, 1);
	char name[SYM_NAME_MAX + 100];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	cover(&w, 0x1000, 1, 0, name);
	CHECK_U64(w.list.items[0].best.name.n, SYM_NAME_MAX);
	wants_release(&w);
}

TEST(a_table_in_which_all_covers_all_ends)
{
	static u64 at[20000];
	struct wants w;

	for (size_t i = 0; i < ARRAY_SIZE(at); i++)
		at[i] = i;
	w = wants_of(at, ARRAY_SIZE(at));
	for (u64 i = 0; i < 1000000; i++)
		cover(&w, 0, UINT64_MAX, 0, "f");
	CHECK_STR(str_text(&w.list.items[19999].best.name), "f");
	wants_release(&w);
}
