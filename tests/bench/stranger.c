/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stranger WHAT N: does something N times, in 31 rounds; prints the time of one in the median
 * round, in nanoseconds.  WHAT is malloc (and free), call, which is getppid(2), or switch, which is
 * a byte to another process on the same CPU and back: two switches.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 31

static int to_other[2], from_other[2];

static void one_malloc(void)
{
	void *volatile p = malloc(16);

	free(p);
}

static void one_call(void)
{
	syscall(SYS_getppid);
}

static void one_switch(void)
{
	char c = 0;

	if (write(to_other[1], &c, 1) != 1 || read(from_other[0], &c, 1) != 1)
		exit(71);
}

static void answer(void)
{
	char c;

	close(to_other[1]);
	while (read(to_other[0], &c, 1) == 1 && write(from_other[1], &c, 1) == 1)
		;
	_exit(0);
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} rows[] = { { "malloc", one_malloc }, { "call", one_call }, { "switch", one_switch } };
	double rounds[ROUNDS];
	void (*run)(void) = NULL;
	long n = argc == 3 ? atol(argv[2]) / ROUNDS : 0;

	for (size_t i = 0; argc == 3 && i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].name, argv[1]))
			run = rows[i].run;
	if (!run || n < 1)
		return 64;
	if (run == one_switch && (pipe(to_other) || pipe(from_other) || !fork()))
		answer();
	for (int r = 0; r < ROUNDS; r++) {
		double start = now_ns();

		for (long i = 0; i < n; i++)
			run();
		rounds[r] = (now_ns() - start) / (double)n;
	}
	qsort(rounds, ROUNDS, sizeof(*rounds), compare);
	printf("%.1f\n", rounds[ROUNDS / 2]);
	return 0;
}
