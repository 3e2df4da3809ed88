/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * queued [MS]: three threads that wait for one CPU, which a real-time thread takes for MS (900), up
 *to that thread's end.  They are named after what they were before:
 *
 *	preempted	computed when the real-time thread came
 *	woken		has slept until 100 ms later
 *	created		was created then
 *
 * Prints from when until when (ns, CLOCK_MONOTONIC) all three wait.  The exit status is 77 if
 * real-time threads are not allowed.
 */
#include <pthread.h>
#include <sched.h>

#include "waits.h"

#define MS 1000000ull

static volatile bool is_over;
static u64 begin_ns, busy_ns;

static void sleep_until(u64 ns)
{
	const struct timespec t = { .tv_sec = (time_t)(ns / SEC), .tv_nsec = (long)(ns % SEC) };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static void compute(void)
{
	while (!is_over)
		barrier();
}

static void *preempted(void *arg)
{
	prctl(PR_SET_NAME, "preempted");
	compute();
	return arg;
}

static void *woken(void *arg)
{
	prctl(PR_SET_NAME, "woken");
	sleep_until(begin_ns + 100 * MS);
	compute();
	return arg;
}

static void *created(void *arg)
{
	compute();
	return arg;
}

static void *take_cpu(void *arg)
{
	prctl(PR_SET_NAME, "taker");
	sleep_until(begin_ns);
	while (wall_ns() < begin_ns + busy_ns)
		barrier();
	is_over = true;
	return arg;
}

static pthread_t start(void *(*run)(void *), int policy, int priority)
{
	const struct sched_param param = { .sched_priority = priority };
	pthread_attr_t attr;
	pthread_t thread;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	pthread_attr_init(&attr);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, policy);
	pthread_attr_setschedparam(&attr, &param);
	pthread_attr_setaffinity_np(&attr, sizeof(cpus), &cpus);
	if (pthread_create(&thread, &attr, run, NULL))
		exit(77);
	return thread;
}

int main(int argc, char **argv)
{
	const struct sched_param most = { .sched_priority = 3 };
	pthread_t threads[4];
	cpu_set_t cpus;

	busy_ns = (argc > 1 ? strtoull(argv[1], NULL, 10) : 900) * MS;
	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) || sched_setscheduler(0, SCHED_FIFO, &most))
		return 77;
	begin_ns = wall_ns() + 200 * MS;
	threads[0] = start(take_cpu, SCHED_FIFO, 2);
	threads[1] = start(woken, SCHED_OTHER, 0);
	threads[2] = start(preempted, SCHED_OTHER, 0);
	sleep_until(begin_ns + 100 * MS);
	threads[3] = start(created, SCHED_OTHER, 0);
	pthread_setname_np(threads[3], "created");
	printf("queued %llu %llu\n", (unsigned long long)wall_ns(),
	       (unsigned long long)(begin_ns + busy_ns));
	fflush(stdout);
	for (u32 i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
