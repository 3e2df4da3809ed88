/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * messages [GROUPS [PAIRS [LOOPS]]]: in each of GROUPS (2) PAIRS (10) of senders and receivers,
 * each sender sends LOOPS (50) messages to every receiver of its group over socket pairs: more
 * threads than CPUs, waking each other all the time, so that every race between going to sleep and
 * being woken happens.  Each thread adds up how long it lived and how much of that it ran.
 */
#include <pthread.h>
#include <sys/socket.h>

#include "waits.h"

#define MAX_PAIRS 40
#define BYTES	  100

struct group {
	int in[MAX_PAIRS], out[MAX_PAIRS];
};

static u64 n_groups, n_pairs, n_loops, lived, ran, switches, messages;
static pthread_barrier_t start;

static void account(u64 from, u64 cpu)
{
	u64 voluntary, forced;

	__atomic_fetch_add(&lived, wall_ns() - from, __ATOMIC_RELAXED);
	__atomic_fetch_add(&ran, cpu_ns() - cpu, __ATOMIC_RELAXED);
	switch_counts(&voluntary, &forced);
	__atomic_fetch_add(&switches, voluntary + forced, __ATOMIC_RELAXED);
}

NOINLINE void send_all(struct group *g);
NOINLINE void send_all(struct group *g)
{
	char block[BYTES] = { 0 };

	for (u64 l = 0; l < n_loops; l++)
		for (u64 i = 0; i < n_pairs; i++)
			if (raw_syscall(SYS_write, g->out[i], (long)block, BYTES, 0) != BYTES)
				exit(1);
	barrier();
}

NOINLINE void receive_all(int fd);
NOINLINE void receive_all(int fd)
{
	u64 left = n_pairs * n_loops * BYTES;
	char block[BYTES];

	while (left) {
		long n = raw_syscall(SYS_read, fd, (long)block, BYTES, 0);

		if (n <= 0)
			exit(1);
		left -= (u64)n;
	}
	barrier();
}

static void *sender(void *arg)
{
	u64 from, cpu;

	set_name("msg-sender");
	pthread_barrier_wait(&start);
	from = wall_ns();
	cpu = cpu_ns();
	send_all(arg);
	account(from, cpu);
	return NULL;
}

static void *receiver(void *arg)
{
	u64 from, cpu;

	set_name("msg-receiver");
	pthread_barrier_wait(&start);
	from = wall_ns();
	cpu = cpu_ns();
	receive_all(*(int *)arg);
	account(from, cpu);
	__atomic_fetch_add(&messages, n_pairs * n_loops, __ATOMIC_RELAXED);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t *threads;
	struct group *groups;
	u64 n = 0;

	n_groups = arg_u64(argc, argv, 1, 2);
	n_pairs = arg_u64(argc, argv, 2, 10);
	n_loops = arg_u64(argc, argv, 3, 50);
	if (!n_groups || n_groups > 10 || !n_pairs || n_pairs > MAX_PAIRS || n_loops > 1000000)
		return 64;
	groups = calloc(n_groups, sizeof(*groups));
	threads = calloc(2 * n_groups * n_pairs, sizeof(*threads));
	if (!groups || !threads)
		return 1;
	say_pid();
	pthread_barrier_init(&start, NULL, (unsigned int)(2 * n_groups * n_pairs + 1));
	for (u64 g = 0; g < n_groups; g++) {
		for (u64 i = 0; i < n_pairs; i++) {
			int pair[2];

			if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
				return 1;
			groups[g].in[i] = pair[0];
			groups[g].out[i] = pair[1];
			if (pthread_create(&threads[n++], NULL, receiver, &groups[g].in[i]))
				return 1;
		}
		for (u64 i = 0; i < n_pairs; i++)
			if (pthread_create(&threads[n++], NULL, sender, &groups[g]))
				return 1;
	}
	pthread_barrier_wait(&start);
	for (u64 i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	printf("lived_ns %llu\nran_ns %llu\nswitches %llu\nmessages %llu\n",
	       (unsigned long long)lived, (unsigned long long)ran, (unsigned long long)switches,
	       (unsigned long long)messages);
	return 0;
}
