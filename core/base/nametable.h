/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A table of names that a function may have, globs allowed, each with what it means: asked of every
 * symbol of a kernel or every frame of a report.  Rows are found by the first four bytes, so those
 * must be no wildcards.  A function is compared without what compilers append (".cold",
 * ".constprop.0").
 */
#ifndef BASE_NAMETABLE_H
#define BASE_NAMETABLE_H

#include "base/types.h"
#include "base/view.h"

#define GLOBS_MAX_ROWS 254

struct globs {
	const char *rows; /* the first member of each is the glob, a const char * */
	size_t bytes;	  /* of a row */
	u8 first[256], next[GLOBS_MAX_ROWS]; /* number of a row + 1; 0: none */
};

/* `rows` must outlive g.  Takes about a microsecond. */
void globs_init(struct globs *g, const void *rows, size_t n, size_t bytes);

/* The first row that fits, or NULL. */
const void *globs_find(const struct globs *g, struct view name);

#endif
