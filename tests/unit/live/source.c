// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The end of a source: what a process said last is read, whatever its children do. */
#include "live/source.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

struct started {
	struct live_source source;
	pid_t left; /* its child, which lives on */
};

/* A process that says something, and leaves a child that has its stderr. */
static void measure(int messages, int pid)
{
	pid_t child = fork();

	if (!child) {
		pause();
		_exit(0);
	}
	if (write(pid, &child, sizeof(child)) != sizeof(child) ||
	    write(messages, "lost: 7\n", 8) != 8)
		_exit(1);
	_exit(3);
}

static void start(struct started *s)
{
	int out[2], messages[2], numbers[2];
	pid_t pid;

	CHECK(!pipe2(out, O_CLOEXEC) && !pipe2(messages, O_CLOEXEC) && !pipe2(numbers, O_CLOEXEC));
	pid = fork();
	if (!pid) {
		close(out[1]);
		measure(messages[1], numbers[1]);
	}
	close(out[1]);
	close(messages[1]);
	source_init(&s->source, "test", pid, out[0], messages[0]);
	CHECK(read(numbers[0], &s->left, sizeof(s->left)) == sizeof(s->left));
	close(numbers[0]);
	close(numbers[1]);
}

TEST(a_child_that_lives_on_does_not_hold_up_the_end)
{
	struct started s;

	start(&s);
	alarm(60); /* ends the test if source_finish() waits for the child */
	source_finish(&s.source, 3600 * 1000);
	alarm(0);
	kill(s.left, SIGKILL);
	CHECK(s.source.is_reaped && WEXITSTATUS(s.source.status) == 3);
	CHECK_STR(str_text(&s.source.messages), "lost: 7\n");
	source_release(&s.source);
}

TEST(a_pipe_is_not_read_to_its_end)
{
	struct live_source s;
	int fds[2];

	CHECK(!pipe2(fds, O_CLOEXEC));
	source_init(&s, "test", 0, fds[0], -1);
	alarm(60);
	source_finish(&s, 3600 * 1000);
	alarm(0);
	CHECK(source_is_over(&s));
	source_release(&s);
	close(fds[1]);
}
