/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * shares [SECONDS [HOT WARM COOL]]: three functions share CPU time by weight (60 30 10).  The next
 * function is drawn by lot for each slice, so that no sampling rate can fall into step; the true
 * shares, as measured by the CPU clock, are printed at the end.
 */
#include "work.h"

#define SLICE (300 * 1000ull)

static u64 used[3];

#define BURNER(id, index)                      \
	NOINLINE void id(void);                \
	NOINLINE void id(void)                 \
	{                                      \
		used[index] += burn_ns(SLICE); \
		barrier();                     \
	}
BURNER(burn_hot, 0)
BURNER(burn_warm, 1)
BURNER(burn_cool, 2)

static u32 lot(void)
{
	static u64 x = 88172645463325252ull;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (u32)(x >> 32);
}

int main(int argc, char **argv)
{
	static void (*const fn[3])(void) = { burn_hot, burn_warm, burn_cool };
	static const char *const name[3] = { "burn_hot", "burn_warm", "burn_cool" };
	u64 ns = arg_ns(argc, argv, 1, 1), limit = wall_limit(ns), weight[3], sum, total;

	weight[0] = arg_u64(argc, argv, 2, 60);
	weight[1] = arg_u64(argc, argv, 3, 30);
	weight[2] = arg_u64(argc, argv, 4, 10);
	sum = weight[0] + weight[1] + weight[2];
	if (!sum)
		return 64;
	say_pid();
	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < ns && wall_ns() < limit) {
		u64 draw = lot() % sum;

		fn[draw < weight[0] ? 0 : draw < weight[0] + weight[1] ? 1 : 2]();
	}
	total = used[0] + used[1] + used[2];
	for (int i = 0; i < 3; i++)
		printf("share %s %.6f\n", name[i], total ? (double)used[i] / total : 0);
	printf("cpu_ns %llu\n", (unsigned long long)clock_ns(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}
