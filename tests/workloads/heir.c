/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * heir [MS [HOW]]: while main waits in first_wait, its thread "heir" sleeps MS milliseconds (200)
 * in heir_nap, and then executes this file again: the kernel ends main, and gives its id to heir,
 * which sleeps MS once more.  HOW: "gone": main ends at once, long before.  Prints "pid", the "tid"
 * that heir had, and the nanoseconds that passed before the exec ("before_ns") and after it
 * ("after_ns").
 */
#include <pthread.h>

#include "waits.h"

static const char *self, *ms = "200";
static u64 nap_ns, began;

NOINLINE void heir_nap(void);
NOINLINE void heir_nap(void)
{
	sleep_ns(nap_ns);
	barrier();
}

static void *inherit(void *arg)
{
	char from[24], to[24], tid[24];

	set_name("heir");
	heir_nap();
	snprintf(from, sizeof(from), "%llu", (unsigned long long)began);
	snprintf(to, sizeof(to), "%llu", (unsigned long long)wall_ns());
	snprintf(tid, sizeof(tid), "%ld", syscall(SYS_gettid));
	execl(self, self, ms, "heir", from, to, tid, NULL);
	_exit(1);
	return arg;
}

NOINLINE void first_wait(void);
NOINLINE void first_wait(void)
{
	raw_syscall(SYS_ppoll, 0, 0, 0, 0);
	barrier();
}

int main(int argc, char **argv)
{
	pthread_t thread;

	nap_ns = arg_u64(argc, argv, 1, 200) * MS;
	if (argc > 5 && !strcmp(argv[2], "heir")) {
		heir_nap();
		say_pid();
		printf("tid %s\nbefore_ns %llu\nafter_ns %llu\n", argv[5],
		       (unsigned long long)(arg_u64(argc, argv, 4, 0) - arg_u64(argc, argv, 3, 0)),
		       (unsigned long long)(wall_ns() - arg_u64(argc, argv, 4, 0)));
		return 0;
	}
	self = argv[0];
	if (argc > 1)
		ms = argv[1];
	began = wall_ns();
	if (pthread_create(&thread, NULL, inherit, NULL))
		return 1;
	if (argc > 2 && !strcmp(argv[2], "gone"))
		pthread_exit(NULL);
	first_wait();
	return 1;
}
