/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A process under a pid of one's choice: the pid must be free, and choosing it needs root. */
#ifndef FORKAS_H
#define FORKAS_H

#include <linux/sched.h>
#include <signal.h>

#include "work.h"

/* As fork(), with errno when it is < 0. */
INLINE pid_t fork_as(pid_t pid)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = (u64)(uintptr_t)&pid,
		.set_tid_size = 1,
	};

	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

#endif
