/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * deep [SECONDS [DEPTH]]: ping and pong call each other DEPTH times (300, past the 127 frames that
 * the kernel's walk keeps), the last one calls deep_leaf, which burns.
 */
#include "work.h"

static u64 budget, limit;

NOINLINE void deep_leaf(void);
NOINLINE void deep_leaf(void)
{
	while (cpu_ns() < budget && wall_ns() < limit)
		burn();
	barrier();
}

NOINLINE void pong(u64 left);
NOINLINE void ping(u64 left);
NOINLINE void ping(u64 left)
{
	if (left)
		pong(left - 1);
	else
		deep_leaf();
	barrier();
}

NOINLINE void pong(u64 left)
{
	if (left)
		ping(left - 1);
	else
		deep_leaf();
	barrier();
}

int main(int argc, char **argv)
{
	u64 depth = arg_u64(argc, argv, 2, 300);

	budget = arg_ns(argc, argv, 1, 1);
	limit = wall_limit(budget);
	say_pid();
	ping(depth ? depth - 1 : 0);
	printf("cpu_ns %llu\n", (unsigned long long)cpu_ns());
	return 0;
}
