/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * swarm [N [MS [fork|exec [WIDTH]]]]: N processes (40), WIDTH at a time (2); each burns MS
 * milliseconds of CPU (50) in brief_work and ends.  "fork" does not exec; "exec" runs this same
 * file again, so that each process has mappings of its own.  Prints the total CPU time.
 */
#include <errno.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "work.h"

NOINLINE void brief_work(u64 ns);
NOINLINE void brief_work(u64 ns)
{
	burn_ns(ns);
	barrier();
}

static void start_one(char **argv, u64 ms, bool exec)
{
	char text[32];
	pid_t pid = fork();

	if (pid < 0) {
		perror("fork");
		exit(1);
	}
	if (pid)
		return;
	if (exec) {
		snprintf(text, sizeof(text), "%llu", (unsigned long long)ms);
		execl(argv[0], argv[0], "--one", text, (char *)NULL);
		_exit(127);
	}
	prctl(PR_SET_NAME, "swarm-child");
	brief_work(ms * MS);
	_exit(0);
}

int main(int argc, char **argv)
{
	u64 n, ms, width;
	bool exec;
	struct rusage u;

	if (argc == 3 && !strcmp(argv[1], "--one")) {
		prctl(PR_SET_NAME, "swarm-child");
		brief_work(arg_u64(argc, argv, 2, 50) * MS);
		return 0;
	}
	n = arg_u64(argc, argv, 1, 40);
	ms = arg_u64(argc, argv, 2, 50);
	exec = argc > 3 && !strcmp(argv[3], "exec");
	width = arg_u64(argc, argv, 4, 2);
	if (n > 10000 || ms > 10000 || !width || width > 64)
		return 64;
	say_pid();
	for (u64 i = 0; i < n; i++) {
		if (i >= width)
			wait(NULL);
		start_one(argv, ms, exec);
	}
	while (wait(NULL) > 0 || errno == EINTR)
		;
	getrusage(RUSAGE_CHILDREN, &u);
	printf("cpu_ns %llu\n",
	       (unsigned long long)((u64)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * SEC +
				    (u64)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000));
	return 0;
}
