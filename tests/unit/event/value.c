// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "event/value.h"

#include <unistd.h>

#include "base/clock.h"
#include "test.h"

__attribute__((noinline)) static void named_here(void)
{
	__asm__ volatile("");
}

static const char *name_of(const struct symbolizer *sym, u32 loc)
{
	size_t n;

	return symbolizer_frames(sym, &n)[loc].name;
}

TEST(names_wait_until_those_before_are_paid_for)
{
	struct symbolizer *sym;
	struct err err = { 0 };
	struct show_env env = { 0 };
	u32 loc;

	CHECK(!symbolizer_new(&sym, &(struct symbolizer_opts){ 0 }, &err));
	env.sym = sym;
	loc = symbolizer_user(sym, (u32)getpid(), (u64)(uintptr_t)named_here, false);
	env.naming_since_ns = now_ns();
	env.naming_ns = -(s64)(3600 * NS_PER_SEC);
	show_find_names(&env);
	CHECK(!name_of(sym, loc));
	/* Time passes. */
	env.naming_since_ns = now_ns() - 4 * 3601 * NS_PER_SEC;
	show_find_names(&env);
	CHECK(name_of(sym, loc));
	CHECK_STR(name_of(sym, loc), "named_here");
	symbolizer_free(sym);
}

TEST(the_first_name_is_found_at_once)
{
	struct symbolizer *sym;
	struct err err = { 0 };
	struct show_env env = { 0 };
	u32 loc;

	CHECK(!symbolizer_new(&sym, &(struct symbolizer_opts){ 0 }, &err));
	env.sym = sym;
	loc = symbolizer_user(sym, (u32)getpid(), (u64)(uintptr_t)named_here, false);
	show_find_names(&env);
	CHECK(name_of(sym, loc));
	CHECK(env.naming_ns > 0);
	symbolizer_free(sym);
}

TEST_MAIN()
