// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/intern.h"

#include "base/str.h"
#include "test.h"

TEST(equal_text_is_the_same_pointer)
{
	struct intern t = { 0 };
	char again[] = "main";
	const char *a = intern(&t, "main");

	CHECK(intern(&t, again) == a && a != again);
	CHECK(intern_n(&t, "mainly", 4) == a);
	CHECK(intern(&t, "mai") != a && intern(&t, "mainly") != a);
	CHECK_STR(a, "main");
	intern_release(&t);
}

TEST(the_empty_string_is_one_too)
{
	struct intern t = { 0 };
	const char *empty = intern(&t, "");

	CHECK_STR(empty, "");
	CHECK(intern_n(&t, "x", 0) == empty);
	CHECK(t.n == 1);
	intern_release(&t);
}

TEST(pointers_stay_while_the_table_grows)
{
	enum {
		N = 20000
	};
	static const char *seen[N];
	struct intern t = { 0 };
	char name[32];

	for (int i = 0; i < N; i++) {
		snprintf(name, sizeof(name), "symbol_%d", i);
		seen[i] = intern(&t, name);
	}
	CHECK(t.n == N);
	for (int i = 0; i < N; i++) {
		snprintf(name, sizeof(name), "symbol_%d", i);
		CHECK_STR(seen[i], name);
		CHECK(intern(&t, name) == seen[i]);
	}
	intern_release(&t);
	CHECK(!t.blocks && !t.slots && !t.n && !t.cap);
}

TEST(a_string_longer_than_a_block_leaves_the_block_in_use)
{
	struct intern t = { 0 };
	struct str big = { 0 };
	const char *before, *after, *huge;

	for (int i = 0; i < 100000; i++)
		str_addc(&big, 'x');
	before = intern(&t, "before");
	huge = intern(&t, big.p);
	after = intern(&t, "after");
	CHECK_STR(huge, big.p);
	CHECK(after == before + sizeof("before"));
	CHECK(intern(&t, big.p) == huge);
	str_release(&big);
	intern_release(&t);
}

/* A line of a planted perf map may hold any bytes. */
TEST(text_ends_at_a_nul_byte)
{
	struct intern t = { 0 };
	const char *a = intern(&t, "a");

	for (int i = 0; i < 200; i++) {
		char name[64] = "a";

		snprintf(name + 2, sizeof(name) - 2, "%d and more text after it", i);
		CHECK(intern_n(&t, name, sizeof(name)) == a);
	}
	CHECK(t.n == 1);
	intern_release(&t);
}
