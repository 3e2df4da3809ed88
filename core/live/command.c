// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Runs another command of bperf for the selected process: on the whole terminal, or for its text.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/live_int.h"

#define WORDS_MAX    16
#define OUTPUT_BYTES (4u << 20)
#define LOOK_MS	     50

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
	} else {
		dup2(STDOUT_FILENO, STDERR_FILENO);
	}
	signal(SIGPIPE, SIG_DFL);
	execv("/proc/self/exe", argv);
	_exit(127);
}

/* The sources are read meanwhile: their pipes would fill.  Returns the status of the process. */
static int wait_for(struct live *l, pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		poll(NULL, 0, LOOK_MS);
		live_wait(l, 0);
	}
	return status;
}

static void run_on_terminal(struct live *l, const struct live_command *c, u32 target)
{
	int status = 0;
	pid_t pid;

	screen_pause(l->screen);
	pid = fork();
	if (!pid)
		become(c, target, -1);
	if (pid > 0)
		status = wait_for(l, pid);
	screen_resume(l->screen);
	live_refresh(l);
	if (status)
		live_notice(l, "bperf %s has failed: its message is on the terminal's own screen",
			    c->words[0]);
}

static void read_output(struct live *l, int fd)
{
	char bytes[4096];
	ssize_t n;

	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		if (l->command_output.n < OUTPUT_BYTES)
			str_add(&l->command_output, bytes, (size_t)n);
}

static void run_for_text(struct live *l, const struct live_command *c, u32 target)
{
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return;
	str_clear(&l->command_output);
	pid = fork();
	if (!pid)
		become(c, target, fds[1]);
	close(fds[1]);
	if (pid > 0) {
		read_output(l, fds[0]);
		wait_for(l, pid);
	}
	close(fds[0]);
	if (l->view != &help_view && l->view != &output_view)
		l->before_help = l->view;
	live_use(l, &output_view);
}

bool live_run_command(struct live *l, s32 key)
{
	const struct live_command *c = l->opts->commands;
	u32 pid;

	while (c && c->key && c->key != key)
		c++;
	if (!c || !c->key)
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
