/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * spans WHAT N [WHAT N]...: known numbers of span_begin(key, value) and span_end(key), in order.
 *
 *	ms	from here on spans last N milliseconds at least (0)
 *	pairs	N spans in each of 8 threads, keys of all interleaved, begun and ended by the same
 *		thread in different order; value: the thread's number, 0 to 7
 *	handed	N spans that one thread begins and another ends, with 4 pairs of threads at it
 *	twice	N times begun (value 1) and begun again (value 2), then ended
 *	same	N spans in each of 8 threads, all of one key (values i), then 2 more ends of it: no
 *		more spans than that can be open
 *	open	N spans that are begun and never ended
 *	ended	N spans that are ended and never begun
 *	nested	span_outer() calls span_inner() within, N times
 *	exits	N threads that begin and end themselves
 *	forked	a child with a copy of the memory begins and ends the same keys, N of them
 *	chunks	N times chunk_get(10) by tidy() and chunk_put() of it, and for each chunk_get(30) by
 *		leaky(), which are never put back
 */
#include <pthread.h>
#include <sys/wait.h>

#include "jobs.h"

#define N_THREADS 8
#define N_PAIRS	  4
#define KEYS	  16 /* open at a time, of each thread */

NOINLINE void span_begin(const void *key, int value);
NOINLINE void span_begin(const void *key, int value)
{
	(void)key;
	(void)value;
	barrier();
}

NOINLINE void span_end(const void *key);
NOINLINE void span_end(const void *key)
{
	(void)key;
	barrier();
}

static int ms;

static void last(void)
{
	u64 until = wall_ns() + (u64)ms * MS;

	while (ms && wall_ns() < until)
		usleep(1000);
}

/* ---- pairs: all threads at the same time, none's keys are another's */

struct mine {
	pthread_t thread;
	int number, n;
	char keys[KEYS];
};

static pthread_barrier_t gate;

static void *run_pairs(void *arg)
{
	struct mine *m = arg;
	int done = 0;

	pthread_barrier_wait(&gate);
	while (done < m->n) {
		int now = m->n - done < KEYS ? m->n - done : KEYS;

		for (int i = 0; i < now; i++)
			span_begin(&m->keys[i], m->number);
		last();
		for (int i = 0; i < now; i++)
			span_end(&m->keys[(i * 7 + done) % now]);
		done += now;
	}
	return NULL;
}

/* 7 and KEYS have no common divisor: each is ended once. */
static void do_pairs(int n)
{
	static struct mine threads[N_THREADS];

	pthread_barrier_init(&gate, NULL, N_THREADS);
	for (int i = 0; i < N_THREADS; i++) {
		threads[i].number = i;
		threads[i].n = n / KEYS * KEYS;
		pthread_create(&threads[i].thread, NULL, run_pairs, &threads[i]);
	}
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i].thread, NULL);
}

/* ---- handed: from one thread to another */

struct hand {
	pthread_t from, to;
	int n;
	volatile int full;
	char key;
};

static void *run_from(void *arg)
{
	struct hand *h = arg;

	for (int i = 0; i < h->n; i++) {
		while (__atomic_load_n(&h->full, __ATOMIC_ACQUIRE))
			sched_yield();
		span_begin(&h->key, i);
		__atomic_store_n(&h->full, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void *run_to(void *arg)
{
	struct hand *h = arg;

	for (int i = 0; i < h->n; i++) {
		while (!__atomic_load_n(&h->full, __ATOMIC_ACQUIRE))
			sched_yield();
		span_end(&h->key);
		__atomic_store_n(&h->full, 0, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void do_handed(int n)
{
	static struct hand hands[N_PAIRS];

	for (int i = 0; i < N_PAIRS; i++) {
		hands[i].n = n;
		pthread_create(&hands[i].from, NULL, run_from, &hands[i]);
		pthread_create(&hands[i].to, NULL, run_to, &hands[i]);
	}
	for (int i = 0; i < N_PAIRS; i++) {
		pthread_join(hands[i].from, NULL);
		pthread_join(hands[i].to, NULL);
	}
}

/* ---- one thread */

static char *key_of(int i)
{
	return (char *)0x1000 + i;
}

static void do_twice(int n)
{
	for (int i = 0; i < n; i++) {
		span_begin(key_of(i), 1);
		span_begin(key_of(i), 2);
		span_end(key_of(i));
	}
}

static void *run_same(void *arg)
{
	pthread_barrier_wait(&gate);
	for (int i = 0; i < *(const int *)arg; i++) {
		span_begin(key_of(0), i);
		span_end(key_of(0));
	}
	return NULL;
}

static void do_same(int n)
{
	pthread_t threads[N_THREADS];

	pthread_barrier_init(&gate, NULL, N_THREADS);
	for (int i = 0; i < N_THREADS; i++)
		pthread_create(&threads[i], NULL, run_same, &n);
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 2; i++)
		span_end(key_of(0));
}

static void do_open(int n)
{
	for (int i = 0; i < n; i++)
		span_begin(key_of(i), i);
}

static void do_ended(int n)
{
	for (int i = 0; i < n; i++)
		span_end(key_of(i));
}

NOINLINE int span_inner(int i);
NOINLINE int span_inner(int i)
{
	last();
	barrier();
	return i;
}

NOINLINE int span_outer(int i);
NOINLINE int span_outer(int i)
{
	int ret = span_inner(i) + 1;

	barrier();
	return ret;
}

static void do_nested(int n)
{
	for (int i = 0; i < n; i++)
		span_outer(i);
}

static void *run_exit(void *arg)
{
	span_begin(arg, 0);
	return NULL;
}

static void do_exits(int n)
{
	for (int i = 0; i < n; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, run_exit, NULL);
		pthread_join(thread, NULL);
	}
}

static void do_forked(int n)
{
	pid_t child;

	for (int i = 0; i < n; i++)
		span_begin(key_of(i), 1);
	child = fork();
	if (!child) {
		for (int i = 0; i < n; i++)
			span_begin(key_of(i), 2);
		for (int i = 0; i < n; i++)
			span_end(key_of(i));
		_exit(0);
	}
	waitpid(child, NULL, 0);
	for (int i = 0; i < n; i++)
		span_end(key_of(i));
}

/* ---- chunks: what an allocator does */

static char *next_chunk = (char *)0x10000;

NOINLINE void *chunk_get(size_t size);
NOINLINE void *chunk_get(size_t size)
{
	barrier();
	return next_chunk += size;
}

NOINLINE void chunk_put(void *chunk);
NOINLINE void chunk_put(void *chunk)
{
	(void)chunk;
	barrier();
}

NOINLINE void tidy(void);
NOINLINE void tidy(void)
{
	chunk_put(chunk_get(10));
	barrier();
}

NOINLINE void leaky(void);
NOINLINE void leaky(void)
{
	chunk_get(30);
	barrier();
}

static void do_chunks(int n)
{
	for (int i = 0; i < n; i++) {
		tidy();
		leaky();
	}
	last();
}

static void do_ms(int n)
{
	ms = n;
}

static const struct job jobs[] = {
	{ "ms", do_ms },	 { "pairs", do_pairs }, { "handed", do_handed },
	{ "twice", do_twice },	 { "open", do_open },	{ "ended", do_ended },
	{ "nested", do_nested }, { "exits", do_exits }, { "forked", do_forked },
	{ "chunks", do_chunks }, { "same", do_same },
};

int main(int argc, char **argv)
{
	return run_jobs(jobs, sizeof(jobs) / sizeof(jobs[0]), argc, argv);
}
