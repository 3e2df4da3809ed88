/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Results of `argdist`: distributions of values.  Plain data, filled in by core/agg and printed by
 * core/render.  A report holds one of them for each spec (--table: one for all), and each has one
 * row per key, or a single row.  Texts are borrowed; rows and their buckets are owned.
 */
#ifndef MODEL_DIST_H
#define MODEL_DIST_H

#include "base/mem.h"
#include "base/types.h"
#include "model/key.h"

#define DIST_MAX_KEYS 16

enum dist_kind {
	DIST_COUNTS,	 /* -C: number of events by key */
	DIST_HISTOGRAM,	 /* -H */
	DIST_STATISTICS, /* -S */
	DIST_TABLE,	 /* --table */
	DIST_N_KINDS,
};

/* As in JSON: "count", "hist", "stats", "table", which are types of records too. */
extern const char *const dist_kind_names[DIST_N_KINDS];

/*
 * Numbering of buckets, in the order of their values.
 *
 * log2		64 is the value 0, 65 + k holds 2^k to 2^(k+1) - 1, 63 - k holds the
 * 		same range of negative values
 * linear		0 is everything below min, 1 + i holds min + i * step up to the next
 * 		step, the last is everything above
 * bounds		i holds the values below bounds[i] and not below bounds[i - 1]
 * log-linear	eight for each power of two; DIST_FINE_ZERO is the first one of values
 * 		that are not negative
 */
enum dist_scale {
	SCALE_LOG2,
	SCALE_LINEAR,
	SCALE_BOUNDS,
	SCALE_LOG_LINEAR,
	SCALE_N_KINDS,
};

/* As in JSON: "log2", "linear", "bounds", "log-linear". */
extern const char *const dist_scale_names[SCALE_N_KINDS];

#define DIST_LOG2_ZERO 64
#define DIST_LOG2_N    129
#define DIST_FINE_ZERO 496
#define DIST_FINE_N    (2 * DIST_FINE_ZERO)

struct dist_scaling {
	enum dist_scale kind;
	s64 min, step;
	u32 n; /* linear: buckets between the outer two; bounds: number of bounds */
	const s64 *bounds;
};

/* Numbers are the bits of a u64, or of an s64 if dist.is_signed. */
struct dist_bucket {
	u64 from, last;	       /* smallest and largest value in the bucket */
	bool is_first, is_end; /* true: no lower limit; no upper limit */
};

enum dist_fn {
	DIST_FN_COUNT,
	DIST_FN_SUM,
	DIST_FN_AVG,
	DIST_FN_MIN,
	DIST_FN_MAX,
	DIST_N_FNS,
};

/* As in specs and in JSON: "count", "sum", "avg", "min", "max". */
extern const char *const dist_fn_names[DIST_N_FNS];

/* A column of a table. */
struct dist_column {
	const char *name;
	enum dist_fn fn;
	bool is_signed; /* true if its values are signed */
};

struct dist_cell {
	u64 count; /* number of values; 0: nothing to show */
	u64 value; /* sum, minimum or maximum */
};

struct dist_row {
	const char *const *key; /* a text for each of key_names; NULL: the row of all keys for which
				   the table had no room */
	struct key_marks marks; /* those of its texts */
	u32 kernel, user;	/* with has_stacks: leaf nodes in the report; 0: no such frames */
	bool is_rooted;		/* the user part begins where its thread does */
	u64 count;
	u32 first, n; /* range of buckets from the first to the last that is not empty */
	u64 *buckets; /* n counts, owned */
	/* DIST_STATISTICS */
	u64 sum, least, greatest;
	/* DIST_TABLE: one for each column; derived: NAN for no value.  Owned. */
	struct dist_cell *cells;
	double *derived;
};

struct dist {
	enum dist_kind kind;
	const char *title;	/* the label, or the spec as typed */
	const char *probe;	/* the site as typed; NULL for a table */
	const char *label;	/* NULL: none */
	const char *value_name; /* the value of the buckets: "len", "$latency" */
	const char *event_name; /* DIST_COUNTS without keys: "total calls" */
	const char *unit;	/* unit of the values: "ns"; NULL: plain numbers */
	bool is_signed;
	struct dist_scaling scale;
	const char *const *key_names; /* "fd", "comm" */
	u32 n_keys;
	bool has_stacks; /* stacks are keys too: they are in the rows, not in key_names */
	const struct dist_column *columns;
	u32 n_columns;
	const char *const *derived_names;
	u32 n_derived;
	const char *sort;	   /* the table column to sort by; NULL: the first */
	const double *percentiles; /* DIST_STATISTICS: the percentiles to show */
	u32 n_percentiles;
	VEC(struct dist_row) rows; /* unordered */
	u64 total;		   /* sum of the rows' counts */
};

void dist_row_release(struct dist_row *row);
void dist_release(struct dist *d);

/* The indexes of the rows in display order: largest count first (statistics: sum, tables: sort
 * column), then by key.  The caller frees it. */
u32 *dist_order(const struct dist *d);

/* The range of values of bucket `i`. */
struct dist_bucket dist_bucket_at(const struct dist_scaling *s, bool is_signed, u32 i);

/* The bucket of a value on the log-linear scale (SCALE_LOG_LINEAR). */
u32 dist_fine_bucket(u64 value, bool is_signed);

/*
 * A percentile of the row (nearest rank) from its log-linear buckets: off by at most 1/16, and
 * never outside [least, greatest].
 */
double dist_percentile(const struct dist *d, const struct dist_row *row, double percent);

/* Is a percentile the row's least or greatest value?  These are known exactly, where a double would
 * round. */
bool dist_is_extreme(const struct dist *d, const struct dist_row *row, double value, u64 *exact);

double dist_number(u64 value, bool is_signed);

/* false: the sum exceeds 64 bits. */
bool dist_is_sum_known(const struct dist *d, const struct dist_row *row);
/* NAN: there are no values, or the sum is unknown. */
double dist_mean(const struct dist *d, const struct dist_row *row);

/* A cell as a number; NAN: it has no values. */
double dist_cell_number(const struct dist_column *c, const struct dist_cell *cell);

#endif
