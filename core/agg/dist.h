/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The distributions of argdist: bind.c chooses the values and cells of each group of sites, dist.c
 * turns rows of the aggregator into a report, and stackkeys.c turns them into stacks.  Must not
 * know the names of options, nor formats.
 */
#ifndef AGG_DIST_H
#define AGG_DIST_H

#include "agg/agg.h"
#include "agg/derive.h"
#include "agg/stackring.h"
#include "model/report.h"

/* A -C, -H, -S or --table and its spec. */
struct dist_word {
	enum dist_kind kind;
	const char *text;
	u32 column; /* tables: the column of the spec that this probe fills */
};

struct dist_opts {
	const struct dist_word *words; /* borrowed; as many as there are probes */
	const char *by;		       /* expressions; NULL: none */
	u32 max_keys;		       /* for each spec; 0: a default that should be enough */
	struct dist_scaling scale;     /* for histograms */
	const double *percentiles;
	u32 n_percentiles;
	/* Each report covers one window; else all the time since the start. */
	bool has_windows;
	bool is_over_time; /* histograms are lines of a heat map */
	bool is_open;	   /* only spans that have not ended, and are at least this old: */
	u64 open_ns;
	char *const *derived; /* --col: "NAME=EXPR" */
	u32 n_derived;
	const char *sort;   /* --sort; NULL: by the first column */
	const char *caller; /* --caller: a pattern; NULL: stacks of all callers */
};

/* The result of one word, or of all words of --table. */
struct dist_result {
	struct dist shown; /* without its rows */
	enum gen_cell cell;
	u32 n_key;		   /* tables: parts of the key, with stacks */
	bool has_kernel, has_user; /* keys have stacks, of which these frames are shown (0: all): */
	u32 max_kernel, max_user;
	struct agg_rows *rows;
	struct cell_layout layout; /* its cells, once it has a table */
};

/* agg_table.owner: the result of a table's cells, and their value. */
struct dist_cells {
	struct dists *dists;
	u32 result;
	const struct type *value;      /* NULL: counts */
	const struct tree *open_value; /* the value's tree, from one of the groups */
};

struct dists {
	struct dist_opts opts;
	struct agg agg;
	VEC(struct dist_result) results;
	u32 *result_of; /* by probe */
	/* --table: its columns, the probe of each, and the derived columns. */
	VEC(struct dist_column) columns;
	VEC(u32) column_probes;
	VEC(struct derived) derived;
	const char **derived_names;
	u64 n_negative; /* stacks of this report whose sum is negative */
	bool is_negative_said;
	/* has_kernel, has_user: the keys of some result have stacks.  is_of_stacks: that result is
	 * the only one, of -C or -S, and the report is one of stacks. */
	bool has_kernel, has_user, is_of_stacks;
	bool has_saved_stacks;	    /* true with spans and calls, no matter how long they last */
	struct dist_stacks *stacks; /* borrowed, by dists_report */
	VEC(struct stack_task) tasks;
	double seconds; /* the length of the report's window */
	u64 end_ns; /* set before dists_report: the end of the window, until which spans are open */
};

/* Define the work of each group; call it between probes_plan and probes_load.  `sym` names
 * addresses in keys. */
int dists_init(struct dists *d, const struct dist_opts *opts, struct probes *probes,
	       struct symbolizer *sym, struct err *err);
void dists_release(struct dists *d);

static inline bool dists_has_stacks(const struct dists *d)
{
	return d->has_kernel || d->has_user;
}

/* Fill in the distributions or stacks of r's window; they live until the next report. */
int dists_report(struct dists *d, struct report *r, struct err *err);

/* ---- shared by the files of the distributions ---- */

/* The owner of a table, and its result. */
static inline struct dist_cells *dist_cells_of(const struct agg_table *t)
{
	return t->owner;
}

static inline struct dist_result *dist_result_of(const struct agg_table *t)
{
	const struct dist_cells *c = t->owner;

	return &c->dists->results.items[c->result];
}

/* How many events a cell of the table (struct agg_table) stands for. */
u64 dist_count_cell(const void *table, const u64 *cell);

/* The events of a cell of --table, whose columns count each one. */
u64 dist_table_events(const struct agg_table *t, const u64 *cell);

/* -C and -S: the report is one of stacks. */
void dist_take_stacks(struct dists *d, const struct dist_result *r, struct report *out);
/* Does --caller let the stack pass?  Also if it is not known: a note, or [other]. */
bool dist_is_called(const struct dists *d, const struct report *r, u32 kernel, u32 user);
/* -H and --table: rows get their nodes, and those that look the same are merged. */
void dist_name_stacks(struct dists *d, struct report *out);

/* Set the predicate, key, value and cells of a probe's group. */
int dist_bind_group(struct dists *d, u32 probe, struct probe_group *g, struct err *err);
/* The same for --table: the key of its spec, and the pair of words that the column's group fills in
 * the cell. */
int dist_bind_column(struct dists *d, u32 probe, struct probe_group *g, struct err *err);
/* Parse the derived columns, once all columns are known. */
int dist_bind_table(struct dists *d, struct err *err);
/* Fill in a table's row from its cell. */
void dist_take_table(struct dists *d, const struct agg_row *e, struct dist_row *row);
/* Is this u64 of a table's cell a least or a greatest value? */
bool dist_is_table_extreme(const void *dists, u32 i);

/* Take over the stacks of a group's key.  -code with a caret: another group of the result has
 * different stacks. */
int dist_take_key_stacks(struct dists *d, const struct probe *probe, struct dist_result *r,
			 const struct gen_plan *g, struct err *err);

/* --open (openspans.c).  The first function takes a group that is already bound; the second makes
 * cells of the spans that are open now (agg_opts.make_cells). */
int dist_bind_open(struct dists *d, const struct probe *probe, struct probe_group *g,
		   struct err *err);
int dist_make_open(struct agg_table *t, struct err *err);

/* In a cell of statistics: the word that holds a bucket (model/dist.h), and the bucket in a
 * word. */
u32 dist_fine_word(u32 bucket);
u32 dist_fine_bucket_at(u32 word);

#endif
