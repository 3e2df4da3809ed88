/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What `argdist` has found out: how values are distributed.  Plain data, made by the command and
 * read by out/.  A report holds some of them, one for each spec (--table: one for all); each has
 * a row for every key, or one row.  Texts are borrowed, rows and their buckets owned.
 */
#ifndef MODEL_DIST_H
#define MODEL_DIST_H

#include "base/mem.h"
#include "base/types.h"

#define DIST_MAX_KEYS 16

enum dist_kind {
	DIST_COUNTS,	 /* -C: how often each key */
	DIST_HISTOGRAM,	 /* -H */
	DIST_STATISTICS, /* -S */
	DIST_TABLE,	 /* --table */
	DIST_N_KINDS,
};

/*
 * Buckets by number, in the order of their values.
 *
 *	log2		64 is the value 0, 65 + k holds 2^k to 2^(k+1) - 1, 63 - k the same of
 *			negative values
 *	linear		0 is what is below min, 1 + i holds min + i * step and up to the next, the
 *			last is what is above
 *	bounds		i is what is below bounds[i] and not below the one before
 *	log-linear	eight for each power of two; those of values from 0 on begin at
 *			DIST_FINE_ZERO
 */
enum dist_scale {
	SCALE_LOG2,
	SCALE_LINEAR,
	SCALE_BOUNDS,
	SCALE_LOG_LINEAR,
};

#define DIST_LOG2_ZERO 64
#define DIST_LOG2_N    129
#define DIST_FINE_ZERO 496
#define DIST_FINE_N    (2 * DIST_FINE_ZERO)

struct dist_scaling {
	enum dist_scale kind;
	s64 min, step;
	u32 n; /* linear: buckets between the outer two; bounds: how many */
	const s64 *bounds;
};

/* Numbers are the bits of a u64, or of an s64 where dist.is_signed. */
struct dist_bucket {
	u64 from, last;	       /* the least and the greatest that belong into it */
	bool is_first, is_end; /* nothing can be below `from`; above `last` */
};

enum dist_fn {
	DIST_FN_COUNT,
	DIST_FN_SUM,
	DIST_FN_AVG,
	DIST_FN_MIN,
	DIST_FN_MAX,
};

/* A column of a table, and what stands in it. */
struct dist_column {
	const char *name;
	enum dist_fn fn;
	bool is_signed; /* what was put in */
};

struct dist_cell {
	u64 count; /* of values put in; 0: there is nothing to show */
	u64 value; /* sum, least or greatest */
};

struct dist_row {
	const char *const *key; /* texts, one for each of key_names; NULL: all that had no room */
	u32 kernel, user;	/* of has_stacks: leaf nodes of the report's; 0: no such frames */
	u64 count;
	u32 first, n; /* buckets, from the first to the last that holds something */
	u64 *buckets; /* n of them, owned */
	/* DIST_STATISTICS */
	u64 sum, least, greatest;
	/* DIST_TABLE: of each column; owned.  Derived columns: NAN where there is none; owned. */
	struct dist_cell *cells;
	double *derived;
};

struct dist {
	enum dist_kind kind;
	const char *title;	/* the label, or the spec as typed */
	const char *probe;	/* its site as typed; of a table NULL */
	const char *label;	/* NULL: none */
	const char *value_name; /* what is put into buckets: "len", "$latency" */
	const char *event_name; /* DIST_COUNTS without keys: "total calls" */
	const char *unit;	/* of the values: "ns"; NULL: plain numbers */
	bool is_signed;
	struct dist_scaling scale;
	const char *const *key_names; /* "fd", "comm" */
	u32 n_keys;
	bool has_stacks; /* they are keys too, and stand in the rows; key_names have none of it */
	const struct dist_column *columns;
	u32 n_columns;
	const char *const *derived_names;
	u32 n_derived;
	const char *sort;	   /* a table's column that rows are sorted by; NULL: the first */
	const double *percentiles; /* DIST_STATISTICS: which ones are shown */
	u32 n_percentiles;
	VEC(struct dist_row) rows; /* any order */
	u64 total;		   /* of counts */
};

void dist_release(struct dist *d);

/* The rows' indexes in the order in which they are shown: largest count first (statistics by their
 * sum, tables by their column), then by key.  Caller frees. */
u32 *dist_order(const struct dist *d);

/* What the numbered bucket holds. */
struct dist_bucket dist_bucket_at(const struct dist_scaling *s, bool is_signed, u32 i);

/* Which bucket of the log-linear scale (SCALE_LOG_LINEAR) a number belongs to. */
u32 dist_fine_bucket(u64 value, bool is_signed);

/*
 * The value that so many percent of a row's are not above (nearest rank), from the log-linear
 * buckets: at most 1/16 of it off, and never beyond the extremes.
 */
double dist_percentile(const struct dist *d, const struct dist_row *row, double percent);

/* Is a percentile the row's least or greatest value?  That is known to the last digit, which a
 * double does not hold. */
bool dist_is_extreme(const struct dist *d, const struct dist_row *row, double value, u64 *exact);

double dist_number(u64 value, bool is_signed);

/* False: the sum is more than 64 bits hold. */
bool dist_is_sum_known(const struct dist *d, const struct dist_row *row);
/* NAN: of nothing, or of a sum that isn't known. */
double dist_mean(const struct dist *d, const struct dist_row *row);

/* A cell as a number; NAN: nothing was put in. */
double dist_cell_number(const struct dist_column *c, const struct dist_cell *cell);

#endif
