// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUT_FD	3
#define HELD_FD 4
#define HIGH_FD 100 /* above the two descriptors that the helper keeps */

static void helper_main(int out_fd, int held_fd, bool (*run)(void *ctx, int out_fd, int held_fd),
			void *ctx)
{
	int out_high = fcntl(out_fd, F_DUPFD, HIGH_FD),
	    held_high = fcntl(held_fd, F_DUPFD, HIGH_FD);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The parent obeys the signals that a terminal sends to the whole process group. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	if (dup2(out_high, OUT_FD) < 0)
		_exit(1);
	if (held_fd >= 0)
		held_fd = dup2(held_high, HELD_FD);
	syscall(SYS_close_range, held_fd >= 0 ? HELD_FD + 1 : OUT_FD + 1, ~0U, 0);
	close(0);
	close(1);
	close(2);
	_exit(!run(ctx, OUT_FD, held_fd));
}

int helper_start(struct helper *h, int held_fd, bool (*run)(void *ctx, int out_fd, int held_fd),
		 void *ctx)
{
	int ends[2];
	long pid;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	/* A fork without SIGCHLD: the run loop waits for the command that it started. */
	pid = syscall(SYS_clone, 0, NULL, NULL, NULL, 0);
	if (!pid)
		helper_main(ends[1], held_fd, run, ctx);
	close(ends[1]);
	if (pid < 0) {
		int errnum = errno;

		close(ends[0]);
		return -errnum;
	}
	*h = (struct helper){ .pid = (int)pid, .fd = ends[0] };
	return 0;
}

/* /proc/PID/stat: "1234 (comm) R ...". */
bool helper_is_runnable(const struct helper *h)
{
	char path[64], text[128];
	const char *end;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", h->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	end = strrchr(text, ')');
	return end && !strncmp(end, ") R", 3);
}

void helper_end(struct helper *h, bool is_killed)
{
	close(h->fd);
	if (is_killed) {
		kill(h->pid, SIGKILL);
		for (int i = 0; i < 20 && !waitpid(h->pid, NULL, __WALL | WNOHANG); i++)
			usleep(1000);
	} else {
		waitpid(h->pid, NULL, __WALL);
	}
	*h = (struct helper){ .fd = -1 };
}
