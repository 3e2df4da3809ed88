/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads a file of any size, plain or gzipped, line by line or as a whole. */
#ifndef SAVED_INPUT_H
#define SAVED_INPUT_H

#include <zlib.h>

#include "base/err.h"
#include "base/str.h"

/* A JSON record with 32 wakers, each with 1024 frames of long names, is shorter. */
#define INPUT_LINE_MAX (16u << 20)

struct input {
	const char *name; /* for messages; borrowed */
	gzFile gz;	  /* reads plain files too */
	char *buf;
	size_t start, end, cap;
	u64 line;	/* number of the line that was returned last */
	bool is_cut;	/* that line had no newline */
	bool is_end;	/* there is nothing more to read */
	bool is_broken; /* gzip: the file ends too early */
};

/* "-" is standard input. */
int input_open(struct input *in, const char *path, struct err *err);
/* The first bytes, at most 4096, which remain unread. */
int input_peek(struct input *in, struct view *head, struct err *err);
/* The next line without its newline, valid until the next call: 1, 0 at the end, or -code. */
int input_line(struct input *in, struct view *line, struct err *err);
/* All of it.  More than `max` bytes is an error. */
int input_all(struct input *in, u64 max, struct str *out, struct err *err);
void input_close(struct input *in);

#endif
