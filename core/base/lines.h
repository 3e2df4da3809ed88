/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Read text line by line from a file descriptor or from memory, in constant memory, whatever the
 * size of the file and the length of its lines.
 */
#ifndef BASE_LINES_H
#define BASE_LINES_H

#include "base/types.h"
#include "base/view.h"

#define LINES_MAX_BYTES 65536 /* bytes of a line; longer lines are truncated */

struct lines {
	int fd;		   /* borrowed; -1: the text is in memory */
	char *buf;	   /* owned when fd >= 0 */
	size_t start, end; /* the bytes that were read and not yet returned */
	u64 left;	   /* bytes that may still be read from fd */
	bool is_cut;	   /* the last line returned was truncated */
};

/* Read `fd` from its current position, at most max_bytes. */
void lines_init(struct lines *l, int fd, u64 max_bytes);

/* Read the lines of a text in memory, which must outlive `l`. */
void lines_init_text(struct lines *l, struct view text);

/* The next line without its newline; valid until the next call.  false: no more. */
bool lines_next(struct lines *l, struct view *line);

void lines_release(struct lines *l);

#endif
