/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * chain [SECONDS [DEPTH]]: one exact call chain, main > step_N > ... > step_02 > step_01 > bottom,
 * in which only bottom() burns.  Prints it as a folded stack would show it.
 */
#include "work.h"

static u64 budget, limit;

NOINLINE void bottom(void);
NOINLINE void bottom(void)
{
	while (cpu_ns() < budget && wall_ns() < limit)
		burn();
	barrier();
}

#define STEP(n, below)                \
	NOINLINE void step_##n(void); \
	NOINLINE void step_##n(void)  \
	{                             \
		below();              \
		barrier();            \
	}
STEP(01, bottom)
STEP(02, step_01)
STEP(03, step_02)
STEP(04, step_03)
STEP(05, step_04)
STEP(06, step_05)
STEP(07, step_06)
STEP(08, step_07)
STEP(09, step_08)
STEP(10, step_09)
STEP(11, step_10)
STEP(12, step_11)
STEP(13, step_12)
STEP(14, step_13)
STEP(15, step_14)
STEP(16, step_15)

int main(int argc, char **argv)
{
	static void (*const top[])(void) = { bottom,  step_01, step_02, step_03, step_04, step_05,
					     step_06, step_07, step_08, step_09, step_10, step_11,
					     step_12, step_13, step_14, step_15, step_16 };
	u64 depth = arg_u64(argc, argv, 2, 16);

	if (depth > 16)
		depth = 16;
	budget = arg_ns(argc, argv, 1, 1);
	limit = wall_limit(budget);
	say_pid();
	printf("chain main;");
	for (u64 i = depth; i; i--)
		printf("step_%02d;", (int)i);
	printf("bottom\n");
	fflush(stdout);
	top[depth]();
	printf("cpu_ns %llu\n", (unsigned long long)cpu_ns());
	return 0;
}
