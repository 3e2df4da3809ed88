/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A borrowed piece of text: not NUL-terminated, not copied, not owned. */
#ifndef BASE_VIEW_H
#define BASE_VIEW_H

#include <string.h>

#include "base/types.h"

struct view {
	const char *p;
	size_t n;
};

static inline struct view view_of(const char *s)
{
	return (struct view){ .p = s, .n = strlen(s) };
}

static inline bool view_eq(struct view v, const char *s)
{
	return strlen(s) == v.n && !memcmp(v.p, s, v.n);
}

static inline bool view_starts(struct view v, const char *prefix)
{
	size_t n = strlen(prefix);

	return v.n >= n && !memcmp(v.p, prefix, n);
}

static inline bool view_ends(struct view v, const char *suffix)
{
	size_t n = strlen(suffix);

	return v.n >= n && !memcmp(v.p + v.n - n, suffix, n);
}

/* Remove the text before the next `sep`, and the separator, from *rest.  The last piece needs no
 * separator.  Returns false when *rest is empty. */
static inline bool view_split(struct view *rest, char sep, struct view *piece)
{
	const char *at;

	if (!rest->n)
		return false;
	at = memchr(rest->p, sep, rest->n);
	piece->p = rest->p;
	piece->n = at ? (size_t)(at - rest->p) : rest->n;
	rest->p += piece->n + (at != NULL);
	rest->n -= piece->n + (at != NULL);
	return true;
}

#endif
