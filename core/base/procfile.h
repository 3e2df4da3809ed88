/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fields in the text of /proc/PID/stat and /proc/PID/status, and the threads in /proc/PID/task.
 * Both texts contain the name of the process, which the process itself chooses.
 */
#ifndef BASE_PROCFILE_H
#define BASE_PROCFILE_H

#include "base/view.h"

/* Fields of stat, as proc(5) numbers them. */
enum {
	STAT_STATE = 3, /* a letter */
	STAT_THREADS = 20,
	STAT_START = 22, /* in clock ticks since boot */
};

/* stat and status are always shorter than this. */
#define PROC_STAT_BYTES	  4096
#define PROC_STATUS_BYTES 65536

/* Field `number` of stat from STAT_STATE on.  false: there is no such field. */
bool proc_stat_field(struct view text, u32 number, struct view *out);

/* Reads the text after "NAME:" and a tab in status.  false: there is no such line. */
bool proc_status_field(struct view text, const char *name, struct view *out);

/* Call take() with each process, until it returns false.  `root` is where /proc is mounted. */
void proc_each_process(const char *root, bool (*take)(void *ctx, u32 tgid), void *ctx);

/* Call take() with each thread of a process, until it returns false.  `root` is where /proc is
 * mounted. */
void proc_each_thread(const char *root, u32 tgid, bool (*take)(void *ctx, u32 tid), void *ctx);

#endif
