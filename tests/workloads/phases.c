/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * phases [N]: N (5) times 120 ms of CPU time in first_phase(), 100 ms asleep, 60 ms in
 * second_phase(), 100 ms asleep.  Prints a line for each phase: its function, when it began and
 * when it ended, in nanoseconds of CLOCK_MONOTONIC.
 */
#include "waits.h"

#define PHASE(name)                 \
	NOINLINE void name(u64 ns); \
	NOINLINE void name(u64 ns)  \
	{                           \
		burn_ns(ns);        \
		barrier();          \
	}
PHASE(first_phase)
PHASE(second_phase)

static void run_phase(const char *name, void (*phase)(u64 ns), u64 ns)
{
	u64 start = wall_ns();

	phase(ns);
	printf("%s %llu %llu\n", name, (unsigned long long)start, (unsigned long long)wall_ns());
	sleep_ns(100 * MS);
}

int main(int argc, char **argv)
{
	u64 n = arg_u64(argc, argv, 1, 5);

	for (u64 i = 0; i < n; i++) {
		run_phase("first_phase", first_phase, 120 * MS);
		run_phase("second_phase", second_phase, 60 * MS);
	}
	return 0;
}
