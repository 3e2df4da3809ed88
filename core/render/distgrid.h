/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The cells of distributions as texts, for formats that people read. */
#ifndef RENDER_DISTGRID_H
#define RENDER_DISTGRID_H

#include "model/dist.h"
#include "render/texttable.h"

/* The key of the row that sums all keys for which there was no room. */
#define DIST_OTHER "[other]"

/*
 * Headings and rows of statistics and tables: the first g->n_first keys, the numbers, the other
 * keys.  dist_grid_head sets the columns of the grid.  Stacks that are keys are left to the caller.
 */
void dist_grid_head(struct grid *g, const struct dist *d);
void dist_grid_row(struct grid *g, const struct dist *d, const struct dist_row *row);

/* A cell for each key. */
void dist_grid_keys(struct grid *g, const struct dist *d, const struct dist_row *row);

/* Replace the texts by the limits of a bucket: "512" and "1023", "..." for no limit; `last` is
 * empty if the bucket holds only one value. */
void dist_get_ends(const struct dist *d, u32 bucket, struct str *from, struct str *last);

#endif
