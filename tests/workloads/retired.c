/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * retired [MILLIONS]: exact numbers of instructions: MILLIONS (100) of them in retire_few, three
 * times as many in retire_many, in loops of two instructions.  Prints both numbers.
 */
#include "work.h"

/* Two instructions n times. */
INLINE void loop(u64 n)
{
#if defined(__x86_64__)
	__asm__ volatile("1: sub $1, %0\n\tjnz 1b" : "+r"(n) : : "cc");
#elif defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc");
#else
#error "no loop of two instructions for this processor"
#endif
}

NOINLINE void retire_few(u64 instructions);
NOINLINE void retire_few(u64 instructions)
{
	loop(instructions / 2);
	barrier();
}

NOINLINE void retire_many(u64 instructions);
NOINLINE void retire_many(u64 instructions)
{
	loop(instructions / 2);
	barrier();
}

int main(int argc, char **argv)
{
	u64 n = arg_u64(argc, argv, 1, 100) * 1000000;

	if (!n || n > 100000000000ull)
		return 64;
	say_pid();
	retire_few(n);
	retire_many(3 * n);
	printf("retire_few %llu\nretire_many %llu\n", (unsigned long long)n,
	       (unsigned long long)(3 * n));
	return 0;
}
