/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * `-- program args...`: a child that is held before its exec until tracing is on, runs as the
 * user who called sudo, and whose exit status becomes ours.
 */
#ifndef RUN_CHILD_H
#define RUN_CHILD_H

#include <sys/types.h>

#include "base/err.h"
#include "base/types.h"

struct child {
	pid_t pid;		 /* 0: none */
	int pidfd;		 /* readable once it has ended; -1: none */
	int go_fd;		 /* writing here wakes it up */
	int exec_fd;		 /* readable: EOF when exec worked, an errno when not */
	struct child_gate *gate; /* what it then waits at before it execs; NULL: none */
	const char *name;
	bool is_reaped;
	int status; /* as from waitpid, when is_reaped */
};

#define CHILD_NONE                                      \
	{                                               \
		.pidfd = -1, .go_fd = -1, .exec_fd = -1 \
	}

/* Fork, and hold the child.  `as_root`: keep our identity even under sudo. */
int child_start(struct child *c, char **argv, bool as_root, struct err *err);

/* Let it do what it has to before its exec, and wait until it has: from here on the next thing
 * that it does is its exec.  A child that fails before it is left to child_go. */
int child_wake(struct child *c, struct err *err);

/* Let it go.  Waits until its exec worked or a signal asks us to end; an error names why
 * it did not work. */
int child_go(struct child *c, struct err *err);

/* Reap it if it has ended; true when there is nothing left to wait for. */
bool child_has_ended(struct child *c);

/* Its exit status as a shell gives it: 128 + N for signal N; 0 when it still runs. */
int child_status(struct child *c);

/* A child that was never let go ends; one that runs is left alone. */
void child_release(struct child *c);

#endif
