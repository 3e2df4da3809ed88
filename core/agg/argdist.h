/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A run of argdist: from its options to distributions. */
#ifndef AGG_ARGDIST_H
#define AGG_ARGDIST_H

#include "agg/dist.h"
#include "agg/opts.h"
#include "probe/run.h"

struct argdist_conf {
	struct proberun_conf run;
	VEC(struct dist_word) words;
	u32 max_keys, n_outputs, keys_first;
	u64 open_ns; /* UINT64_MAX: not given */
	bool is_regex, is_cumulative, heat, in_place, offsets, greatest_first;
	const char *by, *sort, *caller;
	struct opt_strings columns; /* --col */
	struct dist_scale_conf scale;
	struct dist_pct_conf percentiles;
	struct opt_strings includes; /* -I: accepted, not needed */
};

/* *status: the exit status of the program after --, or 0. */
int argdist_run(const struct argdist_conf *conf, int argc, char **argv, int *status,
		struct err *err);

#endif
