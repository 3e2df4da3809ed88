// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/memlimit.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

TEST(resident_memory_is_what_was_touched)
{
	const size_t bytes = 64 << 20;
	u64 before = mem_resident();
	char *p = malloc(bytes);

	CHECK(p && before);
	memset(p, 1, bytes);
	__asm__ volatile("" : : "r"(p) : "memory");
	CHECK(mem_resident() > before + bytes / 2);
	free(p);
	mem_trim();
}

TEST(without_a_limit_there_is_always_room)
{
	mem_limit_set(0);
	CHECK(!mem_is_over());
}

TEST(a_limit_is_met_before_it_is_reached)
{
	u64 now = mem_resident();

	mem_limit_set(now * 10);
	CHECK(!mem_is_over());
	mem_limit_set(now);
	CHECK(mem_is_over());
	mem_limit_set(0);
}

TEST(memory_taken_before_the_start_is_not_data)
{
	u64 now = mem_resident();
	struct err err = { 0 };

	mem_limit_set(now * 2); /* the start itself touches code, some 100 KB */
	CHECK(mem_is_over());
	CHECK(!mem_limit_begin(&err));
	mem_trim();
	CHECK(!mem_is_over());
	mem_limit_set(0);
}

TEST(a_limit_without_room_is_refused)
{
	struct err err = { 0 };

	mem_limit_set(mem_resident());
	CHECK(mem_limit_begin(&err) == -ERR_USAGE);
	CHECK(strstr(err.what, "leaves no room"));
	mem_limit_set(0);
}
