// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/stop.h"

#include <fcntl.h>
#include <signal.h>

#include "base/clock.h"
#include "test.h"

/* Longer than the time within which signals count as one. */
static void send(int signo)
{
	usleep(100000);
	raise(signo);
}

/* How a child that does this ends, and its text on stderr. */
static int status_of(void (*run)(void), char *said, size_t size)
{
	int ends[2], status;
	ssize_t n;
	pid_t pid;

	CHECK(!pipe(ends));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		dup2(ends[1], STDERR_FILENO);
		stop_catch();
		run();
		_exit(0);
	}
	close(ends[1]);
	n = read(ends[0], said, size - 1);
	said[n > 0 ? n : 0] = '\0';
	close(ends[0]);
	CHECK(waitpid(pid, &status, 0) == pid);
	return status;
}

static void climb(void)
{
	stop_start_is_over();
	if (stop_is_asked() || *stop_impatience())
		_exit(1);
	send(SIGTERM);
	if (stop_signal() != SIGTERM || *stop_impatience())
		_exit(2);
	send(SIGINT);
	if (stop_signal() != SIGTERM || !*stop_impatience())
		_exit(3);
	send(SIGINT);
	_exit(4);
}

TEST(the_third_signal_ends_with_a_message)
{
	char said[256];
	int status = status_of(climb, said, sizeof(said));

	CHECK(WIFSIGNALED(status));
	CHECK_U64((u64)WTERMSIG(status), SIGINT);
	CHECK(strstr(said, "ended by a further signal"));
}

/* As timeout(1) sends it: to its child, and to the process group. */
static void twice_at_once(void)
{
	stop_start_is_over();
	raise(SIGINT);
	raise(SIGINT);
	raise(SIGINT);
	_exit(stop_is_asked() && !*stop_impatience() ? 0 : 1);
}

TEST(signals_at_the_same_time_count_as_one)
{
	char said[256];

	CHECK_U64((u64)status_of(twice_at_once, said, sizeof(said)), 0);
}

static void hang_at_start(void)
{
	raise(SIGTERM);
	for (;;)
		pause();
}

TEST(a_start_that_hangs_ends_a_second_after_a_signal)
{
	char said[256];
	int status = status_of(hang_at_start, said, sizeof(said));

	CHECK(WIFSIGNALED(status));
	CHECK_U64((u64)WTERMSIG(status), SIGTERM);
	CHECK(strstr(said, "before anything was measured"));
}

static void first_after_the_end(void)
{
	stop_collection_is_over();
	send(SIGINT);
	if (!*stop_impatience())
		_exit(1);
	send(SIGINT);
	_exit(2);
}

TEST(after_a_run_that_ended_by_itself_the_first_signal_leaves_out_names)
{
	char said[256];
	int status = status_of(first_after_the_end, said, sizeof(said));

	CHECK(WIFSIGNALED(status));
	CHECK_U64((u64)WTERMSIG(status), SIGINT);
}

static void wait_for_nobody(void)
{
	u64 since = now_ns();

	stop_start_is_over();
	usleep(1000000);
	if (stop_gives_up(since))
		_exit(1); /* nobody asked for the end */
	raise(SIGTERM);
	if (stop_gives_up(since))
		_exit(2); /* the reader has some time from here on */
	for (since = now_ns(); !stop_gives_up(since);)
		usleep(10000);
}

TEST(only_after_a_signal_is_a_reader_given_up)
{
	char said[256];

	CHECK_U64((u64)status_of(wait_for_nobody, said, sizeof(said)), 0);
}

static void hang_up(void)
{
	signal(SIGHUP, SIG_IGN);
	stop_catch();
	stop_start_is_over();
	raise(SIGHUP);
	_exit(stop_is_asked());
}

TEST(a_signal_that_nohup_ignores_stays_ignored)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		hang_up();
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_U64((u64)status, 0);
}
