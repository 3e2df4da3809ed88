/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef HOST_TRACEFS_H
#define HOST_TRACEFS_H

#include "base/types.h"

/* Groups of events that bperf creates in tracefs are named with this prefix and the PID. */
#define TRACEFS_GROUP_PREFIX "bperf_"

/*
 * The directory of the kernel's tracefs: its mount point, or else a mount that only this process
 * sees and that disappears with it.  NULL with errno set when neither works.  The search is done
 * once.
 */
const char *tracefs_path(void);

/* The reason for tracefs_path()'s errno ("not mounted, and ...") and advice. */
struct tracefs_trouble {
	int errnum;
	const char *why, *next;
};
const struct tracefs_trouble *tracefs_trouble(int errnum);

/* Like tracefs_path, for debugfs, which has the list of functions that kprobes must not touch. */
const char *debugfs_path(void);

#endif
