/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * switches [N]: N naps; prints how many switches the kernel has counted in them (voluntary and
 * not), which `-e context-switches -c 1` must show under nap_all.
 */
#include <sys/resource.h>

#include "work.h"

static u64 n_switches(void)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	return (u64)u.ru_nvcsw + (u64)u.ru_nivcsw;
}

NOINLINE void nap_all(u64 n);
NOINLINE void nap_all(u64 n)
{
	struct timespec t = { .tv_nsec = 50000 };

	for (u64 i = 0; i < n; i++)
		raw_syscall(SYS_nanosleep, (long)&t, 0, 0, 0);
	barrier();
}

int main(int argc, char **argv)
{
	u64 n = arg_u64(argc, argv, 1, 1000), before;

	if (n > 100000)
		return 64;
	say_pid();
	before = n_switches();
	nap_all(n);
	printf("switches %llu\n", (unsigned long long)(n_switches() - before));
	return 0;
}
