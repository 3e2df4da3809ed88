/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A helper process for accesses that can hang uninterruptibly (a dead file server, a page that is
 * never brought in), so that bperf itself does not hang.
 */
#ifndef BASE_SUBPROCESS_H
#define BASE_SUBPROCESS_H

#include "base/types.h"

struct helper {
	int pid;
	int fd; /* reads what the helper writes; end of file when it has exited */
};

/*
 * Fork a helper that calls run(ctx, out_fd, held_fd) and exits, with status 0 if that returned
 * true.  It has a copy of our memory and, of our descriptors, only `held_fd` (-1: none),
 * renumbered: a hung helper must not keep probes attached.  It is killed when bperf dies.  It sends
 * no SIGCHLD, because the run loop waits for a child of its own.  Returns 0 or -errno.
 */
int helper_start(struct helper *h, int held_fd, bool (*run)(void *ctx, int out_fd, int held_fd),
		 void *ctx);

/* true while the helper runs or waits for a CPU; false when it is blocked or gone. */
bool helper_is_runnable(const struct helper *h);

/* Reap the helper; is_killed: kill it first.  If a killed helper still hangs, helper_end() waits at
 * most 20 ms for it: it dies when its server answers. */
void helper_end(struct helper *h, bool is_killed);

#endif
