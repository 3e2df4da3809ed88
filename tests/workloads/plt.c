/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * plt [SECONDS]: plt_calls calls one short function of libc, tolower, again and again through the
 * PLT.
 */
#include <ctype.h>

#include "work.h"

#undef tolower

NOINLINE int plt_calls(int n);
NOINLINE int plt_calls(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += tolower(i & 63);
	barrier();
	return sum;
}

int main(int argc, char **argv)
{
	u64 budget = arg_ns(argc, argv, 1, 1), limit = wall_limit(budget);
	int sum = 0;

	say_pid();
	while (cpu_ns() < budget && wall_ns() < limit)
		sum += plt_calls(10000);
	printf("cpu_ns %llu\n", (unsigned long long)cpu_ns());
	return sum == -1;
}
