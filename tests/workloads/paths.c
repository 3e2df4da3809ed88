/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * paths [SECONDS [PROCESSES]]: each of PROCESSES (6) sleeps for an instant, as often as it can,
 * each time with another stack: 24 bits of a counter choose left() or right() on the way down.  A
 * tool to which each new stack is sent once gets more than it can read.
 */
#include <sys/prctl.h>
#include <sys/wait.h>

#include "work.h"

#define DEPTH	      24
#define PROCESSES_MAX 64

NOINLINE void path_sleep(void);
NOINLINE void path_sleep(void)
{
	struct timespec t = { .tv_nsec = 1 };

	raw_syscall(SYS_nanosleep, (long)&t, 0, 0, 0);
	barrier();
}

NOINLINE void path_left(u32 bits, u32 depth);
NOINLINE void path_right(u32 bits, u32 depth);

INLINE void step(u32 bits, u32 depth)
{
	if (!depth)
		path_sleep();
	else if (bits & 1)
		path_left(bits >> 1, depth - 1);
	else
		path_right(bits >> 1, depth - 1);
	barrier();
}

NOINLINE void path_left(u32 bits, u32 depth)
{
	step(bits, depth);
}

NOINLINE void path_right(u32 bits, u32 depth)
{
	step(bits, depth);
}

static void work(u32 first, u64 until)
{
	prctl(PR_SET_TIMERSLACK, 1UL);
	for (u32 i = first; wall_ns() < until; i++)
		step(i, DEPTH);
	_exit(0);
}

int main(int argc, char **argv)
{
	u64 until = wall_ns() + arg_u64(argc, argv, 1, 10) * SEC;
	u64 n = arg_u64(argc, argv, 2, 6);

	if (n > PROCESSES_MAX)
		n = PROCESSES_MAX;
	printf("pid %d\n", getpid());
	fflush(stdout);
	for (u32 i = 0; i < n; i++)
		if (!fork())
			work(i << 20, until);
	while (wait(NULL) > 0)
		;
	return 0;
}
