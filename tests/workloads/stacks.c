/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stacks [BITS [PASSES [PAUSE_MS]]]: 2^BITS distinct stacks (2^16), each hit exactly PASSES times
 * (1) by one page fault.  Every bit of a counter chooses left() or right() on the way down; the
 * leaf touches a page that the process does not have.  With `-e page-faults -c 1` the profile must
 * hold every one of the paths, with exactly that count.  PAUSE_MS after every 1024 of them (0)
 * gives a tool on a crowded machine its turn.
 */
#include <sys/mman.h>

#include "work.h"

/* One page at a time would cost a system call per stack; a region this large costs one per 1024. */
#define REGION_PAGES 1024

static volatile char *region;
static size_t page_bytes, next_page;
static u64 pause_ns;

static void take_turn(void)
{
	struct timespec t = { .tv_nsec = (long)pause_ns };

	if (pause_ns)
		raw_syscall(SYS_nanosleep, (long)&t, 0, 0, 0);
}

NOINLINE void touch_leaf(void);
NOINLINE void touch_leaf(void)
{
	region[next_page * page_bytes] = 1;
	barrier();
}

NOINLINE void left(u32 path, u32 bits);
NOINLINE void right(u32 path, u32 bits);

__attribute__((always_inline)) static inline void descend(u32 path, u32 bits)
{
	if (!bits)
		touch_leaf();
	else if (path & 1)
		right(path >> 1, bits - 1);
	else
		left(path >> 1, bits - 1);
	barrier();
}

NOINLINE void left(u32 path, u32 bits)
{
	descend(path, bits);
}

NOINLINE void right(u32 path, u32 bits)
{
	descend(path, bits);
}

static void touch(u32 path, u32 bits)
{
	if (next_page == REGION_PAGES) {
		madvise((void *)region, REGION_PAGES * page_bytes, MADV_DONTNEED);
		next_page = 0;
		take_turn();
	}
	descend(path, bits);
	next_page++;
}

int main(int argc, char **argv)
{
	u64 bits = arg_u64(argc, argv, 1, 16), passes = arg_u64(argc, argv, 2, 1);

	pause_ns = arg_u64(argc, argv, 3, 0) * MS;
	if (bits > 20 || passes > 1000 || pause_ns >= SEC)
		return 64;
	page_bytes = sysconf(_SC_PAGESIZE);
	region = mmap(NULL, REGION_PAGES * page_bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (region == MAP_FAILED)
		return 1;
	/* A huge page would take the whole region in one fault. */
	madvise((void *)region, REGION_PAGES * page_bytes, MADV_NOHUGEPAGE);
	say_pid();
	for (u64 pass = 0; pass < passes; pass++)
		for (u32 path = 0; path >> bits == 0; path++)
			touch(path, (u32)bits);
	printf("stacks %llu\ncount %llu\n", 1ull << bits, (unsigned long long)passes);
	return 0;
}
