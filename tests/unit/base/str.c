// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/str.h"

#include "test.h"

TEST(an_empty_string_reads_as_empty_text)
{
	struct str s = { 0 };

	CHECK_STR(str_text(&s), "");
	CHECK(str_view(&s).n == 0);
	str_clear(&s);
	CHECK_STR(str_text(&s), "");
	str_release(&s);
}

TEST(pieces_are_joined_and_terminated)
{
	struct str s = { 0 };

	str_adds(&s, "one");
	str_addc(&s, ' ');
	str_add(&s, "two three", 3);
	str_addf(&s, " %d", 3);
	CHECK_STR(str_text(&s), "one two 3");
	CHECK(s.n == 9);
	str_release(&s);
	CHECK(!s.p && !s.n && !s.cap);
}

TEST(nul_bytes_are_kept)
{
	struct str s = { 0 };

	str_add(&s, "a\0b", 3);
	CHECK(s.n == 3 && !memcmp(s.p, "a\0b", 4));
	str_release(&s);
}

TEST(formatted_text_of_every_length_around_the_first_guess_fits)
{
	for (int n = 0; n < 300; n++) {
		struct str s = { 0 };

		str_adds(&s, "x");
		str_addf(&s, "%*s|", n, "");
		CHECK(s.n == (size_t)n + 2);
		CHECK(s.p[s.n - 1] == '|' && s.p[s.n] == '\0' && strlen(s.p) == s.n);
		CHECK(s.cap > s.n);
		str_release(&s);
	}
}

static void check_number(u64 v)
{
	struct str s = { 0 }, want = { 0 };

	str_add_dec(&s, v);
	str_addc(&s, ' ');
	str_add_signed(&s, (s64)v);
	str_addc(&s, ' ');
	str_add_hex(&s, v);
	str_addf(&want, "%llu %lld %llx", v, (s64)v, v);
	CHECK_STR(str_text(&s), str_text(&want));
	str_release(&s);
	str_release(&want);
}

TEST(numbers_are_those_of_printf)
{
	for (u64 power = 1, bits = 0; bits < 64; bits++, power *= 2)
		for (u64 i = 0; i < 3; i++)
			check_number(power + i - 1);
	for (u64 power = 1, digits = 0; digits < 20; digits++, power *= 10)
		for (u64 i = 0; i < 3; i++)
			check_number(power + i - 1);
	check_number(0);
	check_number(UINT64_MAX);
}

TEST(bytes_have_two_digits)
{
	struct str s = { 0 };

	str_add_hex_bytes(&s, (struct view){ "\0\x7f\x80\xff", 4 });
	CHECK_STR(str_text(&s), "007f80ff");
	str_release(&s);
}

TEST(growth_keeps_what_is_there)
{
	struct str s = { 0 };

	for (int i = 0; i < 100000; i++)
		str_addc(&s, (char)('a' + i % 26));
	CHECK(s.n == 100000 && strlen(s.p) == s.n);
	for (int i = 0; i < 100000; i++)
		CHECK(s.p[i] == 'a' + i % 26);
	str_release(&s);
}

TEST(reserve_leaves_room_for_the_nul)
{
	for (size_t n = 0; n < 200; n++) {
		struct str s = { 0 };
		char *at = str_reserve(&s, n);

		memset(at, 'x', n);
		s.n += n;
		at[n] = '\0';
		CHECK(strlen(str_text(&s)) == n);
		str_release(&s);
	}
}

TEST(clear_keeps_the_memory)
{
	struct str s = { 0 };
	char *p;

	str_adds(&s, "something");
	p = s.p;
	str_clear(&s);
	CHECK(s.p == p && s.n == 0);
	CHECK_STR(str_text(&s), "");
	str_release(&s);
}
