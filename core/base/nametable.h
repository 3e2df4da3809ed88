/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A table of function names, globs allowed, each with a value; looked up for every symbol of a
 * kernel or every frame of a report.  Rows are hashed by their first four bytes, so these must not
 * be wildcards.  Names are compared without suffixes added by compilers (".cold", ".constprop.0").
 */
#ifndef BASE_NAMETABLE_H
#define BASE_NAMETABLE_H

#include "base/types.h"
#include "base/view.h"

#define GLOBS_MAX_ROWS 254

struct globs {
	const char *rows; /* the first member of each row is the glob, a const char * */
	size_t bytes;	  /* size of a row */
	u8 first[256], next[GLOBS_MAX_ROWS]; /* row number + 1; 0: none */
};

/* `rows` must outlive g.  Takes about a microsecond. */
void globs_init(struct globs *g, const void *rows, size_t n, size_t bytes);

/* The first row that matches, or NULL. */
const void *globs_find(const struct globs *g, struct view name);

#endif
