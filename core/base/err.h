/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Errors: what failed, why by name, what to do next.  A function that can fail takes a
 * struct err * last, fills it once and returns err_set()'s value, so that "message printed,
 * status still 0" can't be written.  Only cmd/main.c prints one.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "base/types.h"

/* What kind of failure: the program's exit status (design: sysexits where they fit). */
enum err_code {
	ERR_FAIL = 1,	   /* ran and failed */
	ERR_USAGE = 64,	   /* the command line is wrong */
	ERR_NOTARGET = 66, /* nothing to trace: no such process, no match */
	ERR_KERNEL = 69,   /* this kernel cannot do it */
	ERR_PERM = 77,	   /* not permitted */
	ERR_UNKNOWN = 127, /* no such command */
};

/* Words of the user and of files may be of any length; what a person reads is not. */
#define ERR_LINE_MAX  600 /* bytes of a line of `what` and `hint` */
#define ERR_CARET_MAX 240 /* of `text`: three lines of a terminal */

struct err {
	int code;		      /* enum err_code; 0: no error */
	char what[1024];	      /* one line: "cannot do X: reason" */
	char hint[1024];	      /* what to do next, may hold several lines; "" for none */
	char text[ERR_CARET_MAX + 1]; /* the user's own words, for a caret; "" for none */
	u32 caret, width;	      /* where in text, bytes */
};

/* Set the error; returns -code.  A later err_set on the same struct is ignored: the first
 * failure is the cause. */
int err_set(struct err *e, enum err_code code, const char *fmt, ...) PRINTF(3, 4);

/* As err_set, with ": <strerror(errnum)>" added.  EPERM and EACCES make ERR_PERM, anything
 * else ERR_FAIL. */
int err_errno(struct err *e, int errnum, const char *fmt, ...) PRINTF(3, 4);

/* Put "context: " before what is set.  Returns -code. */
int err_wrap(struct err *e, const char *fmt, ...) PRINTF(2, 3);

/* Add a line to the hint.  Returns -code. */
int err_hint(struct err *e, const char *fmt, ...) PRINTF(2, 3);

/* Show the user's text, of a long one what is around it, with a caret under [at, at + width).
 * Returns -code. */
int err_caret(struct err *e, const char *text, u32 at, u32 width);

void err_clear(struct err *e);

#endif
