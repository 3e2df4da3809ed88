/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ratios [SLICES]: three functions that differ in the number of page faults for their CPU time:
 * `touch` faults all of the time, `mix` a part of it, `spin` never.  The next function is drawn by
 * lot for each slice, so that no sampling rate can fall into step.  The true numbers are printed at
 * the end.
 */
#include <sys/mman.h>

#include "work.h"

#define PAGES 1024 /* in a slice of `touch` */

static volatile char *region;
static size_t page_bytes;

static struct {
	u64 faults, ns;
} truth[3];

/* Touch the first n pages, which have no memory. */
INLINE void fault(u64 n)
{
	for (u64 i = 0; i < n; i++)
		region[i * page_bytes] = 1;
}

NOINLINE void touch(void);
NOINLINE void touch(void)
{
	fault(PAGES);
	barrier();
}

NOINLINE void mix(void);
NOINLINE void mix(void)
{
	fault(PAGES / 8);
	burn_ns(2 * MS);
	barrier();
}

NOINLINE void spin(void);
NOINLINE void spin(void)
{
	burn_ns(2 * MS);
	barrier();
}

static u32 lot(void)
{
	static u64 x = 88172645463325252ull;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (u32)(x >> 32) % 3;
}

int main(int argc, char **argv)
{
	static void (*const fn[3])(void) = { touch, mix, spin };
	static const char *const name[3] = { "touch", "mix", "spin" };
	static const u64 faults[3] = { PAGES, PAGES / 8, 0 };
	u64 n = arg_u64(argc, argv, 1, 300);
	size_t bytes;

	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	bytes = PAGES * page_bytes;
	region = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (region == MAP_FAILED || n > 100000)
		return 64;
	madvise((void *)(uintptr_t)region, bytes, MADV_NOHUGEPAGE);
	say_pid();
	for (u64 i = 0; i < n; i++) {
		u32 at = lot();
		u64 start = cpu_ns();

		fn[at]();
		truth[at].ns += cpu_ns() - start;
		truth[at].faults += faults[at];
		madvise((void *)(uintptr_t)region, bytes, MADV_DONTNEED);
	}
	for (int i = 0; i < 3; i++)
		printf("%s %llu %llu\n", name[i], (unsigned long long)truth[i].faults,
		       (unsigned long long)truth[i].ns);
	return 0;
}
