/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * tree [SECONDS [STATUS]]: main, two children and a grandchild of each, all burning an
 * equal part in tree_work; then main exits with STATUS, or dies of signal -STATUS when negative.
 * The second child starts late, after half of the time, so that a tool that follows children of a
 * running process must see its fork.
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "work.h"

NOINLINE void tree_work(u64 ns);
NOINLINE void tree_work(u64 ns)
{
	burn_ns(ns);
	barrier();
}

static pid_t child(const char *name, u64 ns, bool has_child)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_NAME, name);
	tree_work(ns);
	if (has_child)
		waitpid(child("tree-leaf", ns, false), NULL, 0);
	_exit(0);
}

int main(int argc, char **argv)
{
	u64 part = arg_ns(argc, argv, 1, 1) / 5;
	int status = argc > 2 ? atoi(argv[2]) : 0;
	struct rusage u;

	say_pid();
	child("tree-first", part, true);
	tree_work(part / 2);
	child("tree-second", part, true);
	tree_work(part - part / 2);
	while (wait(NULL) > 0)
		;
	getrusage(RUSAGE_CHILDREN, &u);
	printf("cpu_ns %llu\n",
	       (unsigned long long)((u64)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * SEC +
				    (u64)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000 +
				    cpu_ns()));
	fflush(stdout);
	if (status < 0) {
		raise(-status);
		return 1;
	}
	return status;
}
