// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/sparse.h"

#include "test.h"

TEST(a_run_grows_to_both_sides_and_keeps_what_it_has)
{
	struct sparse w = { 0 };

	CHECK_U64(sparse_at(&w, 0), 0);
	sparse_cover(&w, 1000, 1001);
	w.v[0] = 7;
	sparse_cover(&w, 998, 999);
	CHECK(w.from == 998 && w.n == 3);
	sparse_cover(&w, 1004, 1006);
	CHECK(w.from == 998 && w.n == 8);
	for (u32 i = 990; i < 1010; i++)
		CHECK_U64(sparse_at(&w, i), i == 1000 ? 7 : 0);
	sparse_release(&w);
	CHECK_U64(sparse_at(&w, 1000), 0);
}

TEST(covered_items_stay_where_they_are)
{
	struct sparse w = { 0 };
	u64 *before;

	sparse_cover(&w, 5, 9);
	before = w.v;
	sparse_cover(&w, 6, 8);
	sparse_cover(&w, 5, 9);
	CHECK(w.v == before && w.from == 5 && w.n == 4);
	sparse_release(&w);
}
