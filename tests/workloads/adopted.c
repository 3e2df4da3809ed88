/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * adopted [N [MS]]: a thread "stranger" sleeps for 300 ms in first_nap; in the middle of it another
 * thread renames it to "adopted"; then it sleeps N times (5) MS milliseconds (20) in later_nap.
 * The main thread is called "main".
 */
#include <pthread.h>

#include "waits.h"

#define FIRST_NS (300 * MS)

static u64 n, ns;
static pid_t tid;
static u32 sleeps;

NAP(first_nap)
NAP(later_nap)

static void *stranger(void *arg)
{
	struct waited *w = arg;

	set_name("stranger");
	tid = my_tid();
	store(&sleeps, 1);
	first_nap(FIRST_NS);
	for (u64 i = 0; i < n; i++) {
		wait_begins(w);
		later_nap(ns);
		wait_ends(w);
	}
	return NULL;
}

static void adopt(void)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/comm", (int)tid);
	f = fopen(path, "w");
	if (!f || fputs("adopted", f) < 0 || fclose(f))
		exit(1);
}

int main(int argc, char **argv)
{
	struct waited w = { 0 };
	pthread_t thread;

	set_name("main");
	n = arg_u64(argc, argv, 1, 5);
	ns = arg_u64(argc, argv, 2, 20) * MS;
	if (n > 10000 || pthread_create(&thread, NULL, stranger, &w))
		return 64;
	while (!load(&sleeps))
		sleep_ns(MS);
	sleep_ns(FIRST_NS / 2);
	adopt();
	pthread_join(thread, NULL);
	say_waited("adopted", &w);
	return 0;
}
