/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names are hostile bytes: comm, symbols and paths hold whatever somebody put there.  What every
 * format needs of UTF-8, so that none of them passes on what could break a terminal or a parser.
 */
#ifndef RENDER_UTF8_H
#define RENDER_UTF8_H

#include "base/str.h"
#include "base/types.h"

#define UTF8_BAD 0xffffffffU /* not the start of a well-formed sequence */

/* The code point at the view's start, cut off it: UTF8_BAD takes one byte.  The view isn't
 * empty. */
u32 utf8_next(struct view *v);

/* C0, DEL, C1, and what turns the direction of text around: never shown to a terminal. */
bool utf8_is_control(u32 cp);

bool utf8_is_valid(struct view v);

/* Add the text for people: '?' for control characters and for what is not UTF-8. */
void utf8_add_clean(struct str *out, struct view v);

/* Columns on a terminal, a column for each code point: wrong for wide scripts, which function
 * names are not written in. */
size_t utf8_columns(struct view v);

/* Add the text in at most `columns` (> 2) columns: its middle becomes "..". */
void utf8_add_cut(struct str *out, struct view v, size_t columns);

#endif
