/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * below DEPTH: descend() goes DEPTH calls deep, and each of these calls leaf() before the next call
 * and after it; over and over, until it is killed.
 */
#include "work.h"

NOINLINE int leaf(int depth);
NOINLINE int leaf(int depth)
{
	barrier();
	return depth;
}

NOINLINE int descend(int depth);
NOINLINE int descend(int depth)
{
	int sum = leaf(depth);

	if (depth > 0)
		sum += descend(depth - 1);
	sum += leaf(depth);
	barrier();
	return sum;
}

int main(int argc, char **argv)
{
	u64 depth = arg_u64(argc, argv, 1, 100);

	if (depth > 10000)
		return 64;
	say_pid();
	for (;;)
		descend((int)depth);
}
