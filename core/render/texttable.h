/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A text table whose columns are as wide as their content. */
#ifndef RENDER_TEXTTABLE_H
#define RENDER_TEXTTABLE_H

#include "base/mem.h"
#include "base/str.h"

struct grid {
	u32 n_columns;
	u32 n_first,
		n_left;	   /* this many columns at the beginning and at the end are left-aligned */
	VEC(char *) cells; /* row by row, starting with the headings */
	u32 width;	   /* width of a line, to which the last column is shortened; 0: no limit */
};

/* Append a cell, sanitized for a terminal. */
void grid_add(struct grid *g, struct view text);
void grid_addf(struct grid *g, const char *fmt, ...) PRINTF(2, 3);

/* Print all rows in order, without trailing blanks. */
void grid_print(const struct grid *g, struct str *out);
void grid_release(struct grid *g);

#endif
