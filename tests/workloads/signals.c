/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * signals [N [MS]]: process "sig-waiter" waits N times (50) for a signal in wait_signal;
 * "sig-sender" sends one from send_signal every MS milliseconds (5), and sleeps in sender_nap in
 * between.
 */
#include <signal.h>
#include <sys/wait.h>

#include "waits.h"

static struct shared_part {
	struct waited waited;
	u32 n_seen;
} * both;

NOINLINE void wait_signal(u64 set);
NOINLINE void wait_signal(u64 set)
{
	raw_syscall(SYS_rt_sigtimedwait, (long)&set, 0, 0, sizeof(set));
	barrier();
}

NOINLINE void send_signal(pid_t pid);
NOINLINE void send_signal(pid_t pid)
{
	raw_syscall(SYS_kill, pid, SIGUSR1, 0, 0);
	barrier();
}

NOINLINE void sender_nap(u64 ns);
NOINLINE void sender_nap(u64 ns)
{
	sleep_ns(ns);
	barrier();
}

int main(int argc, char **argv)
{
	u64 n = arg_u64(argc, argv, 1, 50), ns = arg_u64(argc, argv, 2, 5) * MS;
	sigset_t set;
	pid_t waiter;

	if (n > 100000)
		return 64;
	both = shared(sizeof(*both));
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	say_pid();
	waiter = fork();
	if (!waiter) {
		die_with_parent();
		set_name("sig-waiter");
		for (u64 i = 0; i < n; i++) {
			wait_begins(&both->waited);
			wait_signal(1ull << (SIGUSR1 - 1));
			wait_ends(&both->waited);
			store(&both->n_seen, (u32)i + 1);
		}
		wait_over(&both->waited);
		return 0;
	}
	set_name("sig-sender");
	for (u32 i = 0; i < n; i++) {
		sender_nap(ns);
		send_signal(waiter);
		while (load(&both->n_seen) <= i)
			sched_yield();
	}
	waitpid(waiter, NULL, 0);
	say_waited("signal", &both->waited);
	return 0;
}
