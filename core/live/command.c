// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Runs another command of bperf for the selected process: on the whole terminal, or for its text.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/live_int.h"

#define WORDS_MAX    16
#define OUTPUT_BYTES (4u << 20)
#define LOOK_MS	     50

/* `out`: gets what it prints; -1: it has the terminal, and its messages join ours. */
static _Noreturn void become(const struct live_command *c, u32 pid, int out)
{
	char name[] = "bperf", number[16], *argv[WORDS_MAX + 2] = { name };
	size_t n = 1;

	snprintf(number, sizeof(number), "%u", pid);
	for (const char *const *w = c->words; *w && n <= WORDS_MAX; w++)
		argv[n++] = strcmp(*w, "PID") ? (char *)(uintptr_t)*w : number;
	if (out >= 0) {
		dup2(out, STDOUT_FILENO);
		dup2(out, STDERR_FILENO);
	}
	prctl(PR_SET_PDEATHSIG, SIGTERM); /* the terminal is not its own */
	signal(SIGPIPE, SIG_DFL);
	execv("/proc/self/exe", argv);
	_exit(127);
}

/* Read what has arrived; *fd becomes -1 at the end. */
static void read_output(struct live *l, int *fd)
{
	char bytes[4096];
	ssize_t n;

	while (*fd >= 0 && (n = read(*fd, bytes, sizeof(bytes))) >= 0) {
		if (!n)
			*fd = -1;
		else if (l->command_output.n < OUTPUT_BYTES)
			str_add(&l->command_output, bytes, (size_t)n);
	}
}

/* Wait for the command.  The sources are read meanwhile, because their pipes would fill.  `fd`: the
 * pipe that the command prints to, non-blocking; -1: none.  Returns the command's status. */
static int wait_for(struct live *l, pid_t pid, int fd)
{
	bool was_told = false;
	int status = 0;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		struct pollfd printed = { .fd = fd, .events = POLLIN };

		poll(&printed, 1, LOOK_MS);
		read_output(l, &fd);
		live_wait(l, 0);
		if (!was_told && (l->is_leaving || live_is_asked())) {
			kill(pid, SIGTERM);
			was_told = true;
		}
	}
	read_output(l, &fd);
	return status;
}

/* The error is the first new line of the messages, whose first `before` bytes are older. */
static void say_failure(struct live *l, const struct live_command *c, size_t before)
{
	const struct str *messages;
	const char *line;

	live_read_messages(l);
	messages = &l->sources[0].messages;
	line = str_text(messages) + (before < messages->n ? before : 0);
	if (messages->n && line[0])
		live_notice(l, "%.*s", (int)strcspn(line, "\n"), line);
	else
		live_notice(l, "bperf %s has failed", c->words[0]);
}

static void run_on_terminal(struct live *l, const struct live_command *c, u32 target)
{
	size_t before = l->sources[0].messages.n;
	int status = 0;
	pid_t pid;

	screen_pause(l->screen);
	pid = fork();
	if (!pid)
		become(c, target, -1);
	if (pid > 0)
		status = wait_for(l, pid, -1);
	screen_resume(l->screen);
	if (pid < 0 || status)
		say_failure(l, c, before);
	live_refresh(l);
}

static void run_for_text(struct live *l, const struct live_command *c, u32 target)
{
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC)) {
		live_notice(l, "bperf %s cannot be run: %s", c->words[0], strerror(errno));
		return;
	}
	str_clear(&l->command_output);
	pid = fork();
	if (!pid)
		become(c, target, fds[1]);
	close(fds[1]);
	/* Only this end is non-blocking: the writer would drop output that does not fit. */
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	if (pid > 0)
		wait_for(l, pid, fds[0]);
	close(fds[0]);
	if (!is_page(l->view))
		l->before_help = l->view;
	live_use(l, &output_view);
}

bool live_run_command(struct live *l, s32 key)
{
	const struct live_command *c = live_commands;
	u32 pid;

	while (c->key && c->key != key)
		c++;
	if (!l->opts->has_commands || !c->key)
		return false;
	pid = l->view->pid ? l->view->pid(l) : 0;
	if (!pid)
		live_notice(l, "Select a process first: its number is not known here");
	else if (kill((pid_t)pid, 0) && errno == ESRCH)
		live_notice(l, "Process %u has ended", pid);
	else if (c->is_text)
		run_for_text(l, c, pid);
	else
		run_on_terminal(l, c, pid);
	return true;
}
