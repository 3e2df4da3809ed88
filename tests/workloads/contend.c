/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * contend [SECONDS [NICE]]: threads "rival-0" and "rival-1" burn in rival_burn on one CPU, the
 * second one at NICE (0): each is off the CPU only because the other is on it.  They are on the
 * last CPU, and main sleeps in contend_nap.
 */
#include <pthread.h>

#include "waits.h"

struct rival {
	pthread_t thread;
	int i, nice;
	pid_t tid;
	u64 wall, ran, delayed, forced, voluntary;
};

static u64 end;
static pthread_barrier_t start;

NOINLINE void rival_burn(void);
NOINLINE void rival_burn(void)
{
	while (wall_ns() < end)
		burn();
	barrier();
}

NOINLINE void contend_nap(u64 ns);
NOINLINE void contend_nap(u64 ns)
{
	sleep_ns(ns);
	barrier();
}

static void *rival(void *arg)
{
	struct rival *r = arg;
	u64 ran, delayed, from, cpu;
	char name[16];

	snprintf(name, sizeof(name), "rival-%d", r->i);
	set_name(name);
	r->tid = my_tid();
	pin(true);
	setpriority(PRIO_PROCESS, (id_t)r->tid, r->nice);
	pthread_barrier_wait(&start);
	schedstat(&ran, &delayed);
	from = wall_ns();
	cpu = cpu_ns();
	rival_burn();
	r->wall = wall_ns() - from;
	r->ran = cpu_ns() - cpu;
	schedstat(&ran, &r->delayed);
	r->delayed -= delayed;
	switch_counts(&r->voluntary, &r->forced);
	return NULL;
}

int main(int argc, char **argv)
{
	u64 ns = arg_ns(argc, argv, 1, 1);
	int nice = (int)arg_u64(argc, argv, 2, 0);
	struct rival rivals[2] = { { .i = 0 }, { .i = 1, .nice = nice } };

	say_pid();
	pthread_barrier_init(&start, NULL, 3);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&rivals[i].thread, NULL, rival, &rivals[i]))
			return 1;
	end = wall_ns() + ns;
	pthread_barrier_wait(&start);
	contend_nap(ns);
	for (int i = 0; i < 2; i++) {
		struct rival *r = &rivals[i];

		pthread_join(r->thread, NULL);
		printf("tid-%d %d\nwall-%d %llu\nran-%d %llu\ndelayed-%d %llu\nforced-%d %llu\n", i,
		       r->tid, i, (unsigned long long)r->wall, i, (unsigned long long)r->ran, i,
		       (unsigned long long)r->delayed, i, (unsigned long long)r->forced);
	}
	return 0;
}
