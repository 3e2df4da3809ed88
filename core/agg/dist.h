/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The distributions of argdist: what each group of sites puts into which cells (bind.c), and what
 * rows of the aggregator are in a report (dist.c), or as stacks (stackkeys.c).  Must not know
 * options' names, nor formats.
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
	u32 max_keys;		       /* for each; 0: as many as there should be room for */
	struct dist_scaling scale;     /* for histograms */
	const double *percentiles;
	u32 n_percentiles;
	/* Reports are of a window each; else of all since the start. */
	bool has_windows;
	bool is_over_time; /* histograms are lines of a heat map */
	bool is_open;	   /* only spans that have not ended, at least so old: */
	u64 open_ns;
	char *const *derived; /* --col: "NAME=EXPR" */
	u32 n_derived;
	const char *sort; /* --sort; NULL: by the first column */
};

/* One result: of a word, or of all words of --table. */
struct dist_result {
	struct dist shown; /* but its rows */
	enum gen_cell cell;
	u32 n_key;		   /* tables: parts of the key, with stacks */
	bool has_kernel, has_user; /* keys have stacks */
	struct agg_rows *rows;
	struct cell_layout layout; /* its cells, once it has a table */
};

/* agg_table.owner: the result of a table's cells, and their value. */
struct dist_cells {
	struct dists *dists;
	u32 result;
	const struct type *value;      /* NULL: counts */
	const struct tree *open_value; /* the value, of one of the groups */
};

struct dists {
	struct dist_opts opts;
	struct agg agg;
	VEC(struct dist_result) results;
	u32 *result_of; /* by probe */
	/* --table: its columns, the probe of each, what is derived from them. */
	VEC(struct dist_column) columns;
	VEC(u32) column_probes;
	VEC(struct derived) derived;
	const char **derived_names;
	u64 n_negative; /* stacks of this report whose sum is */
	bool is_negative_said;
	/* Keys of any result have stacks; of -C or -S: there is one, which is a report of stacks.
	 */
	bool has_kernel, has_user, is_of_stacks;
	bool has_saved_stacks;	    /* true with spans and calls, however long they last */
	struct dist_stacks *stacks; /* borrowed, by dists_report */
	VEC(struct stack_task) tasks;
	double seconds; /* the length of the report's window */
	u64 end_ns; /* set before dists_report: the end of the window, until which spans are open */
};

/* Between probes_plan and probes_load: what each group does.  `sym` names addresses in keys. */
int dists_init(struct dists *d, const struct dist_opts *opts, struct probes *probes,
	       struct symbolizer *sym, struct err *err);
void dists_release(struct dists *d);

static inline bool dists_has_stacks(const struct dists *d)
{
	return d->has_kernel || d->has_user;
}

/* Fill in r's distributions, or stacks, of its window; they live until the next one. */
int dists_report(struct dists *d, struct report *r, struct err *err);

/* ---- between the files ---- */

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

/* How many events made a cell of the table (struct agg_table) what it is. */
u64 dist_count_cell(const void *table, const u64 *cell);

/* -C and -S: the report is one of stacks. */
void dist_take_stacks(struct dists *d, const struct dist_result *r, struct report *out);
/* -H and --table: rows get their nodes, and those that look the same are one. */
void dist_name_stacks(struct dists *d, struct report *out);

/* Predicate, key, value and cells of a group of a probe. */
int dist_bind_group(struct dists *d, u32 probe, struct probe_group *g, struct err *err);
/* The key of a table's spec, and the pair of the cell that a column's group fills. */
int dist_bind_column(struct dists *d, u32 probe, struct probe_group *g, struct err *err);
/* Once all columns are known: what is derived from them. */
int dist_bind_table(struct dists *d, struct err *err);
/* A row of a table, from its cell. */
void dist_take_table(struct dists *d, const struct agg_row *e, struct dist_row *row);
/* Is this u64 of a table's cell a least or a greatest value? */
bool dist_is_table_extreme(const void *dists, u32 i);

/* The stacks of a group's key.  -code with a caret: other groups of the result have others. */
int dist_take_key_stacks(struct dists *d, const struct probe *probe, struct dist_result *r,
			 const struct gen_plan *g, struct err *err);

/* --open (openspans.c): a group that is bound already; the spans that are open now, as cells
 * (agg_opts.make_cells). */
int dist_bind_open(struct dists *d, const struct probe *probe, struct probe_group *g,
		   struct err *err);
int dist_make_open(struct agg_table *t, struct err *err);

/* In the cell of statistics: where a bucket (model/dist.h) is, which bucket a word is. */
u32 dist_fine_word(u32 bucket);
u32 dist_fine_bucket_at(u32 word);

#endif
