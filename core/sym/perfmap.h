/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of JIT code from a perf map: lines "START SIZE name", hex, as runtimes write them into
 * /tmp/perf-PID.map.  Streamed past the wanted addresses.  Knows the text format and how to open
 * a file that anybody may have planted; must not know ELF.
 */
#ifndef SYM_PERFMAP_H
#define SYM_PERFMAP_H

#include <sys/types.h>

#include "base/lines.h"
#include "sym/resolve.h"

/* Name wants, run-time addresses.  Of overlapping entries the last one wins. */
void perfmap_name(struct wants *w, struct lines *text);

/* Whose map it must be, and since when. */
struct perfmap_owner {
	uid_t uid;	/* of the process; root may have written it too */
	u64 started_ns; /* of the process, CLOCK_REALTIME; 0: not known */
	/* Its folder may be a link, which in a root of others leads to anywhere: the helper may. */
	bool may_follow;
};

/*
 * Open a map in a directory that others can write to: no link, no FIFO, a regular file of the
 * right owner, not older than the process.  root_fd: the root in which `path` stands, -1: ours.
 * Returns a descriptor or -errno: -ESTALE for one that an earlier process with this id left
 * after, -EPERM for another owner's, -ELOOP for a link.
 */
int perfmap_open(int root_fd, const char *path, const struct perfmap_owner *owner);

/* Both: open it, name wants.  0 or -errno as above. */
int perfmap_read(int root_fd, const char *path, const struct perfmap_owner *owner, struct wants *w);

#endif
