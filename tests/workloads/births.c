/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * births [N [MS]]: thread "parent" makes N (20) threads "newborn" in make_thread, and after each
 * keeps the only CPU that they may use busy for another MS milliseconds (10), at a real-time
 * priority that they do not inherit: they wait for a CPU before they run for the first time.  They
 * never block: each burns a millisecond in newborn_burn and ends.  Prints the time from the
 * creations to the first own instructions.  Exits with 2 where real-time priorities are refused.
 */
#include <pthread.h>

#include "waits.h"

static u64 busy_ns, born_ns, born_after_ns, first_ns, least_ns, n_born;

NOINLINE void newborn_burn(void);
NOINLINE void newborn_burn(void)
{
	burn_ns(MS);
	barrier();
}

static void *newborn(void *arg)
{
	u64 now = wall_ns();

	first_ns += now - born_ns;
	least_ns += now - born_after_ns;
	n_born++;
	newborn_burn();
	return arg;
}

NOINLINE void make_thread(pthread_t *thread);
NOINLINE void make_thread(pthread_t *thread)
{
	if (pthread_create(thread, NULL, newborn, NULL))
		exit(1);
	barrier();
}

static void *parent(void *arg)
{
	struct sched_param param = { .sched_priority = 1 };
	u64 n = *(u64 *)arg;
	pthread_t thread;

	pin(true);
	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param)) {
		perror("births: sched_setscheduler");
		exit(2);
	}
	for (u64 i = 0; i < n; i++) {
		u64 until;

		set_name("newborn"); /* the name of its child from the start */
		born_ns = wall_ns();
		make_thread(&thread);
		born_after_ns = wall_ns();
		set_name("parent");
		for (until = wall_ns() + busy_ns; wall_ns() < until;)
			burn();
		pthread_join(thread, NULL);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	u64 n = arg_u64(argc, argv, 1, 20);
	pthread_t thread;

	busy_ns = arg_u64(argc, argv, 2, 10) * MS;
	if (n > 10000)
		return 64;
	say_pid();
	if (pthread_create(&thread, NULL, parent, &n))
		return 1;
	pthread_join(thread, NULL);
	printf("born %llu\nfirst_ns %llu\nleast_ns %llu\n", (unsigned long long)n_born,
	       (unsigned long long)first_ns, (unsigned long long)least_ns);
	return 0;
}
