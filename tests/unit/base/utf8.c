// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/utf8.h"

#include "test.h"

static void check_clean(const char *text, const char *want)
{
	struct str out = { 0 };

	utf8_add_clean(&out, view_of(text));
	CHECK_STR(str_text(&out), want);
	str_release(&out);
}

static void check_cut(const char *text, size_t columns, const char *want)
{
	struct str out = { 0 };

	utf8_add_cut(&out, view_of(text), columns);
	CHECK_STR(str_text(&out), want);
	str_release(&out);
}

static u32 first(const char *text)
{
	struct view v = view_of(text);

	return utf8_next(&v);
}

TEST(code_points_of_every_length)
{
	CHECK_U64(first("a"), 'a');
	CHECK_U64(first("\xc3\xbc"), 0xfc);
	CHECK_U64(first("\xe4\xb8\xad"), 0x4e2d);
	CHECK_U64(first("\xf0\x9f\x94\xa5"), 0x1f525);
}

TEST(overlong_surrogate_and_cut_sequences_are_bad)
{
	const char *const bad[] = { "\xc0\xaf",
				    "\xe0\x80\xaf",
				    "\xf0\x80\x80\xaf",
				    "\xed\xa0\x80",
				    "\xf4\x90\x80\x80",
				    "\xc3",
				    "\xe4\xb8",
				    "\x80",
				    "\xff",
				    "\xf8\x88\x80\x80" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct view v = view_of(bad[i]);

		CHECK(utf8_next(&v) == UTF8_BAD);
		CHECK_U64(v.n, strlen(bad[i]) - 1);
		CHECK(!utf8_is_valid(view_of(bad[i])));
	}
}

TEST(a_terminal_gets_no_control_characters)
{
	check_clean("\033[31m", "?[31m");
	check_clean("a\x7f\xc2\x9b\r\n\t\x80", "a??????");
	check_clean("\xe2\x80\xae"
		    "evil",
		    "?evil");
	check_clean("gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f");
}

TEST(a_long_name_loses_its_middle_and_no_half_characters)
{
	check_cut("short", 5, "short");
	check_cut("abcdefghij", 8, "ab..ghij");
	check_cut("\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc", 5,
		  "\xc3\xbc..\xc3\xbc\xc3\xbc");
}

TEST(the_head_of_a_long_text_is_kept)
{
	struct str out = { 0 };

	utf8_add_head(&out, view_of("lost: none"), 10);
	utf8_add_head(&out, view_of("|l\xc3\xb6st: 3; more"), 8);
	CHECK_STR(str_text(&out), "lost: none|l\xc3\xb6st:..");
	str_release(&out);
}
