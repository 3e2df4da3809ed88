/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The processes whose user code is probed, if not all.  A breakpoint in an unrelated process costs
 * that process a microsecond or more at each call, however early the filter rejects it; where the
 * kernel allows it, breakpoints are therefore put only into the requested processes.
 *
 * The filter is still needed: it knows threads, users and names; this room knows only processes.
 */
#ifndef SITE_REACH_H
#define SITE_REACH_H

#include "base/index.h"
#include "base/mem.h"
#include "base/types.h"

/* Each process has a link or an event of its own at each site, which is too expensive for more
 * processes than this. */
#define REACH_PROCESSES_MAX 64
/* With children each thread has an event for all sites. */
#define REACH_THREADS_MAX   4096
/* With children, at each site: 1,000 take 2 s to attach and 20 s to detach. */
#define REACH_SITES_MAX	    256

struct reach {
	bool is_limited;   /* false: all processes, and the next two members are unused */
	bool has_children; /* includes the processes that these start */
	VEC(u32) tgids;	   /* in our own PID namespace, without duplicates */
	VEC(u32) tids;	   /* with has_children: their threads, any of which may have children */
	struct index by_tid;
	/* With !is_limited: why it is all although a filter names some; NULL: none does. */
	const char *why_all;
};

void reach_add(struct reach *r, u32 tgid);
/* Add those threads of a process that are not there yet. */
void reach_add_threads(struct reach *r, u32 tgid);
void reach_release(struct reach *r);

/* The kernel finds a process's memory through its first thread: has that thread exited while others
 * run? */
bool reach_is_headless(u32 tgid);

#endif
