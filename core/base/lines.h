/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Text line by line from a file descriptor or from memory, in constant memory: files of any size
 * and lines of any length may come, neither is believed.
 */
#ifndef BASE_LINES_H
#define BASE_LINES_H

#include "base/types.h"
#include "base/view.h"

#define LINES_MAX_BYTES 65536 /* of a line; what is longer is cut, its tail dropped */

struct lines {
	int fd;		   /* borrowed; -1: the text is all there */
	char *buf;	   /* owned when fd >= 0 */
	size_t start, end; /* what was read and not handed out */
	u64 left;	   /* bytes that may still be read */
	bool is_cut;	   /* the line handed out last goes on */
};

/* Read `fd` from where it stands, at most max_bytes of it. */
void lines_init(struct lines *l, int fd, u64 max_bytes);

/* Lines of a text in memory, which must outlive `l`. */
void lines_init_text(struct lines *l, struct view text);

/* The next line without its newline; valid until the next call.  false: no more. */
bool lines_next(struct lines *l, struct view *line);

void lines_release(struct lines *l);

#endif
