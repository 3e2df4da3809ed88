/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * spawn FILE PROGRAM ARGS...: run it and write what it used to FILE.  Small on purpose: the
 * kernel's ru_maxrss of a child never falls below what its parent had when it forked.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static pid_t child;

static void pass_on(int sig)
{
	if (child > 0)
		kill(child, sig);
}

int main(int argc, char **argv)
{
	double start = now();
	struct rusage u;
	int status;
	FILE *f;

	if (argc < 3)
		return 64;
	child = fork();
	if (!child) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	signal(SIGINT, pass_on);
	signal(SIGTERM, pass_on);
	while (wait4(child, &status, 0, &u) < 0)
		;
	f = fopen(argv[1], "w");
	if (!f)
		return 1;
	fprintf(f,
		"{\"status\":%d,\"wall_s\":%.6f,\"user_s\":%.6f,\"system_s\":%.6f,\"maxrss_kb\":%ld}\n",
		WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), now() - start,
		(double)u.ru_utime.tv_sec + (double)u.ru_utime.tv_usec / 1e6,
		(double)u.ru_stime.tv_sec + (double)u.ru_stime.tv_usec / 1e6, u.ru_maxrss);
	return fclose(f) != 0;
}
