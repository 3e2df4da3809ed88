/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The user's words and places in them.  A probe spec is one text; whoever reads a part of it (the
 * site, a signature, an expression, a format) keeps spans into the whole, so that every error can
 * show the spec as typed with a caret under the place.
 */
#ifndef BASE_SOURCE_H
#define BASE_SOURCE_H

#include "base/err.h"
#include "base/types.h"
#include "base/view.h"

/* Longer texts are refused before anything reads them: positions fit in 32 bits with room. */
#define TEXT_MAX 65536

/* A piece of a text, in bytes; n == 0 with at == 0: not there. */
struct span {
	u32 at, n;
};

/* NUL-terminated, borrowed; outlives all spans. */
struct text {
	const char *p;
	u32 n;
};

static inline struct text text_of(const char *s)
{
	return (struct text){ .p = s, .n = (u32)strlen(s) };
}

static inline struct span span_all(const struct text *t)
{
	return (struct span){ 0, t->n };
}

static inline struct view span_view(const struct text *t, struct span s)
{
	return (struct view){ .p = t->p + s.at, .n = s.n };
}

static inline struct span span_to(struct span first, struct span last)
{
	return (struct span){ first.at, last.at + last.n - first.at };
}

static inline u32 span_end(struct span s)
{
	return s.at + s.n;
}

/* `s` without the blanks (space, tab, newline) at its ends. */
struct span span_trim(const struct text *t, struct span s);

/* An error of code ERR_USAGE about a place: the line of the text that holds it is shown, with
 * carets.  Returns -code. */
int text_error(const struct text *t, struct span at, struct err *err, const char *fmt, ...)
	PRINTF(4, 5);

/*
 * The first byte of `stops` at or after `at` and before `end` that stands outside of () [] {} and
 * of string and character literals (with \ escapes); `end` when there is none.  A closing bracket
 * that was not opened here is only found, never skipped: put it in `stops`.
 */
u32 text_find(const struct text *t, u32 at, u32 end, const char *stops);

/*
 * Where the bracket or quote that stands at `at` is closed: the position of the closing byte.
 * `end` when it is not closed before `end`.
 */
u32 text_match(const struct text *t, u32 at, u32 end);

#endif
