/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * naps [N [MS [FOREVER]]]: N sleeps of MS milliseconds (10 of 50) in nap_here.  With FOREVER, in
 * seconds, the main thread first starts a thread that sleeps in nap_forever for that long and does
 * not wake up before the end.  Prints how often the main thread was switched away in its naps.
 */
#include <pthread.h>

#include "waits.h"

NOINLINE void nap_here(u64 ns);
NOINLINE void nap_here(u64 ns)
{
	sleep_ns(ns);
	barrier();
}

NOINLINE void nap_forever(u64 ns);
NOINLINE void nap_forever(u64 ns)
{
	sleep_ns(ns);
	barrier();
}

static void *forever(void *arg)
{
	set_name("forever");
	nap_forever(*(u64 *)arg);
	return NULL;
}

int main(int argc, char **argv)
{
	u64 n = arg_u64(argc, argv, 1, 10), ms = arg_u64(argc, argv, 2, 50);
	u64 ns = arg_ns(argc, argv, 3, 0), voluntary, forced, voluntary_before, forced_before;
	struct waited nap = { 0 };
	pthread_t thread;

	if (n > 1000000 || ms > 60000)
		return 64;
	if (ns && pthread_create(&thread, NULL, forever, &ns))
		return 1;
	say_pid();
	switch_counts(&voluntary_before, &forced_before);
	for (u64 i = 0; i < n; i++) {
		wait_begins(&nap);
		nap_here(ms * MS);
		wait_ends(&nap);
	}
	switch_counts(&voluntary, &forced);
	wait_over(&nap);
	say_waited("nap", &nap);
	printf("nominal_ns %llu\n", (unsigned long long)(n * ms * MS));
	printf("voluntary %llu\nforced %llu\n", (unsigned long long)(voluntary - voluntary_before),
	       (unsigned long long)(forced - forced_before));
	return 0;
}
