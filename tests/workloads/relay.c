/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * relay [ROUNDS [MS [N [ring]]]]: N processes (3) in a row of pipes.  relay-1 sleeps MS
 * milliseconds (20) in relay_nap and writes a byte; relay-2 reads it in relay_read and writes one
 * on in relay_write; and so on to relay-N, which only reads: all its waits are waits for relay-1's
 * timer.  With "ring", relay-N writes back to relay-1, which reads before it sleeps again, and each
 * burns a millisecond in relay_burn before it writes: they wait for each other in a circle.  With
 * "ring", a woken process does not preempt its waker (SCHED_BATCH), so that the waker waits itself
 * before the byte has come round, on a single CPU too.
 */
#include <sys/wait.h>

#include "waits.h"

#define MAX_N 40

static struct waited *waited; /* one for each process */
static u64 burn_for;

NOINLINE void relay_nap(u64 ns);
NOINLINE void relay_nap(u64 ns)
{
	sleep_ns(ns);
	barrier();
}

NOINLINE void relay_burn(void);
NOINLINE void relay_burn(void)
{
	burn_ns(burn_for);
	barrier();
}

NOINLINE void relay_read(int fd);
NOINLINE void relay_read(int fd)
{
	char c;

	if (raw_syscall(SYS_read, fd, (long)&c, 1, 0) != 1)
		exit(1);
	barrier();
}

NOINLINE void relay_write(int fd);
NOINLINE void relay_write(int fd)
{
	if (raw_syscall(SYS_write, fd, (long)"x", 1, 0) != 1)
		exit(1);
	barrier();
}

static void run(int i, u64 rounds, u64 ns, int in, int out, int back)
{
	struct waited *w = &waited[i];
	char name[24];

	die_with_parent();
	snprintf(name, sizeof(name), "relay-%d", i + 1);
	set_name(name);
	for (u64 r = 0; r < rounds; r++) {
		wait_begins(w);
		if (in < 0)
			relay_nap(ns);
		else
			relay_read(in);
		wait_ends(w);
		if (burn_for)
			relay_burn();
		if (out >= 0)
			relay_write(out);
		if (in < 0 && back >= 0)
			relay_read(back);
	}
	wait_over(w);
}

int main(int argc, char **argv)
{
	u64 rounds = arg_u64(argc, argv, 1, 20), ms = arg_u64(argc, argv, 2, 20);
	int n = (int)arg_u64(argc, argv, 3, 3), pipes[MAX_N][2];
	bool is_ring = argc > 4 && !strcmp(argv[4], "ring");
	pid_t pids[MAX_N];

	if (n < 2 || n > MAX_N || rounds > 1000000 || ms > 10000)
		return 64;
	waited = shared(sizeof(*waited) * MAX_N);
	say_pid();
	burn_for = is_ring ? MS : 0;
	if (is_ring)
		sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){ 0 });
	for (int i = 0; i < n; i++)
		if (pipe(pipes[i]))
			return 1;
	for (int i = n - 1; i >= 0; i--) {
		pids[i] = fork();
		if (pids[i] < 0)
			return 1;
		if (!pids[i]) {
			run(i, rounds, ms * MS, i ? pipes[i - 1][0] : -1,
			    i < n - 1 || is_ring ? pipes[i][1] : -1,
			    is_ring ? pipes[n - 1][0] : -1);
			return 0;
		}
		printf("relay-%d %d\n", i + 1, pids[i]);
		fflush(stdout);
	}
	while (wait(NULL) > 0)
		;
	for (int i = 0; i < n; i++) {
		char name[24];

		snprintf(name, sizeof(name), "relay-%d", i + 1);
		say_waited(name, &waited[i]);
	}
	return 0;
}
