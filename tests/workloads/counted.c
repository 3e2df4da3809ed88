/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * counted CALLS [THREADS [DEPTH [NAP_US]]]: CALLS calls of call_me, by THREADS threads in equal
 * parts.  Every second one is followed by a call of call_even, of which every second returns -1;
 * every 1000th by call_deep, which calls itself until it is DEPTH deep.  With NAP_US, call_nap
 * sleeps that long, 20 times in each thread.  At the end many_000 to many_999 are called once each.
 * Prints how many calls there were, and how long the naps took.
 */
#include <pthread.h>

#include "work.h"

static u64 n_calls, depth;
static long nap_ns;
static u64 nap_sum, even_sum, deep_sum;

NOINLINE int call_me(u64 i);
NOINLINE int call_me(u64 i)
{
	barrier();
	return (int)i & 0xff;
}

NOINLINE int call_even(u64 i);
NOINLINE int call_even(u64 i)
{
	barrier();
	return i % 4 ? 1 : -1;
}

NOINLINE u64 call_deep(u64 left);
NOINLINE u64 call_deep(u64 left)
{
	u64 n = left > 1 ? call_deep(left - 1) : 0;

	barrier();
	return n + 1;
}

NOINLINE void call_nap(void);
NOINLINE void call_nap(void)
{
	struct timespec t = { .tv_nsec = nap_ns };

	raw_syscall(SYS_nanosleep, (long)&t, 0, 0, 0);
	barrier();
}

#define MANY(a, b, c)                       \
	NOINLINE void many_##a##b##c(void); \
	NOINLINE void many_##a##b##c(void)  \
	{                                   \
		barrier();                  \
	}

/* Formatters do not know that these are declarations and calls. */
/* clang-format off */
#define MANY_C(a, b) \
	MANY(a, b, 0) MANY(a, b, 1) MANY(a, b, 2) MANY(a, b, 3) MANY(a, b, 4) \
	MANY(a, b, 5) MANY(a, b, 6) MANY(a, b, 7) MANY(a, b, 8) MANY(a, b, 9)
#define MANY_B(a) \
	MANY_C(a, 0) MANY_C(a, 1) MANY_C(a, 2) MANY_C(a, 3) MANY_C(a, 4) \
	MANY_C(a, 5) MANY_C(a, 6) MANY_C(a, 7) MANY_C(a, 8) MANY_C(a, 9)
MANY_B(0) MANY_B(1) MANY_B(2) MANY_B(3) MANY_B(4)
MANY_B(5) MANY_B(6) MANY_B(7) MANY_B(8) MANY_B(9)

#define CALL(a, b, c) many_##a##b##c();
#define CALL_C(a, b) \
	CALL(a, b, 0) CALL(a, b, 1) CALL(a, b, 2) CALL(a, b, 3) CALL(a, b, 4) \
	CALL(a, b, 5) CALL(a, b, 6) CALL(a, b, 7) CALL(a, b, 8) CALL(a, b, 9)
#define CALL_B(a) \
	CALL_C(a, 0) CALL_C(a, 1) CALL_C(a, 2) CALL_C(a, 3) CALL_C(a, 4) \
	CALL_C(a, 5) CALL_C(a, 6) CALL_C(a, 7) CALL_C(a, 8) CALL_C(a, 9)
	/* clang-format on */

	NOINLINE void call_many(void);
NOINLINE void call_many(void)
{
	CALL_B(0)
	CALL_B(1) CALL_B(2) CALL_B(3) CALL_B(4) CALL_B(5) CALL_B(6) CALL_B(7) CALL_B(8) CALL_B(9)
}

static void *body(void *arg)
{
	u64 n = (u64)(uintptr_t)arg, start, even = 0, deep = 0;

	for (u64 i = 0; i < n; i++) {
		call_me(i);
		if (i % 2 == 0) {
			call_even(i);
			even++;
		}
		if (depth && i % 1000 == 0)
			deep += call_deep(depth);
	}
	__atomic_fetch_add(&even_sum, even, __ATOMIC_RELAXED);
	__atomic_fetch_add(&deep_sum, deep, __ATOMIC_RELAXED);
	for (int i = 0; nap_ns && i < 20; i++) {
		start = wall_ns();
		call_nap();
		__atomic_fetch_add(&nap_sum, wall_ns() - start, __ATOMIC_RELAXED);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	u64 n_threads = argc > 2 ? strtoull(argv[2], NULL, 0) : 1, part;
	pthread_t threads[64];

	if (argc < 2 || !n_threads || n_threads > 64)
		return 64;
	n_calls = strtoull(argv[1], NULL, 0);
	depth = argc > 3 ? strtoull(argv[3], NULL, 0) : 0;
	nap_ns = argc > 4 ? strtol(argv[4], NULL, 0) * 1000 : 0;
	part = n_calls / n_threads;
	say_pid();
	for (u64 i = 1; i < n_threads; i++)
		if (pthread_create(&threads[i], NULL, body, (void *)(uintptr_t)part))
			return 1;
	body((void *)(uintptr_t)part);
	for (u64 i = 1; i < n_threads; i++)
		pthread_join(threads[i], NULL);
	call_many();
	printf("calls %llu\n", (unsigned long long)(part * n_threads));
	printf("even %llu\n", (unsigned long long)even_sum);
	printf("deep %llu\n", (unsigned long long)deep_sum);
	printf("nap_ns %llu\n", (unsigned long long)nap_sum);
	return 0;
}
