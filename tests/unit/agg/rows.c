// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "agg/rows.h"

#include "test.h"

static bool is_fifth(const void *ctx, u32 i)
{
	(void)ctx;
	return i == 5;
}

static const struct cell_layout sums = { .n_words = 8 };
static const struct cell_layout fifth_is_most = { .n_words = 8, .is_extreme = is_fifth };

/* The row of a key of one text. */
static struct agg_row *row_of(struct agg_rows *rows, const char *const *key, u64 id)
{
	struct agg_row like = { .key = key, .ids[0][0] = id };
	u32 at = agg_rows_find(rows, &like);

	if (at == AGG_NO_ROW)
		at = agg_rows_add(rows, &like);
	return &rows->v.items[at];
}

TEST(a_row_is_found_by_its_texts_and_ids)
{
	struct agg_rows rows = { .n_keys = 1 };
	const char *a[] = { "a" }, *again[] = { "a" }, *b[] = { "b" };
	struct agg_row other = { .key = NULL };

	CHECK(row_of(&rows, a, 1) == row_of(&rows, again, 1));
	CHECK(row_of(&rows, a, 1) - rows.v.items == 0);
	CHECK(row_of(&rows, b, 1) - rows.v.items == 1);
	CHECK(row_of(&rows, a, 2) - rows.v.items == 2);
	CHECK(agg_rows_find(&rows, &other) == AGG_NO_ROW);
	row_of(&rows, NULL, 0);
	CHECK_U64(agg_rows_find(&rows, &other), 3);
	agg_rows_release(&rows);
}

TEST(cells_of_a_row_are_added_up_but_for_extremes)
{
	static const u64 one[] = { 1, 2, 0, 0, 0, 9, 0, 0 }, more[] = { 10, 0, 0, 7, 4, 5, 0, 1 };
	static const u64 want[] = { 11, 2, 0, 7, 4, 9, 0, 1 };
	struct agg_rows rows = { .n_keys = 0 };
	const char *none[] = { NULL };
	struct agg_row *row = row_of(&rows, none, 0);

	agg_row_add(row, one, &fifth_is_most);
	agg_row_add(row, more, &fifth_is_most);
	for (u32 i = 0; i < ARRAY_SIZE(want); i++)
		CHECK_U64(agg_word(row, i), want[i]);
	CHECK_U64(agg_word(row, 1000), 0);
	agg_rows_release(&rows);
}

TEST(rows_that_have_become_the_same_are_merged_in_their_order)
{
	static const u64 cell[] = { 1, 0, 0, 0, 0, 0, 3, 0 };
	struct agg_rows rows = { .n_keys = 1 };
	const char *a[] = { "a" }, *b[] = { "b" };
	struct agg_row *row;

	agg_row_add(row_of(&rows, b, 1), cell, &sums);
	agg_row_add(row_of(&rows, a, 1), cell, &sums);
	agg_row_add(row_of(&rows, b, 2), cell, &sums);
	vec_for_each(row, &rows.v)
		row->ids[0][0] = 7;
	agg_rows_merge(&rows, &sums);
	CHECK_U64(rows.v.n, 2);
	CHECK(rows.v.items[0].key == b && rows.v.items[1].key == a);
	CHECK_U64(agg_word(&rows.v.items[0], 0), 2);
	CHECK_U64(agg_word(&rows.v.items[0], 6), 6);
	CHECK_U64(agg_word(&rows.v.items[1], 6), 3);
	agg_rows_release(&rows);
}
