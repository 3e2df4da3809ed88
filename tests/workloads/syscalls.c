/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * syscalls [SECONDS [zero|getppid|vdso|nap]]: the same time spent in the kernel (reading /dev/zero,
 * an empty system call), in the vdso (clock_gettime), or not at all.
 */
#include <fcntl.h>

#include "work.h"

static char buf[65536];

NOINLINE void read_zero(void);
NOINLINE void read_zero(void)
{
	static int fd = -1;

	if (fd < 0)
		fd = open("/dev/zero", O_RDONLY);
	for (int i = 0; i < 100; i++)
		raw_syscall(SYS_read, fd, (long)buf, sizeof(buf), 0);
	barrier();
}

NOINLINE void ask_parent(void);
NOINLINE void ask_parent(void)
{
	for (int i = 0; i < 10000; i++)
		raw_syscall(SYS_getppid, 0, 0, 0, 0);
	barrier();
}

NOINLINE void ask_time(void);
NOINLINE void ask_time(void)
{
	struct timespec t;

	for (int i = 0; i < 10000; i++)
		clock_gettime(CLOCK_MONOTONIC, &t);
	barrier();
}

NOINLINE void take_nap(void);
NOINLINE void take_nap(void)
{
	struct timespec t = { .tv_nsec = 10000000 };

	raw_syscall(SYS_nanosleep, (long)&t, 0, 0, 0);
	barrier();
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*fn)(void);
	} kinds[] = {
		{ "zero", read_zero },
		{ "getppid", ask_parent },
		{ "vdso", ask_time },
		{ "nap", take_nap },
	};
	u64 ns = arg_ns(argc, argv, 1, 1), limit = wall_limit(ns), start = wall_ns();
	const char *name = argc > 2 ? argv[2] : "zero";

	say_pid();
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		bool sleeps = kinds[i].fn == take_nap;

		if (strcmp(name, kinds[i].name))
			continue;
		while ((sleeps ? wall_ns() - start : cpu_ns()) < ns && wall_ns() < limit)
			kinds[i].fn();
		printf("cpu_ns %llu\n", (unsigned long long)cpu_ns());
		return 0;
	}
	return 64;
}
