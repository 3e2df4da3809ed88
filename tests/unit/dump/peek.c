// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "dump/peek.h"

#include <sys/mman.h>

#include "test.h"

TEST(memory_is_read_all_at_once)
{
	u64 word = 4711;
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	u32 self = (u32)getpid(), good, half, bad;
	struct peeks p = { 0 };

	CHECK(page != MAP_FAILED && !mprotect(page + 4096, 4096, PROT_NONE));
	good = peeks_add(&p, self, self, (u64)(uintptr_t)&word, sizeof(word));
	half = peeks_add(&p, self, self, (u64)(uintptr_t)page + 4092, 8);
	bad = peeks_add(&p, self, self, 16, 8);
	CHECK(!peeks_get(&p, good) && !peeks_get(&p, 0));
	peeks_read(&p);
	CHECK(peeks_get(&p, good) && !memcmp(peeks_get(&p, good), &word, sizeof(word)));
	CHECK(!peeks_get(&p, half) && !peeks_get(&p, bad));
	peeks_release(&p);
}

TEST(nothing_is_read_if_nothing_is_wanted)
{
	struct peeks p = { 0 };

	peeks_read(&p);
	CHECK(!peeks_get(&p, 0));
}
