/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Arguments of argdist that are lists of numbers. */
#ifndef AGG_OPTS_H
#define AGG_OPTS_H

#include "base/err.h"
#include "model/dist.h"

/* --linear, --buckets; without them, buckets are powers of two. */
struct dist_scale_conf {
	struct dist_scaling scaling;
	VEC(s64) bounds; /* `scaling` points to them */
};

/* --pct */
struct dist_pct_conf {
	VEC(double) v;
	bool is_given;
};

void dist_defaults(struct dist_scale_conf *scale, struct dist_pct_conf *pct);
void dist_release_conf(struct dist_scale_conf *scale, struct dist_pct_conf *pct);

/* For rows of OPT_CALL; values may be times ("1ms"), which are converted to nanoseconds. */
int dist_parse_linear(void *scale, const char *text, struct err *err);
int dist_parse_bounds(void *scale, const char *text, struct err *err);
int dist_parse_percentiles(void *pct, const char *text, struct err *err);

#endif
