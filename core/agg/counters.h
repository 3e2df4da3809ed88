/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The counters of funccount: chooses the cells into which each group of sites counts, and names the
 * rows.  Knows the aggregator and sites; must not know the names of options, nor formats.
 */
#ifndef AGG_COUNTERS_H
#define AGG_COUNTERS_H

#include "agg/agg.h"
#include "model/report.h"

struct tally_opts {
	bool errors, latency; /* sites are returns if one of them is set */
	const char *by;	      /* expressions; NULL: no keys */
	u32 max_keys;	      /* for each spec */
	bool has_windows;     /* there will be several reports */
};

/* The name of a site's row. */
struct tally_look {
	struct count_row shown; /* without its key and numbers */
	bool is_hidden;		/* as long as nothing was counted */
};

struct tally {
	struct tally_opts opts;
	struct agg agg;
	struct agg_rows *rows; /* words: count; errors and nanoseconds if requested */
	u32 n_sums;	       /* words of a cell */
	VEC(struct tally_look) looks;
	struct index by_name;
	u32 n_sites, *first; /* n_sites: all specs together; first: the first site of each spec */
	u32 *look_of;	     /* by site, numbered from `first` */
	u32 *other_look;     /* by spec, with keys: the row of keys that did not fit */
};

/* Define the work of each group; call it between probes_plan and probes_load.  `sym` names
 * addresses in keys. */
int tally_init(struct tally *t, const struct tally_opts *opts, struct probes *probes,
	       struct symbolizer *sym, struct err *err);
void tally_release(struct tally *t);

/* Fill in r's rows, total and view: everything counted since the last report that was not a
 * snapshot.  They live until the next report. */
int tally_report(struct tally *t, struct report *r, struct err *err);

/* Without keys: the count of a row in the last report, by name (derive_lookup).  ctx: the tally. */
bool tally_value(void *ctx, const char *name, double *value);
/* The name of row i, for messages about unknown names; NULL: there are no more rows. */
const char *tally_name(void *ctx, u32 i);

#endif
