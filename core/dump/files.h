/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Describes waits for several files at once, and for a time. */
#ifndef DUMP_FILES_H
#define DUMP_FILES_H

#include "base/str.h"
#include "dump/peek.h"
#include "dump/threads.h"
#include "wait/sockets.h"

/* For a call that has files: "poll of 2 files: pipe:[4711], tcp 127.0.0.1:80"; "select of files":
 * they are not known. */
void files_describe(const struct dump_thread *t, const struct peeks *p, struct sockets *sockets,
		    struct str *out);

/* "47.6 s left of 1 min 00 s"; false: the end is not known.  `age_ns` may be
 * THREAD_AGE_UNKNOWN. */
bool files_describe_sleep(const struct dump_thread *t, const struct peeks *p, u64 age_ns,
			  struct str *out);

#endif
