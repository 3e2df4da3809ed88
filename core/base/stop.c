// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/stop.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

/* timeout(1) signals its child and then the child's process group: count the two as one signal. */
#define SAME_WISH_NS   (50 * NS_PER_MS)
#define START_SECONDS  1
/* Leaves time for the rest of the shutdown, so that a signal takes effect within a second. */
#define PATIENCE_NS    (750 * NS_PER_MS)
#define SIGNALS_TO_DIE 3

static const int end_signals[] = { SIGINT, SIGTERM, SIGHUP };

/* Written by the signal handlers, which mask each other. */
static volatile sig_atomic_t first, n_taken, has_snapshot;
static volatile u64 last_ns;
static volatile bool impatient, is_starting;

static void say(const char *text)
{
	struct pollfd p = { .fd = STDERR_FILENO, .events = POLLOUT };

	/* Do not wait for a reader: the process is about to die. */
	if (poll(&p, 1, 0) == 1 && write(STDERR_FILENO, text, strlen(text)) < 0)
		return;
}

static _Noreturn void die(int signo)
{
	sigset_t set;

	signal(signo, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, signo);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(signo);
	_exit(128 + signo);
}

static _Noreturn void die_starting(void)
{
	say("bperf: ended by a signal before anything was measured\n");
	die(first);
}

static void on_end(int signo)
{
	u64 now = now_ns();
	bool is_same = n_taken && now - last_ns < SAME_WISH_NS;

	if (!first)
		first = signo;
	if (is_same)
		return;
	last_ns = now;
	n_taken++;
	impatient = n_taken >= SIGNALS_TO_DIE - 1;
	if (is_starting && n_taken > 1)
		die_starting();
	if (is_starting)
		alarm(START_SECONDS);
	if (n_taken < SIGNALS_TO_DIE)
		return;
	say("bperf: ended by a further signal: output not written yet is lost\n");
	die(signo);
}

static void on_alarm(int signo)
{
	(void)signo;
	if (is_starting)
		die_starting();
}

static void on_snapshot(int signo)
{
	(void)signo;
	has_snapshot = 1;
}

/* SIGHUP stays ignored (nohup).  An ignored SIGINT does not: shells ignore it in background jobs of
 * scripts, and `kill -INT` is how scripts end a measurement. */
static bool is_ignored(int signo)
{
	struct sigaction sa;

	return signo == SIGHUP && !sigaction(signo, NULL, &sa) && sa.sa_handler == SIG_IGN;
}

static void handle(int signo, void (*handler)(int))
{
	struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_RESTART };

	for (size_t i = 0; i < ARRAY_SIZE(end_signals); i++)
		sigaddset(&sa.sa_mask, end_signals[i]);
	sigaddset(&sa.sa_mask, SIGALRM);
	sigaction(signo, &sa, NULL);
}

void stop_catch(void)
{
	sigset_t set;

	is_starting = true;
	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(end_signals); i++) {
		if (is_ignored(end_signals[i]))
			continue;
		handle(end_signals[i], on_end);
		sigaddset(&set, end_signals[i]);
	}
	handle(SIGALRM, on_alarm);
	handle(SIGUSR1, on_snapshot);
	sigaddset(&set, SIGALRM);
	sigaddset(&set, SIGUSR1);
	/* The caller may have blocked them: then only SIGKILL could end the process. */
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

void stop_start_is_over(void)
{
	is_starting = false;
}

void stop_collection_is_over(void)
{
	is_starting = false;
	if (!n_taken)
		n_taken = 1;
}

void stop_forget(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(end_signals); i++)
		if (!is_ignored(end_signals[i]))
			signal(end_signals[i], SIG_DFL);
	signal(SIGALRM, SIG_DFL);
	signal(SIGUSR1, SIG_DFL);
}

int stop_signal(void)
{
	return first;
}

const volatile bool *stop_impatience(void)
{
	return &impatient;
}

bool stop_gives_up(u64 since_ns)
{
	bool is_person = first == SIGINT && !impatient && isatty(STDERR_FILENO);
	u64 since = since_ns > last_ns ? since_ns : last_ns;

	return first && !is_person && now_ns() - since >= PATIENCE_NS;
}

bool stop_take_snapshot(void)
{
	bool had = has_snapshot;

	has_snapshot = 0;
	return had;
}
