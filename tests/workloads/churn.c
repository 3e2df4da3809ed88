/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * churn [RATE [SECONDS]]: a host that never stops changing.  RATE (500) processes per second are
 * forked and exec this file again; each one descends through functions that it draws by lot, so
 * that hardly any stack occurs twice, burns 0.1 ms, sleeps 1 ms, and ends.  Prints their number.
 *
 * churn --descend [SECONDS [US [N]]]: one process that does this for SECONDS and at least N times,
 * with a sleep of US (1000) us each time; 0: it yields its CPU instead.  Prints how long it lived,
 * and how much of that on a CPU.
 */
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "work.h"

#define MAX_DEPTH 100

static u64 lot;	       /* the state of the lottery */
static u64 sleep_time; /* ns; 0: yield */

INLINE u32 draw(u32 n)
{
	lot = lot * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(lot >> 33) % n;
}

INLINE void rest(void)
{
	const struct timespec t = { 0, (long)sleep_time };

	burn();
	if (sleep_time)
		raw_syscall(SYS_nanosleep, (long)&t, 0, 0, 0);
	else
		raw_syscall(SYS_sched_yield, 0, 0, 0, 0);
}

NOINLINE static void descend(u32 depth);

#define BRANCH(name)                               \
	NOINLINE static void branch_##name(u32 n); \
	NOINLINE static void branch_##name(u32 n)  \
	{                                          \
		descend(n - 1);                    \
		barrier();                         \
	}

BRANCH(a)
BRANCH(b)
BRANCH(c)
BRANCH(d)

NOINLINE static void descend(u32 depth)
{
	static void (*const branches[])(u32) = { branch_a, branch_b, branch_c, branch_d };

	if (depth)
		branches[draw(4)](depth);
	else
		rest();
	barrier();
}

static void begin_lottery(void)
{
	lot = wall_ns() ^ (u64)getpid() << 40;
	sleep_time = MS;
}

static void start_one(char **argv)
{
	pid_t pid = fork();

	if (pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	execl("/proc/self/exe", argv[0], "--one", (char *)NULL);
	_exit(127);
}

static int churn(char **argv, u64 rate, u64 ns)
{
	u64 start = wall_ns(), n = 0, now;

	signal(SIGCHLD, SIG_IGN); /* nobody waits for them */
	for (now = start; now - start < ns; now = wall_ns()) {
		const struct timespec t = { 0, (long)MS };

		while (n < (now - start) * rate / SEC) {
			start_one(argv);
			n++;
		}
		nanosleep(&t, NULL);
	}
	printf("n %llu\n", (unsigned long long)n);
	return 0;
}

static int descend_for(u64 ns, u64 at_least)
{
	u64 start = wall_ns(), n = 0, wall;

	for (; n < at_least || wall_ns() - start < ns; n++)
		descend(10 + draw(MAX_DEPTH / 2 - 10));
	wall = wall_ns() - start;
	printf("n %llu\nwall_ns %llu\ncpu_ns %llu\n", (unsigned long long)n,
	       (unsigned long long)wall, (unsigned long long)cpu_ns());
	return 0;
}

int main(int argc, char **argv)
{
	begin_lottery();
	if (argc > 1 && !strcmp(argv[1], "--one")) {
		descend(10 + draw(MAX_DEPTH / 2 - 10));
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "--descend")) {
		u64 ns = arg_ns(argc, argv, 2, 10);

		sleep_time = arg_u64(argc, argv, 3, 1000) * 1000;
		return descend_for(ns, arg_u64(argc, argv, 4, 0));
	}
	return churn(argv, arg_u64(argc, argv, 1, 500), arg_ns(argc, argv, 2, 10));
}
