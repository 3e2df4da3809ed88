/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * reuse [SECONDS]: a child burns in first_owner and ends; another child gets its pid and burns in
 * second_owner.  A tool that was asked for the first must not take the second for it.
 */
#include <sys/wait.h>

#include "forkas.h"
#include "work.h"

NOINLINE void first_owner(u64 ns);
NOINLINE void first_owner(u64 ns)
{
	burn_ns(ns);
	barrier();
}

NOINLINE void second_owner(u64 ns);
NOINLINE void second_owner(u64 ns)
{
	burn_ns(ns);
	barrier();
}

int main(int argc, char **argv)
{
	u64 ns = arg_ns(argc, argv, 1, 1);
	pid_t first, second;

	first = fork();
	if (!first) {
		first_owner(ns);
		return 0;
	}
	printf("first %d\n", first);
	say_pid();
	waitpid(first, NULL, 0);
	/* Until the kernel has released the pid. */
	for (u32 i = 0; i < 100; i++) {
		usleep(20000);
		second = fork_as(first);
		if (second >= 0)
			break;
	}
	if (!second) {
		second_owner(ns);
		return 0;
	}
	printf("second %d\n", second);
	fflush(stdout);
	waitpid(second, NULL, 0);
	sleep(1);
	return 0;
}
