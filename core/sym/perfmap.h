/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of JIT code from a perf map: lines "START SIZE name", in hex, which runtimes write to
 * /tmp/perf-PID.map.  The file is streamed.  Knows the text format, and how to open a file that any
 * user may have planted; must not know ELF.
 */
#ifndef SYM_PERFMAP_H
#define SYM_PERFMAP_H

#include <sys/types.h>

#include "base/lines.h"
#include "sym/resolve.h"

/* Name wants, given as run-time addresses.  If entries overlap, the last one wins. */
void perfmap_name(struct wants *w, struct lines *text);

/* The required owner of the map, and its earliest time. */
struct perfmap_owner {
	uid_t uid;	/* the process's user; a file of root is accepted too */
	u64 started_ns; /* start of the process, CLOCK_REALTIME; 0: not known */
	/* The folder may be a link, which can lead anywhere in another root: only the helper
	 * follows it. */
	bool may_follow;
};

/*
 * Open a map in a directory that others can write to: not a link or a FIFO but a regular file with
 * the right owner, not older than the process. root_fd: the root in which `path` is, -1: ours.
 * Returns a descriptor or -errno: -ESTALE for a file left by an earlier process with this id,
 * -EPERM for a file of another owner, -ELOOP for a link.
 */
int perfmap_open(int root_fd, const char *path, const struct perfmap_owner *owner);

/* Open the map and name wants.  Returns 0 or -errno as above. */
int perfmap_read(int root_fd, const char *path, const struct perfmap_owner *owner, struct wants *w);

#endif
