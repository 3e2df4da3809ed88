/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * crowd N [SECONDS]: N threads "crowd" wait in wait_in_crowd until the main thread, which sleeps
 * SECONDS (30) in crowd_nap, wakes all of them from wake_crowd.
 */
#include <errno.h>
#include <pthread.h>

#include "waits.h"

static u32 go, n_ready;

NOINLINE void wait_in_crowd(void);
NOINLINE void wait_in_crowd(void)
{
	while (!load(&go))
		futex_wait(&go, 0);
	barrier();
}

NOINLINE void wake_crowd(void);
NOINLINE void wake_crowd(void)
{
	store(&go, 1);
	futex_wake(&go, INT32_MAX);
	barrier();
}

NOINLINE void crowd_nap(u64 ns);
NOINLINE void crowd_nap(u64 ns)
{
	sleep_ns(ns);
	barrier();
}

static void *member(void *arg)
{
	__atomic_fetch_add(&n_ready, 1, __ATOMIC_SEQ_CST);
	wait_in_crowd();
	return arg;
}

int main(int argc, char **argv)
{
	u64 n = arg_u64(argc, argv, 1, 1000), ns = arg_ns(argc, argv, 2, 30);
	pthread_attr_t attr;
	pthread_t thread, *threads = calloc(n + 1, sizeof(thread));

	if (!threads)
		return 1;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 32768);
	for (u64 i = 0; i < n; i++) {
		int error = pthread_create(&threads[i], &attr, member, NULL);

		if (error) {
			fprintf(stderr, "crowd: thread %llu: %s\n", (unsigned long long)i,
				strerror(error));
			return 2;
		}
	}
	while (load(&n_ready) < n)
		usleep(10000);
	usleep(100000); /* until the last one waits */
	say_pid();
	crowd_nap(ns);
	wake_crowd();
	for (u64 i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	printf("woken %llu\n", (unsigned long long)n);
	return 0;
}
