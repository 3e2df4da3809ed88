/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A table of texts whose columns are as wide as what stands in them. */
#ifndef RENDER_TEXTTABLE_H
#define RENDER_TEXTTABLE_H

#include "base/mem.h"
#include "base/str.h"

struct grid {
	u32 n_columns, n_left; /* the last n_left columns are texts, flush left */
	VEC(char *) cells;     /* row by row, from the head on */
};

/* The next cell, made clean for a terminal. */
void grid_add(struct grid *g, struct view text);
void grid_addf(struct grid *g, const char *fmt, ...) PRINTF(2, 3);

/* All rows in their order; nothing behind the last cell of a line. */
void grid_print(const struct grid *g, struct str *out);
void grid_release(struct grid *g);

#endif
