/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The text of /proc/kallsyms, read by a thread of its own while the caller does something else: the
 * kernel takes 35 ms and more to format it.
 */
#ifndef SYM_SYMTEXT_H
#define SYM_SYMTEXT_H

#include "base/str.h"
#include "base/thread.h"
#include "base/types.h"

struct symtext {
	struct str text;
	bool is_begun; /* the thread exists, and owns the fields until symtext_end() */
	pthread_t thread;
	int fd;
	int error; /* errno; 0: none */
	bool is_whole;
};

/* Begin to read PROC_ROOT/kallsyms.  symtext_end() reports errors. */
void symtext_begin(struct symtext *t, const char *proc_root);

/* Wait for the thread, or do its work if there is none, and read the rest of the file.  0: t->text
 * is complete; else -errno. */
int symtext_end(struct symtext *t, const char *proc_root);

/* Waits for the thread, too. */
void symtext_release(struct symtext *t);

#endif
