/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * storm [N [MS [HOW [WIDTH]]]]: N (300) short lives, WIDTH (8) at a time; each sleeps MS
 * milliseconds (5) in storm_nap and ends.  HOW: "fork" processes, "exec" of this file again,
 * "thread"s, or "kill": processes that would sleep for a minute and are killed in their sleep after
 * MS; nap_ns is then from before their birth to after their end.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "waits.h"

#define MAX_WIDTH 64

static struct waited *naps; /* a slot for each life that is going on, added up at its end */
static struct waited total;
static u64 nap_ns;

NOINLINE void storm_nap(u64 ns);
NOINLINE void storm_nap(u64 ns)
{
	sleep_ns(ns);
	barrier();
}

static void live(struct waited *w)
{
	wait_begins(w);
	storm_nap(nap_ns);
	wait_ends(w);
}

static void *live_as_thread(void *arg)
{
	set_name("storm-child");
	live(arg);
	return NULL;
}

static void add(struct waited *w)
{
	total.n += w->n;
	total.ns += w->ns;
	total.cpu += w->cpu;
	memset(w, 0, sizeof(*w));
}

static pid_t start_process(char **argv, struct waited *w, bool exec, bool to_kill)
{
	char text[32];
	pid_t pid = fork();

	if (pid)
		return pid;
	die_with_parent();
	set_name("storm-child");
	if (exec) {
		snprintf(text, sizeof(text), "%llu", (unsigned long long)nap_ns);
		execl(argv[0], "storm-child", "--one", text, (char *)NULL);
		_exit(127);
	}
	if (to_kill)
		storm_nap(60 * SEC);
	else
		live(w);
	_exit(0);
}

/* The same after an exec, which keeps nothing of ours but the standard output. */
static int live_alone(u64 ns)
{
	struct waited w = { 0 };

	set_name("storm-child");
	nap_ns = ns;
	live(&w);
	printf("alone_ns %llu\n", (unsigned long long)w.ns);
	return 0;
}

static void end_process(struct waited *w, pid_t pid, bool kill_it)
{
	if (kill_it) {
		/* The length of this sleep is known only here, and only roughly. */
		sleep_ns(nap_ns);
		kill(pid, SIGKILL);
	}
	waitpid(pid, NULL, 0);
	if (kill_it)
		wait_ends(w);
	add(w);
}

int main(int argc, char **argv)
{
	const char *how = argc > 3 ? argv[3] : "fork";
	u64 n, width = arg_u64(argc, argv, 4, 8);
	bool is_kill = !strcmp(how, "kill"), is_exec = !strcmp(how, "exec");
	bool is_thread = !strcmp(how, "thread");
	pthread_t threads[MAX_WIDTH];
	pid_t pids[MAX_WIDTH];

	if (argc == 3 && !strcmp(argv[1], "--one"))
		return live_alone(strtoull(argv[2], NULL, 10));
	n = arg_u64(argc, argv, 1, 300);
	nap_ns = arg_u64(argc, argv, 2, 5) * MS;
	if (!n || n > 100000 || !width || width > MAX_WIDTH)
		return 64;
	naps = shared(sizeof(*naps) * MAX_WIDTH);
	say_pid();
	for (u64 i = 0; i < n + width; i++) {
		u64 slot = i % width;

		if (i >= width && is_thread) {
			pthread_join(threads[slot], NULL);
			add(&naps[slot]);
		} else if (i >= width) {
			end_process(&naps[slot], pids[slot], is_kill);
		}
		if (i >= n)
			continue;
		if (is_thread) {
			if (pthread_create(&threads[slot], NULL, live_as_thread, &naps[slot]))
				return 1;
			continue;
		}
		if (is_kill)
			wait_begins(&naps[slot]);
		pids[slot] = start_process(argv, &naps[slot], is_exec, is_kill);
		if (pids[slot] < 0)
			return 1;
	}
	say_waited("nap", &total);
	printf("nominal_ns %llu\nlives %llu\n", (unsigned long long)(n * nap_ns),
	       (unsigned long long)n);
	return 0;
}
