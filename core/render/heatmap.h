/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Histograms over time, kept from report to report until they are drawn.  Their memory is bounded:
 * if there are more windows than columns in a picture, windows are merged in pairs; keys beyond
 * HEAT_MAPS share a map.  No counts are lost by this.
 */
#ifndef RENDER_HEATMAP_H
#define RENDER_HEATMAP_H

#include "base/mem.h"
#include "base/sparse.h"
#include "model/report.h"

#define HEAT_COLUMNS 240
#define HEAT_MAPS    32 /* maps with their own key, in all histograms together */

/* The counts of one map in one window; empty windows have no column. */
struct heat_column {
	u32 window;
	struct sparse buckets;
	u64 count;
};

struct heat_map {
	u32 of;	   /* index into dists */
	char *key; /* "comm = bash", raw, owned; NULL: the histogram has no keys */
	u64 total;
	VEC(struct heat_column) columns; /* in order of time */
};

struct heat_window {
	u64 start_ns, end_ns;
	u32 n_reports;
};

struct heat_maps {
	const struct run_info *run;
	VEC(struct dist) dists; /* without rows; texts are borrowed for the run */
	VEC(struct heat_map) maps;
	struct heat_window windows[HEAT_COLUMNS];
	u32 n_windows;
	u32 per_window; /* reports in a window; 0: one */
	u64 n_reports, total;
	bool is_cumulative; /* each report includes the one before, so only the last in a window
			       counts */
};

void heat_maps_add(struct heat_maps *m, const struct report *r);
void heat_maps_release(struct heat_maps *m);

#endif
