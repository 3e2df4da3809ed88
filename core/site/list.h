/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `bperf list [GLOB]`: probes of every kind, with their arguments on request. */
#ifndef SITE_LIST_H
#define SITE_LIST_H

#include "site/plan.h"

struct list_opts {
	bool verbose; /* print arguments and types below each */
	u32 tgid;     /* the process whose files are listed; 0: bperf */
};

/* `pattern` is written like a site ("t:sched:*", "u:c", "k:tcp_*", "syscall:*"); NULL: tracepoints
 * and system calls.  Calls `put` for each line. */
int list_probes(struct kernel *k, const char *pattern, const struct list_opts *opts,
		void (*put)(void *ctx, const char *line), void *ctx, struct err *err);

#endif
