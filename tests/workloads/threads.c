/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * threads [SECONDS [N]]: N named threads (3); thread wk-I burns (I + 1) parts of SECONDS in all.
 * The main thread waits in pthread_join.  Prints tid and CPU time of each.
 */
#include <pthread.h>

#include "work.h"

#define MAX_THREADS 64

struct worker {
	pthread_t thread;
	u64 budget, limit, used;
	pid_t tid;
};

static pthread_barrier_t start;

NOINLINE void thread_work(struct worker *w);
NOINLINE void thread_work(struct worker *w)
{
	while (cpu_ns() < w->budget && wall_ns() < w->limit)
		burn();
	w->used = cpu_ns();
	barrier();
}

static void *body(void *arg)
{
	struct worker *w = arg;

	w->tid = (pid_t)syscall(SYS_gettid);
	pthread_barrier_wait(&start);
	thread_work(w);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct worker workers[MAX_THREADS];
	u64 ns = arg_ns(argc, argv, 1, 1), n = arg_u64(argc, argv, 2, 3);

	if (!n || n > MAX_THREADS)
		return 64;
	say_pid();
	pthread_barrier_init(&start, NULL, (unsigned int)n + 1);
	for (u64 i = 0; i < n; i++) {
		struct worker *w = &workers[i];
		char name[16];

		w->budget = ns * (i + 1) * 2 / (n * (n + 1));
		w->limit = wall_limit(ns);
		if (pthread_create(&w->thread, NULL, body, w))
			return 1;
		snprintf(name, sizeof(name), "wk-%d", (int)i);
		pthread_setname_np(w->thread, name);
	}
	pthread_barrier_wait(&start);
	for (u64 i = 0; i < n; i++)
		printf("tid %d wk-%d\n", workers[i].tid, (int)i);
	fflush(stdout);
	for (u64 i = 0; i < n; i++) {
		pthread_join(workers[i].thread, NULL);
		printf("used %d %llu\n", workers[i].tid, (unsigned long long)workers[i].used);
	}
	return 0;
}
