/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * joined [SECONDS [futex]]: the main thread waits in pthread_join all the time, for a thread
 * "worker" that burns in worker_burn and sleeps in worker_nap by turns.  With "futex" main waits in
 * wait_for_worker, which is the same without libc's frames, and is woken from worker_done.
 */
#include <pthread.h>

#include "waits.h"

static u32 done;

NOINLINE void worker_burn(void);
NOINLINE void worker_burn(void)
{
	burn_ns(5 * MS);
	barrier();
}

NOINLINE void worker_nap(void);
NOINLINE void worker_nap(void)
{
	sleep_ns(10 * MS);
	barrier();
}

NOINLINE void worker_done(void);
NOINLINE void worker_done(void)
{
	store(&done, 1);
	futex_wake(&done, 1);
	barrier();
}

NOINLINE void wait_for_worker(void);
NOINLINE void wait_for_worker(void)
{
	while (!load(&done))
		futex_wait(&done, 0);
	barrier();
}

static void *worker(void *arg)
{
	u64 end = *(u64 *)arg;

	set_name("worker");
	while (wall_ns() < end) {
		worker_burn();
		worker_nap();
	}
	worker_done();
	return NULL;
}

int main(int argc, char **argv)
{
	u64 end = wall_ns() + arg_ns(argc, argv, 1, 10);
	struct waited join = { 0 };
	pthread_t thread;

	if (pthread_create(&thread, NULL, worker, &end))
		return 1;
	usleep(20000); /* until main waits, before a tool looks */
	say_pid();
	wait_begins(&join);
	if (argc > 2)
		wait_for_worker();
	pthread_join(thread, NULL);
	wait_ends(&join);
	wait_over(&join);
	say_waited("join", &join);
	return 0;
}
