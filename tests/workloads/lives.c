/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lives [SECONDS [WIDTH]]: WIDTH (6) processes that create others and wait for their end, all the
 * time, drawn by lot: fork, fork and exec, vfork and exec, a thread, or a fork that is killed. Each
 * of those burns up to 2 ms and sleeps up to 4 ms, so that two CPUs have too much to do.
 */
#include <pthread.h>
#include <sys/wait.h>

#include "waits.h"

static u64 lot;

static u32 draw(u32 n)
{
	lot = lot * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(lot >> 33) % n;
}

static void live(u32 seed)
{
	u64 until = wall_ns() + seed % 2000 * 1000;

	while (wall_ns() < until)
		barrier();
	if (seed & 1)
		sleep_ns(seed % 4000 * 1000);
}

static void *live_as_thread(void *arg)
{
	live((u32)(uintptr_t)arg);
	return NULL;
}

static void exec_one(const char *seed)
{
	execl("/proc/self/exe", "lives", "--one", seed, (char *)NULL);
	_exit(127);
}

static void bear_process(u32 how)
{
	u32 seed = draw(1u << 20);
	char text[16];
	pid_t pid;

	snprintf(text, sizeof(text), "%u", seed);
	pid = how == 2 ? vfork() : fork();
	if (!pid) {
		if (how == 1 || how == 2)
			exec_one(text);
		live(how == 3 ? seed | 1 : seed);
		_exit(0);
	}
	if (how == 3 && pid > 0) {
		sleep_ns(seed % 1000 * 1000);
		kill(pid, SIGKILL);
	}
	waitpid(pid, NULL, 0);
}

static void bear(void)
{
	u32 how = draw(5);
	pthread_t thread;

	if (how < 4) {
		bear_process(how);
		return;
	}
	if (!pthread_create(&thread, NULL, live_as_thread, (void *)(uintptr_t)draw(1u << 20)))
		pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	u64 ns, start = wall_ns();
	u32 width;

	if (argc > 2 && !strcmp(argv[1], "--one")) {
		live((u32)strtoul(argv[2], NULL, 10));
		return 0;
	}
	ns = arg_ns(argc, argv, 1, 10);
	width = (u32)arg_u64(argc, argv, 2, 6);
	printf("pid %d\n", getpid());
	fflush(stdout);
	for (u32 i = 0; i < width; i++) {
		if (fork())
			continue;
		die_with_parent();
		lot = start ^ (u64)i << 40;
		while (wall_ns() - start < ns)
			bear();
		_exit(0);
	}
	while (waitpid(-1, NULL, 0) > 0)
		;
	return 0;
}
