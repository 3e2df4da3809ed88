/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The aggregator of funccount and argdist: from the kernel's cells to rows.
 *
 *	agg_init	--by, counters of each probe
 *	agg_add_table	the cells that some groups of sites share, and the rows that they fill
 *	agg_read	a report's window: all cells into rows
 *	agg_ledger	what found no room
 *
 * Knows tables, keys and rows; what a program puts into a cell, and what a row is in a report, is
 * for counters.c and dist.c.
 */
#ifndef AGG_AGG_H
#define AGG_AGG_H

#include "agg/celltable.h"
#include "agg/keys.h"
#include "event/value.h"
#include "model/ledger.h"

struct agg;

/* The cells of groups whose keys and values have the same types. */
struct agg_table {
	struct agg *agg;
	struct agg_rows *rows;	   /* borrowed; several tables may fill them */
	const struct probe *probe; /* $func is one of its sites */
	u32 n_key;
	const struct tree *const *key; /* with `look`: the key of the site's group is meant */
	/* Where rows are of sites: what tells the site's rows from those of others (of AGG_OTHER:
	 * the row of all keys without room).  The site is the first part of the key; without keys
	 * it is the number of the cell.  NULL: rows are told apart by all parts of the key. */
	u64 (*look)(const struct agg_table *t, u32 site);
	u64 *last; /* cells that only grow: what they were at the last cut.  NULL: they are emptied
		    */
	void *owner; /* for `look`, `count` and the like */
	struct cell_table cells;
};

#define AGG_OTHER UINT32_MAX

struct agg_opts {
	const char *by; /* --by; NULL: none */
	u32 max_by;
	bool has_windows; /* reports are of a window each; else of all since the start */
	/* A cell goes into a row: adds its events to the hits of its probes. */
	void (*on_cell)(struct agg *a, const struct agg_table *t, const struct agg_row *row,
			const u64 *cell);
	/* Cells that are made in user space (agg_take); NULL: they are the kernel's. */
	int (*make_cells)(struct agg_table *t, struct err *err);
	void *owner;
};

/* Events that were folded because memory was full. */
struct agg_folded {
	u64 keys;   /* into the row of all keys without room */
	u64 stacks; /* below a note that stands for their stacks */
};

struct agg {
	struct agg_opts opts;
	struct probes *probes;
	struct show_env show;
	struct key_exprs by;
	VEC(struct agg_table *) tables;
	VEC(struct agg_rows *) rows;
	struct cell_windows windows;
	struct arena texts; /* texts of keys, as long as their rows */
	/* By probe: with this window, before it. */
	u64 *hits, *hits_before;
	bool is_cut; /* the window ends with this report */
	/* Events whose keys are shown truncated: of this report, of those that were cut. */
	u64 n_cut_keys, n_cut_keys_before;
	struct agg_folded folded,
		cut_folded; /* this report's, and those of reports that were cut */
};

/* Between probes_plan and probes_load.  `sym` names addresses in keys. */
int agg_init(struct agg *a, const struct agg_opts *opts, struct probes *probes,
	     struct symbolizer *sym, struct err *err);
void agg_release(struct agg *a);

/* Rows for a result; the agg's. */
struct agg_rows *agg_add_rows(struct agg *a);

/* A table as `like` says, whose cells are as `cells` says.  count: how many events made a cell what
 * it is; it gets the table. */
int agg_add_table(struct agg *a, const struct agg_table *like, const struct cell_table_opts *cells,
		  u64 (*count)(const void *table, const u64 *cell), struct agg_table **out,
		  struct err *err);

/* A report's window into the rows, which live until the next one. */
int agg_read(struct agg *a, bool is_snapshot, struct err *err);

/* Puts a cell into its row (agg_opts.make_cells).  key: as cell_take has it. */
void agg_take(struct agg_table *t, const void *key, const u64 *cell);

/* Add the events that found no room: of the last report; of the whole run. */
void agg_report_ledger(const struct agg *a, struct ledger *l);
void agg_run_ledger(const struct agg *a, struct ledger *l);

/* From time to time: cell_windows_tidy. */
static inline void agg_tidy(struct agg *a, u64 now)
{
	cell_windows_tidy(&a->windows, now);
}

#endif
