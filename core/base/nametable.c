// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/nametable.h"

#include <fnmatch.h>

#define MIN_BYTES 4
#define MAX_BYTES 128 /* longer names are compared up to here */

static u32 bucket_of(const char *name)
{
	u32 four;

	memcpy(&four, name, sizeof(four));
	return four * 0x9e3779b1U >> 24;
}

static const char *glob_of(const struct globs *g, size_t i)
{
	return *(const char *const *)(const void *)(g->rows + i * g->bytes);
}

/* Fill the table from the last row on, so that rows of one bucket keep their order. */
void globs_init(struct globs *g, const void *rows, size_t n, size_t bytes)
{
	*g = (struct globs){ .rows = rows, .bytes = bytes };
	for (size_t i = n; i--;) {
		u32 at = bucket_of(glob_of(g, i));

		g->next[i] = g->first[at];
		g->first[at] = (u8)(i + 1);
	}
}

const void *globs_find(const struct globs *g, struct view name)
{
	char text[MAX_BYTES];
	const char *dot;
	u32 i;

	if (name.n < MIN_BYTES)
		return NULL;
	i = g->first[bucket_of(name.p)];
	if (!i)
		return NULL;
	dot = memchr(name.p, '.', name.n);
	if (dot)
		name.n = (size_t)(dot - name.p);
	if (name.n >= sizeof(text))
		name.n = sizeof(text) - 1;
	memcpy(text, name.p, name.n);
	text[name.n] = '\0';
	for (; i; i = g->next[i - 1])
		if (!fnmatch(glob_of(g, i - 1), text, 0))
			return g->rows + (i - 1) * g->bytes;
	return NULL;
}
