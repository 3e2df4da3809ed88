// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/num.h"

#include <stdio.h>

#include "test.h"

static u64 duration(const char *text)
{
	struct err err = { 0 };
	u64 out = 0;

	return num_duration(text, NS_PER_SEC, 1, 3600 * NS_PER_SEC, "interval", &out, &err) ? 0
											    : out;
}

TEST(durations_take_units_and_fractions)
{
	CHECK_U64(duration("1"), NS_PER_SEC);
	CHECK_U64(duration("1.5"), 1500 * NS_PER_MS);
	CHECK_U64(duration("250ms"), 250 * NS_PER_MS);
	CHECK_U64(duration("2m"), 120 * NS_PER_SEC);
	CHECK_U64(duration(".5s"), 500 * NS_PER_MS);
}

TEST(durations_need_the_whole_string_and_the_range)
{
	const char *const bad[] = { "",	   "0",	    "-1",  "1x",  "1 s",
				    "abc", "1.2.3", ".",   "1e3", "1.s.",
				    "99h", "0.0",   "1ss", "s",	  "99999999999999999999999" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK_U64(duration(bad[i]), 0);
}

TEST(durations_out_of_range_are_told_the_range)
{
	static const char *const texts[] = { "0.0000000001", "99999999999h",
					     "99999999999999999999999", "9999999999999.123" };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct err err = { 0 };
		char want[96];
		u64 out;

		CHECK(num_duration(texts[i], NS_PER_SEC, 1, 3600 * NS_PER_SEC, "-i", &out, &err));
		snprintf(want, sizeof(want), "-i: '%s' is not in 1 ns to 3600 s", texts[i]);
		CHECK_STR(err.what, want);
	}
	CHECK_U64(duration("0.1234567891"), 123456789);
}

TEST(whole_numbers_are_whole_and_in_range)
{
	struct err err = { 0 };
	u64 v;

	CHECK(!num_u64("49", 1, 100, "-F", &v, &err) && v == 49);
	CHECK(!num_u64("0x10", 1, 100, "-F", &v, &err) && v == 16);
	CHECK(num_u64("12x", 1, 100, "-F", &v, &err) == -ERR_USAGE);
	CHECK_STR(err.what, "-F: '12x' is not a whole number");
	err_clear(&err);
	CHECK(num_u64("0", 1, 100, "-F", &v, &err) == -ERR_USAGE);
	CHECK_STR(err.what, "-F: 0 is not in 1 to 100");
	err_clear(&err);
	CHECK(num_u64("18446744073709551616", 0, UINT64_MAX, "-c", &v, &err) == -ERR_USAGE);
	CHECK_STR(err.what, "-c: 18446744073709551616 is above 18446744073709551615");
	err_clear(&err);
	CHECK(num_u64("18446744073709551616", 1, 9, "-c", &v, &err) == -ERR_USAGE);
	CHECK_STR(err.what, "-c: 18446744073709551616 is not in 1 to 9");
	err_clear(&err);
	CHECK(num_u64("-3", 0, UINT64_MAX, "-c", &v, &err) == -ERR_USAGE);
	CHECK_STR(err.what, "-c: -3 is below 0");
	err_clear(&err);
	CHECK(num_u64("-3", 1, 9, "-c", &v, &err) == -ERR_USAGE);
	CHECK_STR(err.what, "-c: -3 is not in 1 to 9");
	err_clear(&err);
	CHECK(num_u64("-", 1, 9, "-c", &v, &err) == -ERR_USAGE);
	CHECK_STR(err.what, "-c: '-' is not a whole number");
}

static void add_bit(void *ctx, u64 v)
{
	*(u64 *)ctx |= 1ULL << v;
}

TEST(ranges_need_a_number_between_commas)
{
	const char *const bad[] = {
		",", ",1", "1,,2", "-", "-1", "1-", "1-2-3", "1, 2", "a", "1;2"
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct err err = { 0 };
		u64 bits = 0;

		CHECK(num_ranges(bad[i], 63, "-C", add_bit, &bits, &err) == -ERR_USAGE);
	}
}

static int bytes(const char *text, u64 *out)
{
	struct err err = { 0 };
	int ret = num_bytes(text, 32ULL << 20, UINT64_MAX / 2, "--max-memory", out, &err);

	err_clear(&err);
	return ret;
}

TEST(sizes_have_units_of_1024)
{
	static const char *const bad[] = { "",
					   "M",
					   "1M",
					   "-64M",
					   "64MB",
					   "64m",
					   "1.5G",
					   "64 M",
					   "18446744073709551615",
					   "99999999999G" };
	u64 n = 0;

	CHECK(!bytes("64M", &n) && n == 64ULL << 20);
	CHECK(!bytes("32768K", &n) && n == 32ULL << 20);
	CHECK(!bytes("2G", &n) && n == 2ULL << 30);
	CHECK(!bytes("100000000", &n) && n == 100000000);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK(bytes(bad[i], &n) == -ERR_USAGE);
}

TEST(ranges_are_inclusive_lists)
{
	struct err err = { 0 };
	u64 bits = 0;

	CHECK(num_ranges("0-2,5", 63, "-C", add_bit, &bits, &err) == 4 && bits == 0x27);
	CHECK(num_ranges("3-1", 63, "-C", add_bit, &bits, &err) < 0);
	err_clear(&err);
	CHECK(num_ranges("64", 63, "-C", add_bit, &bits, &err) < 0);
	err_clear(&err);
	CHECK(num_ranges("", 63, "-C", add_bit, &bits, &err) < 0);
	err_clear(&err);
	CHECK(num_ranges("1-", 63, "-C", add_bit, &bits, &err) < 0);
}
