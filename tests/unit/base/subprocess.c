// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>

#include "test.h"

static bool say(void *ctx, int out_fd, int held_fd)
{
	const char *text = ctx;
	ssize_t n = (ssize_t)strlen(text);

	(void)held_fd;
	return write(out_fd, text, (size_t)n) == n;
}

/* One byte for each open descriptor below 1000 and for a held one that can be read. */
static bool count_fds(void *ctx, int out_fd, int held_fd)
{
	char c;

	(void)ctx;
	for (int fd = 0; fd < 1000; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			say("f", out_fd, -1);
	if (read(held_fd, &c, 1) == 1)
		say("r", out_fd, -1);
	return true;
}

static bool hang(void *ctx, int out_fd, int held_fd)
{
	(void)held_fd;
	say(ctx, out_fd, -1);
	while (pause())
		;
	return false;
}

static const char *read_all(int fd)
{
	static char text[64];
	size_t n = 0;
	ssize_t got;

	while ((got = read(fd, text + n, sizeof(text) - 1 - n)) > 0)
		n += (size_t)got;
	text[n] = '\0';
	return text;
}

TEST(the_output_of_a_child_is_read)
{
	char text[] = "hello";
	struct helper h;

	CHECK(!helper_start(&h, -1, say, text));
	CHECK_STR(read_all(h.fd), "hello");
	helper_end(&h, false);
	CHECK(waitpid(-1, NULL, __WALL) < 0 && errno == ECHILD);
}

TEST(a_child_has_no_descriptors_but_those_it_is_given)
{
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	struct helper h;

	CHECK(open("/dev/null", O_RDONLY) >= 0);
	CHECK(!helper_start(&h, zero, count_fds, NULL));
	CHECK_STR(read_all(h.fd), "ffr");
	helper_end(&h, false);
	CHECK(!helper_start(&h, -1, count_fds, NULL));
	CHECK_STR(read_all(h.fd), "f");
	helper_end(&h, false);
}

TEST(a_child_that_hangs_is_noticed_and_killed)
{
	struct pollfd p = { .events = POLLIN };
	char text[] = "x", c;
	struct helper h;
	int pid;

	CHECK(!helper_start(&h, -1, hang, text));
	pid = h.pid;
	p.fd = h.fd;
	CHECK(poll(&p, 1, -1) == 1 && read(h.fd, &c, 1) == 1);
	while (helper_is_runnable(&h))
		usleep(1000);
	helper_end(&h, true);
	while (!kill(pid, 0) && waitpid(pid, NULL, __WALL) < 0)
		usleep(1000);
}

TEST(the_end_of_a_child_sends_no_signal)
{
	char text[] = "";
	struct helper h;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	CHECK(!helper_start(&h, -1, say, text));
	helper_end(&h, false);
	CHECK(!sigpending(&set) && !sigismember(&set, SIGCHLD));
}
