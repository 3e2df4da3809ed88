/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Text typed by the user, and ranges of it.  A probe spec is one text; the parsers of its parts
 * (site, signature, expression, format) keep ranges of the whole, so that every error can quote the
 * spec as typed, with a caret under the position.  The functions span_*() work on these ranges;
 * they have nothing to do with the spans of probes.
 */
#ifndef BASE_SOURCE_H
#define BASE_SOURCE_H

#include "base/err.h"
#include "base/types.h"
#include "base/view.h"

/* Longer texts are refused before they are parsed, so positions fit easily in 32 bits. */
#define TEXT_MAX 65536

/* A part of a text, in bytes; n == 0 and at == 0: absent. */
struct text_range {
	u32 at, n;
};

/* NUL-terminated, borrowed; must outlive all of its ranges. */
struct text {
	const char *p;
	u32 n;
};

static inline struct text text_of(const char *s)
{
	return (struct text){ .p = s, .n = (u32)strlen(s) };
}

static inline struct text_range span_all(const struct text *t)
{
	return (struct text_range){ 0, t->n };
}

static inline struct view span_view(const struct text *t, struct text_range s)
{
	return (struct view){ .p = t->p + s.at, .n = s.n };
}

static inline bool span_same(const struct text *t, struct text_range x, struct text_range y)
{
	return x.n == y.n && !memcmp(t->p + x.at, t->p + y.at, x.n);
}

static inline struct text_range span_to(struct text_range first, struct text_range last)
{
	return (struct text_range){ first.at, last.at + last.n - first.at };
}

static inline u32 span_end(struct text_range s)
{
	return s.at + s.n;
}

/* `s` without the blanks (space, tab, newline) at its ends. */
struct text_range span_trim(const struct text *t, struct text_range s);

/* Set an ERR_USAGE error that shows the line around `at`, with carets under it.  Returns -code. */
int text_error(const struct text *t, struct text_range at, struct err *err, const char *fmt, ...)
	PRINTF(4, 5);

/*
 * Find the first byte of `stops` in [at, end) that is outside () [] {} and outside string and
 * character literals (with \ escapes).  Returns `end` when there is none.  An unmatched closing
 * bracket is found only if it is in `stops`.
 */
u32 text_find(const struct text *t, u32 at, u32 end, const char *stops);

/*
 * The position of the bracket or quote that closes the one at `at`; `end` when it is not closed
 * before `end`.
 */
u32 text_match(const struct text *t, u32 at, u32 end);

#endif
