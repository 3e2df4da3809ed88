// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/jsonw.h"

#include "test.h"

static void check_text(struct view text, const char *want)
{
	struct str out = { 0 };
	struct jsonw w = { .out = &out };

	json_view(&w, NULL, text);
	CHECK_STR(str_text(&out), want);
	str_release(&out);
}

TEST(commas_are_between_items_and_never_after_the_last)
{
	struct str out = { 0 };
	struct jsonw w = { .out = &out };

	json_open(&w, NULL, '{');
	json_u64(&w, "a", 1);
	json_open(&w, "b", '[');
	json_close(&w, ']');
	json_open(&w, "c", '[');
	json_s64(&w, NULL, -2);
	json_none(&w, NULL);
	json_bool(&w, NULL, true);
	json_close(&w, ']');
	json_text(&w, "d", NULL);
	json_raw(&w, "e", view_of("{}"));
	json_close(&w, '}');
	CHECK_STR(str_text(&out), "{\"a\":1,\"b\":[],\"c\":[-2,null,true],\"d\":null,\"e\":{}}");
	str_release(&out);
}

TEST(quotes_backslashes_and_controls_are_escaped)
{
	check_text(view_of("a\"b\\c\nd\x01\x7f"), "\"a\\\"b\\\\c\\nd\\u0001\\u007f\"");
	check_text((struct view){ "a\0b", 3 }, "\"a\\u0000b\"");
}

TEST(c1_controls_are_escaped_for_they_reach_terminals_too)
{
	check_text(view_of("\xc2\x9b"
			   "31m"),
		   "\"\\u009b31m\"");
}

TEST(bytes_that_are_not_utf8_become_the_replacement_character)
{
	check_text(view_of("a\xff"), "\"a\xef\xbf\xbd\"");
	check_text(view_of("\xc3\xbc"), "\"\xc3\xbc\"");
}

TEST(seconds_have_their_digits_and_addresses_are_strings)
{
	struct str out = { 0 };
	struct jsonw w = { .out = &out };

	json_open(&w, NULL, '[');
	json_seconds(&w, NULL, 5000312000ULL, 9);
	json_seconds(&w, NULL, 1999999999ULL, 3);
	json_hex(&w, NULL, UINT64_MAX);
	json_u64(&w, NULL, UINT64_MAX);
	json_close(&w, ']');
	CHECK_STR(str_text(&out),
		  "[5.000312000,1.999,\"0xffffffffffffffff\",18446744073709551615]");
	str_release(&out);
}

TEST_MAIN()
