/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * UTF-8 for all formats.  Names are hostile bytes (anyone can choose a comm, symbol or path), and
 * no format may pass on bytes that break a terminal or a parser.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/str.h"
#include "base/types.h"

#define UTF8_BAD 0xffffffffU /* not the start of a well-formed sequence */

/* Remove the first code point from the view, which must not be empty.  UTF8_BAD consumes one
 * byte. */
u32 utf8_next(struct view *v);

/* C0, DEL, C1, and characters that change the direction of text: never sent to a terminal. */
bool utf8_is_control(u32 cp);

/* Number of leading bytes that are printable ASCII: for most texts, all of them. */
size_t utf8_plain_bytes(struct view v);

bool utf8_is_valid(struct view v);

/* Add the text, with '?' for control characters and bytes that are not UTF-8. */
void utf8_add_clean(struct str *out, struct view v);

/* Width on a terminal, taking one column per code point: wrong for wide scripts, which function
 * names do not use. */
size_t utf8_columns(struct view v);

/* Add the text in at most `columns` (> 2) columns; ".." replaces its middle if it is longer. */
void utf8_add_cut(struct str *out, struct view v, size_t columns);

/* The same, but ".." replaces its end. */
void utf8_add_head(struct str *out, struct view v, size_t columns);

#endif
