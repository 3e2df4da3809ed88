/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * JSON, written forwards into a buffer.  Knows the grammar, must not know what is said.  `key` is
 * NULL inside arrays.  Text is always valid UTF-8 and without bytes that a terminal would obey.
 */
#ifndef RENDER_JSONW_H
#define RENDER_JSONW_H

#include "base/str.h"

struct jsonw {
	struct str *out; /* borrowed */
	bool needs_comma;
};

/* An object or an array, and its end. */
void json_open(struct jsonw *w, const char *key, char bracket); /* '{' or '[' */
void json_close(struct jsonw *w, char bracket);			/* '}' or ']' */
/* A string; what is not UTF-8 becomes U+FFFD. */
void json_text(struct jsonw *w, const char *key, const char *text); /* NULL: null */
void json_view(struct jsonw *w, const char *key, struct view text);
/* Numbers, as they are: 2^53 and more is for the reader to round. */
void json_u64(struct jsonw *w, const char *key, u64 v);
void json_s64(struct jsonw *w, const char *key, s64 v);
/* The three literals. */
void json_bool(struct jsonw *w, const char *key, bool v);
void json_null(struct jsonw *w, const char *key);
/* A 64-bit identity (address, cookie): doubles lose its last digits, so it is a string. */
void json_hex(struct jsonw *w, const char *key, u64 v);
/* Nanoseconds as seconds with `digits` (1 to 9) behind the point. */
void json_seconds(struct jsonw *w, const char *key, u64 ns, int digits);
/* A value that is JSON already. */
void json_raw(struct jsonw *w, const char *key, struct view json);

#endif
