/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The processes whose user code is probed, if these are not all processes.  A breakpoint in an
 * unrelated process costs that process a microsecond or more at each call, however early the filter
 * rejects it; where the kernel allows it, breakpoints are therefore put only into the requested
 * processes.
 *
 * The filter is still needed: it knows threads, users and names, while this file knows only
 * processes.
 */
#ifndef SITE_REACH_H
#define SITE_REACH_H

#include "base/index.h"
#include "base/mem.h"
#include "base/types.h"

/* Each process has a link or an event of its own at each site, which is too expensive for more
 * processes than this. */
#define REACH_PROCESSES_MAX 64
/* With has_children, each thread has an event for all sites. */
#define REACH_THREADS_MAX   4096
/* The limit of sites with has_children: 1,000 sites take 2 s to attach and 20 s to detach. */
#define REACH_SITES_MAX	    256

struct reach {
	bool is_limited;   /* false: all processes, and the next two members are unused */
	bool has_children; /* includes the processes that these start */
	VEC(u32) tgids;	   /* in our own PID namespace, without duplicates */
	VEC(u32) tids;	   /* with has_children: their threads, any of which may have children */
	struct index by_tid;
	/* With !is_limited: the reason why all processes are probed although a filter selects some;
	 * NULL: no filter does. */
	const char *why_all;
};

void reach_add(struct reach *r, u32 tgid);
/* Add the threads of a process that are not in the list yet. */
void reach_add_threads(struct reach *r, u32 tgid);
void reach_release(struct reach *r);

/* The kernel finds a process's memory through its first thread: has that thread exited while others
 * run? */
bool reach_is_headless(u32 tgid);

#endif
