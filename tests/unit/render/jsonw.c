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

/* Texts are copied eight bytes at a time. */
TEST(every_byte_is_seen_at_every_place)
{
	static const char bytes[] = "!~#[]z}";

	for (u32 byte = 1; byte < 0x80; byte++)
		for (u32 n = 1; n < 20; n++)
			for (u32 at = 0; at < n; at++) {
				struct str text = { 0 }, want = { 0 };
				bool is_short = strchr("\"\\\n\r\t", (int)byte);

				str_addc(&want, '"');
				for (u32 i = 0; i < n; i++) {
					char c = i == at ? (char)byte
							 : bytes[i % (sizeof(bytes) - 1)];

					str_addc(&text, c);
					if (i != at || (byte >= ' ' && byte < 0x7f && !is_short))
						str_addc(&want, c);
					else if (is_short)
						str_addf(&want, "\\%c",
							 byte == '\n'	? 'n'
							 : byte == '\r' ? 'r'
							 : byte == '\t' ? 't'
									: (int)byte);
					else
						str_addf(&want, "\\u%04x", byte);
				}
				str_addc(&want, '"');
				check_text(str_view(&text), str_text(&want));
				str_release(&text);
				str_release(&want);
			}
}

TEST(keys_are_escaped)
{
	struct str out = { 0 };
	struct jsonw w = { .out = &out };

	json_open(&w, NULL, '{');
	json_u64(&w, "a\"b", 1);
	json_hex_bytes(&w, "c", (struct view){ "\0\xff", 2 });
	json_close(&w, '}');
	CHECK_STR(str_text(&out), "{\"a\\\"b\":1,\"c\":\"00ff\"}");
	str_release(&out);
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
