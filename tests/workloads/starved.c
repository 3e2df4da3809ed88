/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * starved [SECONDS]: thread "hog" burns at real-time priority 10 on the last CPU, after it has
 * woken thread "starved" there, whose priority is 1: from then on "starved" can run, but does not
 * before the hog ends.  "pid" is printed once it waits for the CPU.  Main sleeps.
 */
#include <pthread.h>

#include "waits.h"

static u32 may_run, is_waiting;
static u64 ns;

static void set_fifo(int priority)
{
	struct sched_param p = { .sched_priority = priority };

	if (sched_setscheduler(0, SCHED_FIFO, &p)) {
		printf("no real-time priorities here\n");
		exit(3);
	}
}

static void *starved(void *arg)
{
	u64 *ran_at = arg;

	set_name("starved");
	pin(true);
	set_fifo(1);
	printf("tid-starved %d\n", my_tid());
	store(&is_waiting, 1);
	while (!load(&may_run))
		futex_wait(&may_run, 0);
	*ran_at = wall_ns();
	return NULL;
}

NOINLINE void hog_burn(u64 end);
NOINLINE void hog_burn(u64 end)
{
	while (wall_ns() < end)
		burn();
	barrier();
}

static void *hog(void *arg)
{
	u64 *woke_at = arg;

	set_name("hog");
	pin(true);
	set_fifo(10);
	printf("tid-hog %d\n", my_tid());
	*woke_at = wall_ns();
	store(&may_run, 1);
	futex_wake(&may_run, 1);
	say_pid();
	hog_burn(*woke_at + ns);
	return NULL;
}

int main(int argc, char **argv)
{
	u64 ran_at = 0, woke_at = 0;
	pthread_t threads[2];

	ns = arg_ns(argc, argv, 1, 1);
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		printf("on the only CPU nobody could watch it\n");
		return 3;
	}
	if (pthread_create(&threads[0], NULL, starved, &ran_at))
		return 1;
	while (!load(&is_waiting))
		sleep_ns(MS);
	sleep_ns(20 * MS); /* until it is in its system call: it must not miss the wake-up */
	if (pthread_create(&threads[1], NULL, hog, &woke_at))
		return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("starved_ns %llu\n", (unsigned long long)(ran_at - woke_at));
	return 0;
}
