/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The aggregator of funccount and argdist: from the kernel's cells to rows.
 *
 *	agg_init	--by, counters of each probe
 *	agg_add_table	the cells that some groups of sites share, and the rows that they fill
 *	agg_read	a report's window: all cells into rows
 *	agg_report_ledger  the events that did not fit
 *
 * Knows tables, keys and rows; counters.c and dist.c know the contents of a cell and the meaning of
 * a row in a report.
 */
#ifndef AGG_AGG_H
#define AGG_AGG_H

#include "agg/celltable.h"
#include "agg/keys.h"
#include "agg/keytexts.h"
#include "event/value.h"
#include "model/ledger.h"

struct agg;

/* The cells of groups whose keys and values have the same types. */
struct agg_table {
	struct agg *agg;
	struct agg_rows *rows;	   /* borrowed; several tables may fill them */
	const struct probe *probe; /* $func is one of its sites */
	u32 n_key;
	const struct tree *const *key; /* with `look`: that of the site's group */
	/* If rows belong to sites: returns a number that tells the site's rows from those of others
	 * (for AGG_OTHER: the row of all keys that did not fit).  The site is the first part of the
	 * key; without keys, the cell's number is the site.  NULL: rows are told apart by all parts
	 * of the key. */
	u64 (*look)(const struct agg_table *t, u32 site);
	/* The events of a cell that several programs fill for each; NULL: as many as it counts. */
	u64 (*events)(const struct agg_table *t, const u64 *cell);
	u64 *last;   /* values at the last cut of cells that only grow.  NULL: cells are emptied */
	void *owner; /* for `look`, `count` and the like */
	struct cell_table cells;
};

#define AGG_OTHER UINT32_MAX

struct agg_opts {
	const char *by; /* --by; NULL: none */
	u32 max_by;
	bool has_windows; /* each report covers one window; else all the time since the start */
	/* Called when a cell is added to a row: adds the cell's events to the hits of its
	 * probes. */
	void (*on_cell)(struct agg *a, const struct agg_table *t, const struct agg_row *row,
			const u64 *cell);
	/* Makes cells in user space (agg_take); NULL: cells come from the kernel. */
	int (*make_cells)(struct agg_table *t, struct err *err);
	void *owner;
};

/* Events that were folded because memory was full. */
struct agg_folded {
	u64 keys;   /* into the row of all keys that did not fit */
	u64 stacks; /* below a note that replaces their stacks */
};

struct agg {
	struct agg_opts opts;
	struct probes *probes;
	struct show_env show;
	struct key_exprs by;
	VEC(struct agg_table *) tables;
	VEC(struct agg_rows *) rows;
	struct cell_windows windows;
	struct key_texts apart; /* long strings of keys */
	struct arena texts;	/* texts of keys; they live as long as their rows */
	/* By probe: including this window; before it. */
	u64 *hits, *hits_before;
	bool is_cut; /* the window ends with this report */
	/* Events whose keys are shown truncated: in this report; in earlier windows. */
	u64 n_cut_keys, n_cut_keys_before;
	struct agg_folded folded, cut_folded; /* in this report; in earlier windows */
};

/* Call it between probes_plan and probes_load.  `sym` names addresses in keys. */
int agg_init(struct agg *a, const struct agg_opts *opts, struct probes *probes,
	     struct symbolizer *sym, struct err *err);
void agg_release(struct agg *a);

/* Add rows for a result; the aggregator owns them. */
struct agg_rows *agg_add_rows(struct agg *a);

/* Add a table with the members of `like` and cells as `cells` describes them.  count() gets the
 * table, and returns how many events a cell stands for. */
int agg_add_table(struct agg *a, const struct agg_table *like, const struct cell_table_opts *cells,
		  u64 (*count)(const void *table, const u64 *cell), struct agg_table **out,
		  struct err *err);

/* Read a report's window into the rows, which live until the next call. */
int agg_read(struct agg *a, bool is_snapshot, struct err *err);

/* Put a cell into its row (agg_opts.make_cells).  `key` is as in cell_take. */
void agg_take(struct agg_table *t, const void *key, const u64 *cell);

/* Add the events that did not fit: in the last report; in the whole run. */
void agg_report_ledger(const struct agg *a, struct ledger *l);
void agg_run_ledger(const struct agg *a, struct ledger *l);

/* Call it from time to time: it makes room in the kernel's tables.  An error here will occur again
 * when the next report begins. */
void agg_tidy(struct agg *a, u64 now);

#endif
