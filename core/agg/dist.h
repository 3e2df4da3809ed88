/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The distributions of argdist: what each group of sites puts into which cells (bind.c), and
 * what was put in during a report's window, by row (dist.c), or by stack (stackkeys.c).  Knows maps
 * and rows; must not know
 * options' names, nor formats.
 */
#ifndef AGG_DIST_H
#define AGG_DIST_H

#include "agg/celltable.h"
#include "agg/derive.h"
#include "agg/stackring.h"
#include "base/sparse.h"
#include "model/report.h"

/* A -C, -H, -S or --table and its spec. */
struct dist_word {
	enum dist_kind kind;
	const char *text;
	u32 column; /* of a table: which of its spec's columns this probe fills */
};

struct dist_opts {
	const struct dist_word *words; /* borrowed; as many as there are probes */
	const char *by;		       /* expressions; NULL: none */
	u32 max_keys;		       /* of each; 0: as many as there should be room for */
	struct dist_scaling scale;     /* of histograms */
	const double *percentiles;
	u32 n_percentiles;
	/* Reports are of a window each; else of all since the start. */
	bool has_windows;
	bool is_over_time; /* histograms are lines of a heat map */
	bool is_open;	   /* of spans that have not ended, and are at least so old: */
	u64 open_ns;
	char *const *derived; /* --col: "NAME=EXPR" */
	u32 n_derived;
	const char *sort; /* --sort; NULL: by the first column */
};

struct dist_entry {
	const char *const *key; /* texts; NULL: [other] */
	/* Identities of the kernel's and the user's, where they are keys; of a distribution that is
	 * shown, what they look like (stackkeys.c). */
	u64 stacks[2][2];
	struct dist_nodes nodes;
	u64 hash;
	/* Of its cell, from the first word to the last that is not 0. */
	struct words now;
};

/* One result: of a word, or of all words of --table. */
struct dist_result {
	struct dist shown; /* but its rows */
	enum gen_cell cell;
	u32 n_key;		   /* of a table: what keys are made of, stacks too */
	bool has_kernel, has_user; /* keys have stacks */
	VEC(struct dist_entry) entries;
	struct index by_key;
};

/* The kernel's cells of groups whose keys and values have the same types. */
struct dist_cells {
	const struct dists *dists;
	u32 result;
	const struct probe *probe; /* whose sites $func counts */
	const struct tree *const *key;
	u32 n_key;
	const struct type *value;      /* NULL: counts */
	const struct tree *open_value; /* the value, of one of the groups */
	struct key_table table;
	VEC(u32) entries; /* of each key that was met */
};

struct dists {
	struct dist_opts opts;
	struct probes *probes;
	struct show_env show;
	struct key_exprs by;
	VEC(struct dist_result) results;
	u32 *result_of; /* of each probe */
	/* Of --table: its columns, the probe of each, what is derived from them. */
	VEC(struct dist_column) columns;
	VEC(u32) column_probes;
	VEC(struct derived) derived;
	const char **derived_names;
	VEC(struct dist_cells *) cells;
	struct key_windows windows;
	struct arena texts; /* of keys, as long as their report */
	/* Of each probe: with this window, before it. */
	u64 *hits, *hits_before;
	u64 n_negative; /* stacks of this report whose sum is */
	bool is_negative_said;
	/* Keys of any result have stacks; of -C or -S: there is one, which is a report of stacks.
	 */
	bool has_kernel, has_user, is_of_stacks;
	bool has_saved_stacks;		       /* of spans and calls, however long these last */
	u64 n_stack_full, n_stack_full_before; /* events below [other stacks]; as hits */
	struct dist_stacks *stacks;	       /* borrowed, by dists_report */
	VEC(struct stack_task) tasks;
	u64 end_ns; /* of the window, by whoever calls dists_report: until when spans are open */
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

/* The entry of the result that looks like this: keys of several tables may.  A new one holds
 * nothing. */
u32 dist_entry_of(struct dist_result *r, struct dist_entry want);
/* Sums are added to sums, and of extremes the greater one stays. */
void dist_add_words(struct words *to, const struct words *more, const struct key_table_opts *o);

/* key_table_opts.count; ctx: struct dist_cells */
u64 dist_count_cell(void *ctx, const u64 *cell);

/* All of a result's entries put in anew: those whose keys have become the same are one, and they
 * are in the order that they have now. */
void dist_refill(struct dists *d, struct dist_result *r);

/* Of -C and -S: the report is one of stacks. */
void dist_take_stacks(struct dists *d, const struct dist_result *r, struct report *out);
/* Of -H and --table: entries get their nodes, and those that look the same are one. */
void dist_name_stacks(struct dists *d, struct report *out);

/* Predicate, key, value and cells of a group of a probe. */
int dist_bind_group(struct dists *d, u32 probe, struct probe_group *g, struct err *err);
/* What a column's group puts into which pair of the cell; the key of a table's spec. */
int dist_bind_column(struct dists *d, u32 probe, struct probe_group *g, struct err *err);
/* Once all columns are known: what is derived from them. */
int dist_bind_table(struct dists *d, struct err *err);
/* A row of a table, from its cell. */
void dist_take_table(struct dists *d, const struct dist_entry *e, struct dist_row *row);
/* Is this u64 of a table's cell a least or a greatest value? */
bool dist_is_table_extreme(const struct dists *d, u32 i);

/* Which stacks a group's key has.  -code with a caret: other groups of the result have others. */
int dist_take_key_stacks(struct dists *d, const struct probe *probe, struct dist_result *r,
			 const struct gen_plan *g, struct err *err);

static inline bool dist_is_stack(const struct tree *part)
{
	return part->type->kind == TYPE_STACK;
}

/* --open (openspans.c): a group that is bound already; the spans that are open now, as
 * key_table_read hands cells out. */
int dist_bind_open(struct dists *d, const struct probe *probe, struct probe_group *g,
		   struct err *err);
void dist_read_open(struct dists *d, struct dist_cells *c, key_take take, void *ctx);
/* In the cell of statistics, where a bucket (model/dist.h) is. */
u32 dist_fine_word(u32 bucket);
/* u64s of a cell. */
u32 dist_cell_words(const struct dist_cells *c);

#endif
