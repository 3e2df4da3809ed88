// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/source.h"

#include "base/arena.h"
#include "test.h"

static u32 find(const char *s, const char *stops)
{
	struct text t = text_of(s);

	return text_find(&t, 0, t.n, stops);
}

TEST(separators_inside_brackets_and_literals_are_not_found)
{
	CHECK_U64(find("a,b", ","), 1);
	CHECK_U64(find("f(a,b),c", ","), 6);
	CHECK_U64(find("\"a,\\\"b\",c", ","), 7);
	CHECK_U64(find("',',c", ","), 3);
	CHECK_U64(find("x[{a,b}],c", ","), 8);
	CHECK_U64(find("f(\")\",a),c", ","), 8);
	CHECK_U64(find("abc", ","), 3);
	CHECK_U64(find("", ","), 0);
}

TEST(a_bracket_that_is_never_closed_ends_the_search)
{
	CHECK_U64(find("f(a,b", ","), 5);
	CHECK_U64(find("\"a,b", ","), 4);
	CHECK_U64(find("\"a\\", ","), 3);
	CHECK_U64(find("a)b", ")"), 1);
}

TEST(brackets_are_matched_by_kind)
{
	struct text t = text_of("(a[)]\")\"b) c");
	char deep[601] = "";

	CHECK_U64(text_match(&t, 0, t.n), 9);
	CHECK_U64(text_match(&t, 2, t.n), 4);
	t = text_of("((((");
	CHECK_U64(text_match(&t, 0, t.n), 4);
	memset(deep, '(', 300);
	memset(deep + 300, ')', 300);
	t = text_of(deep);
	CHECK_U64(text_match(&t, 0, t.n), 599);
}

TEST(an_error_shows_the_line_that_holds_the_place)
{
	struct text t = text_of("first line\nsecond lime\nthird");
	struct err err = { 0 };

	CHECK(text_error(&t, (struct text_range){ 18, 4 }, &err, "no '%s'", "lime") == -ERR_USAGE);
	CHECK_STR(err.what, "no 'lime'");
	CHECK_STR(err.text, "second lime");
	CHECK_U64(err.caret, 7);
	CHECK_U64(err.width, 4);
}

TEST(a_place_far_out_in_a_long_line_is_shown)
{
	struct err err = { 0 };
	char line[2000];
	struct text t;

	memset(line, 'x', sizeof(line));
	line[sizeof(line) - 1] = '\0';
	t = text_of(line);
	text_error(&t, (struct text_range){ 1500, 3 }, &err, "here");
	CHECK(err.caret < strlen(err.text));
	err_clear(&err);
	text_error(&t, (struct text_range){ 5000, 3 }, &err, "after the end");
	CHECK(err.caret <= strlen(err.text));
}

TEST(spans_are_trimmed)
{
	struct text t = text_of("  a b\t ");
	struct text_range s = span_trim(&t, span_all(&t));

	CHECK_U64(s.at, 2);
	CHECK_U64(s.n, 3);
	t = text_of("  ");
	CHECK_U64(span_trim(&t, span_all(&t)).n, 0);
}

TEST(an_arena_gives_back_what_came_since_a_mark)
{
	struct arena a = { 0 }, mark = a;
	char *kept, *again;

	memset(arena_alloc(&a, 1, 100), 'x', 100);
	arena_rewind(&a, &mark);
	CHECK(!a.blocks);
	kept = arena_printf(&a, "kept");
	mark = a;
	for (int i = 0; i < 3; i++) {
		memset(arena_alloc(&a, 1, 6000), 'x', 6000);
		memset(arena_alloc(&a, 1, 100), 'x', 100);
	}
	arena_rewind(&a, &mark);
	CHECK(a.blocks == mark.blocks && a.used == mark.used);
	CHECK_STR(kept, "kept");
	again = arena_alloc(&a, 1, 6000);
	for (int i = 0; i < 6000; i++)
		CHECK(!again[i]);
	arena_release(&a);
}

TEST(an_arena_gives_zeroed_aligned_memory_of_any_size)
{
	struct arena a = { 0 };

	for (size_t i = 1; i < 3000; i += 7) {
		char *p = arena_alloc(&a, i, 3);

		CHECK((uintptr_t)p % 16 == 0);
		CHECK(!p[0] && !p[i * 3 - 1]);
		memset(p, 0xff, i * 3);
	}
	CHECK_STR(arena_printf(&a, "%d-%s", 7, "x"), "7-x");
	CHECK_STR(arena_strndup(&a, "abcdef", 3), "abc");
	arena_release(&a);
	CHECK(!a.blocks);
}
