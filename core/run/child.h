/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * `-- program args...`: the child is held before its exec until tracing is on, runs as the user who
 * called sudo, and its exit status becomes bperf's.
 */
#ifndef RUN_CHILD_H
#define RUN_CHILD_H

#include <sys/types.h>

#include "base/err.h"
#include "base/types.h"

struct child {
	pid_t pid;		 /* 0: none */
	int pidfd;		 /* readable once it has ended; -1: none */
	int go_fd;		 /* a write wakes it up */
	int exec_fd;		 /* EOF if exec succeeded, else an errno */
	struct child_gate *gate; /* the second wait, just before its exec; NULL: none */
	const char *name;
	bool is_reaped;
	int status; /* from waitpid, if is_reaped */
};

#define CHILD_NONE                                      \
	{                                               \
		.pidfd = -1, .go_fd = -1, .exec_fd = -1 \
	}

/* How the child differs from what bperf is. */
struct child_opts {
	bool as_root;	     /* keep root's identity even under sudo */
	bool joins_messages; /* its stdout is our stderr: ours has results that a program reads */
};

/* Fork, and hold the child. */
int child_start(struct child *c, char **argv, const struct child_opts *opts, struct err *err);

/* Let the child prepare its exec, and wait until it has done so: its next step is the exec.  If the
 * child fails before that, child_go() reports it. */
int child_wake(struct child *c, struct err *err);

/* Release the child.  Waits until its exec has succeeded or a signal asks bperf to end; the error
 * says why exec failed. */
int child_go(struct child *c, struct err *err);

/* Reap the child if it has ended; true if there is no child left to wait for. */
bool child_has_ended(struct child *c);

/* The child's exit status as a shell reports it: 128 + N for signal N; 0 if it still runs. */
int child_status(struct child *c);

/* A child that was never released is made to exit; one that runs is left alone. */
void child_release(struct child *c);

#endif
