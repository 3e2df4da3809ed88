/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The counters of funccount: what each group of sites counts into, and what was counted since the
 * last report, by row.  Knows maps and rows; must not know options' names, nor formats.
 */
#ifndef AGG_COUNTERS_H
#define AGG_COUNTERS_H

#include "agg/celltable.h"
#include "base/index.h"
#include "model/report.h"

struct tally_opts {
	bool errors, latency; /* sites are returns then */
	const char *by;	      /* expressions; NULL: no keys */
	u32 max_keys;	      /* of each spec */
	bool has_windows;     /* there will be several reports */
};

#define TALLY_SUMS (1 + GEN_MAX_SUMS) /* count; errors, nanoseconds as asked for */

struct tally_row {
	struct count_row shown;
	bool is_hidden; /* while nothing was counted */
	u64 sum[TALLY_SUMS], last[TALLY_SUMS];
	u64 value; /* count of the last report */
};

/* A table of keys: of all groups of a spec whose keys have the same size. */
struct tally_cells {
	u32 probe;
	struct key_table table;
	u32 other_row; /* UINT32_MAX: none yet */
	VEC(u32) rows; /* of each key that was met */
};

struct tally {
	struct tally_opts opts;
	struct probes *probes;
	struct show_env show;
	int counts_fd; /* -1: there are keys */
	u32 n_sums;
	u32 n_sites, *first; /* of all specs; of each spec, the number of its first site */
	u32 *row_of;	     /* of each site, without keys */
	/* Of each spec: with this window, before it. */
	u64 *hits, *hits_before;
	VEC(struct tally_row) rows;
	struct index by_name;
	VEC(struct tally_cells) cells;
	struct key_windows windows;
	struct key_exprs by;
	struct arena texts; /* of the rows, as long as these */
};

/* Between probes_plan and probes_load: what each group does.  `sym` names addresses in keys. */
int tally_init(struct tally *t, const struct tally_opts *opts, struct probes *probes,
	       struct symbolizer *sym, struct err *err);
void tally_release(struct tally *t);

/* Fill in r's rows, total and view: what was counted since the last one that was no snapshot. They
 * live until the next one. */
int tally_report(struct tally *t, struct report *r, struct err *err);

/* The count of a row in the last report, by name (derive_lookup).  ctx: the tally. */
bool tally_value(void *ctx, const char *name, double *value);
const char *tally_name(void *ctx, u32 i);

/* What a spec's sites have counted so far. */
u64 tally_hits(const struct tally *t, u32 probe);

#endif
