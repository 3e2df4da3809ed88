/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * victims [N [MS]]: N (20) children "victim", one after the other, burn in victim_burn until their
 * alarm ends them after MS milliseconds (20): the timer interrupts them, and they die on the way
 * back from the interrupt.  main waits for each of them in wait_victim.
 */
#include <sys/time.h>
#include <sys/wait.h>

#include "waits.h"

NOINLINE void victim_burn(void);
NOINLINE void victim_burn(void)
{
	for (;;)
		barrier();
}

NOINLINE void wait_victim(pid_t pid);
NOINLINE void wait_victim(pid_t pid)
{
	raw_syscall(SYS_wait4, pid, 0, 0, 0);
	barrier();
}

int main(int argc, char **argv)
{
	u64 n = arg_u64(argc, argv, 1, 20), us = arg_u64(argc, argv, 2, 20) * 1000;
	struct itimerval alarm = { .it_value = { (time_t)(us / 1000000), (long)(us % 1000000) } };
	static struct waited victim;

	if (n > 10000)
		return 64;
	say_pid();
	for (u64 i = 0; i < n; i++) {
		pid_t pid = fork();

		if (!pid) {
			die_with_parent();
			set_name("victim");
			setitimer(ITIMER_REAL, &alarm, NULL);
			victim_burn();
		}
		wait_begins(&victim);
		wait_victim(pid);
		wait_ends(&victim);
	}
	wait_over(&victim);
	say_waited("victim", &victim);
	return 0;
}
