/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * climb cpu | switch: a chain of calls of 31 frames without frame pointers that uses the CPU, or
 * two threads with 7 frames that wake each other, until it is killed.  A load for
 * tests/bench/stacks.py.
 */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static volatile unsigned long sink;
static int pipes[2][2];

__attribute__((noinline)) static void leaf(void)
{
	for (unsigned long i = 0; i < 100000; i++)
		sink += i * i;
}

__attribute__((noinline)) static void climb(int left, void (*work)(void))
{
	if (left)
		climb(left - 1, work);
	else
		work();
	__asm__ volatile("" ::: "memory");
}

static void exchange(int from, int to)
{
	char c = 0;

	for (;;)
		if (read(from, &c, 1) != 1 || write(to, &c, 1) != 1)
			return;
}

static void ping(void)
{
	if (write(pipes[1][1], "x", 1) == 1)
		exchange(pipes[0][0], pipes[1][1]);
}

static void pong(void)
{
	exchange(pipes[1][0], pipes[0][1]);
}

static void *second(void *unused)
{
	climb(0, pong);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t t;

	if (argc > 1 && !strcmp(argv[1], "switch")) {
		if (pipe(pipes[0]) || pipe(pipes[1]) || pthread_create(&t, NULL, second, NULL))
			return 1;
		climb(0, ping);
		return 0;
	}
	/* leaf, 26 of climb, main, two of the C library, _start. */
	for (;;)
		climb(25, leaf);
}
