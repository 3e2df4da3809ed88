/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes JSON into a buffer.  Knows the grammar, must not know the content.  `key` is NULL inside
 * arrays.  The output is always valid UTF-8, without bytes that control a terminal.
 */
#ifndef RENDER_JSONW_H
#define RENDER_JSONW_H

#include "base/str.h"

struct jsonw {
	struct str *out; /* borrowed */
	bool needs_comma;
};

/* Start and end an object or array. */
void json_open(struct jsonw *w, const char *key, char bracket); /* '{' or '[' */
void json_close(struct jsonw *w, char bracket);			/* '}' or ']' */
/* A string; bytes that are not UTF-8 become U+FFFD. */
void json_text(struct jsonw *w, const char *key, const char *text); /* NULL: null */
void json_view(struct jsonw *w, const char *key, struct view text);
/* Numbers with all digits, although some readers round those of 2^53 and more. */
void json_u64(struct jsonw *w, const char *key, u64 v);
void json_s64(struct jsonw *w, const char *key, s64 v);
void json_bool(struct jsonw *w, const char *key, bool v);
void json_none(struct jsonw *w, const char *key);
/* A 64-bit identity (address, cookie) as a string, because a double would lose digits. */
void json_hex(struct jsonw *w, const char *key, u64 v);
/* Two hexadecimal digits for each byte, as a string. */
void json_hex_bytes(struct jsonw *w, const char *key, struct view bytes);
/* Nanoseconds as seconds with 1 to 9 decimals. */
void json_seconds(struct jsonw *w, const char *key, u64 ns, int digits);
/* With a fixed number of decimals. */
void json_decimal(struct jsonw *w, const char *key, double v, int digits);
/* 0 to 1, rounded down, so that only the whole is 1. */
void json_share(struct jsonw *w, const char *key, double v);
/* All digits of a number that is not an integer. */
void json_double(struct jsonw *w, const char *key, double v);
/* A value that is already JSON. */
void json_raw(struct jsonw *w, const char *key, struct view json);

#endif
