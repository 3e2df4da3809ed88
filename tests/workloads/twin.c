/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * twin WHAT N [WHAT N]...: in order.  Two twins have the same code in memory: a test watches one of
 * them and reads the other's.
 *
 *	wait	until SIGUSR1 comes, N times
 *	call	call_twin, N times
 *	thread	the same in a new thread, which ends
 *	fork	the same in a child, which is waited for
 *	below	the same in a child that a new thread has started, and in a child of that one
 *	crowd	N children are there at once on one CPU and take turns: each does it 100 times, and
 *		10 times in a child of its own
 *	spawn	the same in a new program (twin call N), which is waited for
 *	again	execs itself, with the remaining arguments
 *	other	the same in another thread than the first
 *	leave	the first thread ends, and another does the remaining arguments
 *
 * Prints its pid, and then where call_twin is.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include "work.h"

NOINLINE void call_twin(int i);
NOINLINE void call_twin(int i)
{
	__asm__ volatile("" : "+r"(i));
	barrier();
}

static char **arguments; /* the current command's: WHAT N ... */

static void call(int n)
{
	for (int i = 0; i < n; i++)
		call_twin(i);
}

static void wait_for_signal(int n)
{
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	for (int i = 0; i < n; i++)
		sigwait(&set, &sig);
}

static void in_thread(void *(*run)(void *), int *n)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, n) || pthread_join(thread, NULL))
		exit(71);
}

static void *call_here(void *n)
{
	call(*(int *)n);
	return NULL;
}

static void thread(int n)
{
	in_thread(call_here, &n);
}

static void wait_for(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child || status)
		exit(71);
}

static void in_child(void (*run)(int), int n)
{
	pid_t child = fork();

	if (!child) {
		run(n);
		_exit(0);
	}
	wait_for(child);
}

static void fork_one(int n)
{
	in_child(call, n);
}

static void call_and_fork(int n)
{
	call(n);
	in_child(call, n);
}

static void *fork_here(void *n)
{
	in_child(call_and_fork, *(int *)n);
	return NULL;
}

static void below(int n)
{
	in_thread(fork_here, &n);
}

static void call_in_turn(int n)
{
	for (int i = 0; i < n; i++) {
		call_twin(i);
		sched_yield();
	}
}

static void crowd(int n)
{
	pid_t *children = calloc((size_t)n, sizeof(*children));
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	for (int i = 0; i < n; i++) {
		children[i] = fork();
		if (!children[i]) {
			call_in_turn(i % 50);
			in_child(call_in_turn, 10);
			call_in_turn(100 - i % 50);
			_exit(0);
		}
	}
	for (int i = 0; i < n; i++)
		wait_for(children[i]);
	free(children);
}

static void run_again(int n)
{
	(void)n;
	arguments[1] = (char[]){ "/proc/self/exe" };
	execv("/proc/self/exe", arguments + 1);
	exit(71);
}

static void spawn(int n)
{
	char count[16], name[] = "twin", what[] = "call", *argv[] = { name, what, count, NULL };
	extern char **environ;
	pid_t child;

	snprintf(count, sizeof(count), "%d", n);
	if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, argv, environ))
		exit(71);
	wait_for(child);
}

static void *again_here(void *n)
{
	run_again(*(int *)n);
	return NULL;
}

static void other(int n)
{
	in_thread(again_here, &n);
}

static void leave(int n);

static const struct job {
	const char *name;
	void (*run)(int n);
} jobs[] = {
	{ "wait", wait_for_signal }, { "call", call },	 { "thread", thread },
	{ "fork", fork_one },	     { "below", below }, { "spawn", spawn },
	{ "again", run_again },	     { "other", other }, { "leave", leave },
	{ "crowd", crowd },
};

static void run_all(void)
{
	while (arguments[0] && arguments[1]) {
		size_t i = 0;

		while (i < sizeof(jobs) / sizeof(*jobs) && strcmp(jobs[i].name, arguments[0]) != 0)
			i++;
		if (i == sizeof(jobs) / sizeof(*jobs))
			exit(64);
		jobs[i].run(atoi(arguments[1]));
		arguments += 2;
	}
}

static void *run_the_rest(void *unused)
{
	(void)unused;
	arguments += 2;
	run_all();
	exit(0);
}

static void leave(int n)
{
	pthread_t thread;

	(void)n;
	if (pthread_create(&thread, NULL, run_the_rest, NULL))
		exit(71);
	pthread_exit(NULL);
}

int main(int argc, char **argv)
{
	sigset_t set;

	(void)argc;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	say_pid();
	printf("at %lu\n", (unsigned long)(uintptr_t)call_twin);
	fflush(stdout);
	arguments = argv + 1;
	run_all();
	return 0;
}
