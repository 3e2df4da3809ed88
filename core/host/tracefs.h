/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef HOST_TRACEFS_H
#define HOST_TRACEFS_H

#include "base/types.h"

/* Our groups of events in tracefs: this prefix and our PID. */
#define TRACEFS_GROUP_PREFIX "bperf_"

/*
 * A folder with the kernel's tracefs: where it is mounted, else a mount that only this process
 * sees and that goes with it.  NULL with errno set: neither is to be had.  Looked for once.
 */
const char *tracefs_path(void);

/* Why not, by that errno: "not mounted, and ...", and what to do. */
struct tracefs_trouble {
	int errnum;
	const char *why, *next;
};
const struct tracefs_trouble *tracefs_trouble(int errnum);

/* debugfs in the same way, for the list of functions that kprobes may not touch. */
const char *debugfs_path(void);

#endif
