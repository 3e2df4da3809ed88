/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Errors: what failed, the reason by name, and what to do next.  A function that can fail takes a
 * struct err * last, fills it once and returns err_set()'s value, so that "message printed, status
 * still 0" can't be written.  Only cmd/main.c prints one.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "base/types.h"

/* The kind of failure, used as the exit status (values of sysexits.h where one fits). */
enum err_code {
	ERR_FAIL = 1,	   /* ran and failed */
	ERR_USAGE = 64,	   /* the command line is wrong */
	ERR_NOTARGET = 66, /* nothing to trace: no such process, no match */
	ERR_KERNEL = 69,   /* this kernel cannot do it */
	ERR_PERM = 77,	   /* not permitted */
	ERR_UNKNOWN = 127, /* no such command */
};

/* Bounds on messages: they quote names from users and files, which can have any length. */
#define ERR_LINE_MAX  600 /* bytes of one line of `what` and `hint` */
#define ERR_CARET_MAX 240 /* bytes of `text`: three lines of a terminal */

struct err {
	int code;	 /* enum err_code; 0: no error */
	char what[1024]; /* one line: "cannot do X: reason" */
	char hint[1024]; /* advice on how to go on, can have several lines; "" for none */
	char text[ERR_CARET_MAX + 1]; /* the user's input, for a caret; "" for none */
	u32 caret, width;	      /* position and length in `text`, bytes */
};

/* Set the error; returns -code.  A later err_set on the same struct is ignored: the first
 * failure is the cause. */
int err_set(struct err *e, enum err_code code, const char *fmt, ...) PRINTF(3, 4);

/* Like err_set, with ": <strerror(errnum)>" appended.  EPERM and EACCES become ERR_PERM, anything
 * else ERR_FAIL. */
int err_errno(struct err *e, int errnum, const char *fmt, ...) PRINTF(3, 4);

/* Prepend "context: " to the message.  Returns -code. */
int err_wrap(struct err *e, const char *fmt, ...) PRINTF(2, 3);

/* Add a line to the hint.  Returns -code. */
int err_hint(struct err *e, const char *fmt, ...) PRINTF(2, 3);

/* Quote the user's text with a caret under [at, at + width); a long text is shortened to the part
 * around it.  Returns -code. */
int err_caret(struct err *e, const char *text, u32 at, u32 width);

void err_clear(struct err *e);

#endif
