/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * again [MS [GAP_MS]]: a child is killed after MS milliseconds (100), during which it sleeps in
 * first_nap; after GAP_MS (500) another child gets the same pid, and sleeps MS in second_nap.
 * Between the two there is no process with that pid.
 */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "forkas.h"
#include "waits.h"

NOINLINE void first_nap(u64 ns);
NOINLINE void first_nap(u64 ns)
{
	sleep_ns(ns);
	barrier();
}

NOINLINE void second_nap(u64 ns);
NOINLINE void second_nap(u64 ns)
{
	sleep_ns(ns);
	barrier();
}

int main(int argc, char **argv)
{
	u64 ns = arg_u64(argc, argv, 1, 100) * MS, gap_ns = arg_u64(argc, argv, 2, 500) * MS;
	struct waited *w = shared(2 * sizeof(*w));
	pid_t first, second;

	say_pid();
	wait_begins(&w[0]);
	first = fork();
	if (!first) {
		die_with_parent();
		first_nap(60 * SEC);
		return 0;
	}
	sleep_ns(ns);
	kill(first, SIGKILL);
	waitpid(first, NULL, 0);
	wait_ends(&w[0]);
	sleep_ns(gap_ns);
	second = fork_as(first);
	if (!second) {
		die_with_parent();
		wait_begins(&w[1]);
		second_nap(ns);
		wait_ends(&w[1]);
		return 0;
	}
	printf("first %d\nsecond %d\n", first, second);
	fflush(stdout);
	if (second > 0)
		waitpid(second, NULL, 0);
	printf("first_ns %llu\nsecond_ns %llu\n", (unsigned long long)w[0].ns,
	       (unsigned long long)w[1].ns);
	return 0;
}
