// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "live/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <termios.h>
#include <unistd.h>

/* The terminal as the parent found it. */
static struct {
	pid_t parent;
	struct termios modes;
	bool has_modes;
} before;

/* Leaves the alternate screen, shows the cursor, ends mouse reports and attributes: the sequences
 * of all terminals of today (fallback.ti). */
static const char leave[] = "\033[?1000l\033[?1006l\033[m\033[?1049l\033[?25h";

/* Called at exit: if the parent is gone, only this process can restore the terminal. */
static void restore_terminal(void)
{
	int fd;

	if (getppid() == before.parent || !before.has_modes)
		return;
	fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return;
	signal(SIGTTOU, SIG_IGN);
	if (write(fd, leave, sizeof(leave) - 1) > 0)
		tcsetattr(fd, TCSADRAIN, &before.modes);
	close(fd);
}

static void become_child(int out, int messages)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != before.parent)
		_exit(0);
	dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(messages, STDERR_FILENO);
	/* raw() makes Ctrl-Z a character.  If the group is stopped all the same, this process goes
	 * on, because its rings would fill. */
	signal(SIGTSTP, SIG_IGN);
	atexit(restore_terminal);
}

static void close_both(const int fds[2])
{
	close(fds[0]);
	close(fds[1]);
}

int launch(struct launched *l, struct err *err)
{
	int out[2], messages[2];

	*l = (struct launched){ .fd = -1, .messages_fd = -1 };
	before.parent = getpid();
	before.has_modes = !tcgetattr(STDOUT_FILENO, &before.modes);
	if (pipe2(out, O_CLOEXEC))
		return err_errno(err, errno, "--live: cannot make a pipe");
	if (pipe2(messages, O_CLOEXEC)) {
		err_errno(err, errno, "--live: cannot make a pipe");
		close_both(out);
		return -err->code;
	}
	l->pid = fork();
	if (!l->pid) {
		become_child(out[1], messages[1]);
		close_both(out);
		close_both(messages);
		return 0;
	}
	close(out[1]);
	close(messages[1]);
	if (l->pid > 0) {
		l->fd = out[0];
		l->messages_fd = messages[0];
		return 0;
	}
	err_errno(err, errno, "--live: cannot start a process");
	close(out[0]);
	close(messages[0]);
	return -err->code;
}
