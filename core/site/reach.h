/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whose user code is probed, where that is not everybody's.  A breakpoint in a process that nobody
 * asked about costs that process a microsecond or more at each call, however soon the filter says
 * no; so where the kernel can, breakpoints go into the processes that are asked for and no others.
 *
 * The filter is needed all the same: it knows threads, users and names, this knows processes.
 */
#ifndef SITE_REACH_H
#define SITE_REACH_H

#include "base/mem.h"
#include "base/types.h"

/* More processes than these have a link or an event of their own at each site: it is dear then. */
#define REACH_PROCESSES_MAX 64

struct reach {
	bool is_limited;   /* false: everybody's, and the rest says nothing */
	bool has_children; /* those that the processes start belong to it too */
	VEC(u32) tgids;	   /* in our own PID namespace; each once */
};

void reach_add(struct reach *r, u32 tgid);
void reach_release(struct reach *r);

/* The kernel knows a process's memory by its first thread: has that one ended, and others go on? */
bool reach_is_headless(u32 tgid);

#endif
