/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A process of ours for what can hang beyond killing (a dead file server, a page that nobody
 * brings): whoever touches that must not be us.
 */
#ifndef BASE_SUBPROCESS_H
#define BASE_SUBPROCESS_H

#include "base/types.h"

struct helper {
	int pid;
	int fd; /* what the helper writes; end of file when it is gone */
};

/*
 * Fork one that calls run(ctx, out_fd, held_fd) and ends, with status 0 when that returned true.
 * It has our memory as it is now, and of our descriptors only `held_fd` (-1: none), under a new
 * number: one that hangs must not keep probes attached.  It dies with us.  No SIGCHLD tells of
 * its end, for the run loop waits for its own child.  Returns 0 or -errno.
 */
int helper_start(struct helper *h, int held_fd, bool (*run)(void *ctx, int out_fd, int held_fd),
		 void *ctx);

/* Does it work, or wait for a CPU?  Else it waits for something. */
bool helper_is_runnable(const struct helper *h);

/* Take it away.  For one that is killed and hangs all the same we wait 20 ms: it dies when its
 * server answers. */
void helper_end(struct helper *h, bool is_killed);

#endif
