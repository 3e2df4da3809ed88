// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/view.h"

#include "test.h"

TEST(views_compare_by_their_own_length)
{
	struct view v = { "abcdef", 3 };

	CHECK(view_eq(v, "abc") && !view_eq(v, "abcd") && !view_eq(v, "ab") && !view_eq(v, ""));
	CHECK(view_starts(v, "") && view_starts(v, "abc") && !view_starts(v, "abcd"));
	CHECK(view_eq(view_of(""), ""));
}

static int pieces(const char *text, char sep, struct view *out)
{
	struct view rest = view_of(text);
	int n = 0;

	while (view_split(&rest, sep, &out[n]))
		n++;
	return n;
}

TEST(text_is_cut_at_each_separator)
{
	struct view p[8];

	CHECK(pieces("a,bc,d", ',', p) == 3);
	CHECK(view_eq(p[0], "a") && view_eq(p[1], "bc") && view_eq(p[2], "d"));
}

TEST(the_last_piece_needs_no_separator)
{
	struct view p[8];

	CHECK(pieces("a\nb\n", '\n', p) == 2 && view_eq(p[1], "b"));
	CHECK(pieces("a\nb", '\n', p) == 2 && view_eq(p[1], "b"));
}

TEST(empty_pieces_are_pieces_and_empty_text_has_none)
{
	struct view p[8];

	CHECK(pieces("", ',', p) == 0);
	CHECK(pieces(",", ',', p) == 1 && !p[0].n);
	CHECK(pieces(",,x", ',', p) == 3 && !p[0].n && !p[1].n && view_eq(p[2], "x"));
}
