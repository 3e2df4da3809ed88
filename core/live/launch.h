/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two processes: one measures and writes JSON to a pipe, the other one, its parent, shows it.  So
 * a slow terminal never delays the measurement, Ctrl-Z stops only the view, and each can clean up
 * if the other dies: the process that measures ends when its parent is gone, and then restores the
 * terminal, because SIGKILL leaves its parent no time to.
 */
#ifndef LIVE_LAUNCH_H
#define LIVE_LAUNCH_H

#include <sys/types.h>

#include "base/err.h"
#include "base/types.h"

struct launched {
	pid_t pid;	     /* 0: this is the process that measures */
	int fd, messages_fd; /* its stdout and stderr */
};

/*
 * Fork.  In the child, whose stdin is /dev/null, stdout is the pipe for JSON and stderr the one for
 * messages; it gets SIGTERM when its parent dies.  Returns 0 in both, or -code.
 */
int launch(struct launched *l, struct err *err);

#endif
