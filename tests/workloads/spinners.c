/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * spinners [SECONDS [MS [FILE]]]: as many "spinner" threads as there are CPUs and one more, in
 * spin_here, and a "sleeper" that naps MS milliseconds (5) at a time in nap_here, or reads 64 bytes
 * of a device that makes it wait.  Its timer or interrupt always interrupts a spinner, which has
 * nothing to do with it.
 */
#include <pthread.h>

#include "waits.h"

static u64 end;
static int device = -1;

NOINLINE void spin_here(void);
NOINLINE void spin_here(void)
{
	while (wall_ns() < end)
		burn();
	barrier();
}

NOINLINE void nap_here(u64 ns);
NOINLINE void nap_here(u64 ns)
{
	char bytes[64];

	if (device >= 0)
		raw_syscall(SYS_read, device, (long)bytes, sizeof(bytes), 0);
	else
		sleep_ns(ns);
	barrier();
}

static void *spinner(void *arg)
{
	set_name("spinner");
	spin_here();
	return arg;
}

int main(int argc, char **argv)
{
	u64 ns = arg_ns(argc, argv, 1, 1), nap_ns = arg_u64(argc, argv, 2, 5) * MS;
	u64 voluntary, forced, ran, delayed;
	long n = sysconf(_SC_NPROCESSORS_ONLN) + 1;
	struct waited nap = { 0 };
	pthread_t thread;

	if (argc > 3 && (device = open(argv[3], O_RDONLY)) < 0)
		return 1;
	say_pid();
	end = wall_ns() + ns;
	for (long i = 0; i < n; i++)
		if (pthread_create(&thread, NULL, spinner, NULL))
			return 1;
	set_name("sleeper");
	setpriority(PRIO_PROCESS, (id_t)my_tid(),
		    -10); /* as root: get a CPU soon, not after turns */
	while (wall_ns() < end) {
		wait_begins(&nap);
		nap_here(nap_ns);
		wait_ends(&nap);
	}
	switch_counts(&voluntary, &forced);
	schedstat(&ran, &delayed);
	wait_over(&nap);
	say_waited("nap", &nap);
	printf("nominal_ns %llu\nvoluntary %llu\nforced %llu\ndelayed %llu\n",
	       (unsigned long long)(nap.n * nap_ns), (unsigned long long)voluntary,
	       (unsigned long long)forced, (unsigned long long)delayed);
	return 0;
}
