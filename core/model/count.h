/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One row of `funccount`: how often a site was hit, for one key when there are keys.  Plain data,
 * made by the command and read by out/.  Everything is borrowed.
 */
#ifndef MODEL_COUNT_H
#define MODEL_COUNT_H

#include "base/types.h"

#define COUNT_MAX_KEYS 8

/* What the rows of a report have besides their count. */
struct count_view {
	bool has_errors, has_times;
	const char *const *key_names; /* "$comm" */
	u32 n_keys;
	bool is_wide;		    /* one line of the report, with a column for each row, then: */
	const char *const *columns; /* names of derived columns */
	const double *derived;	    /* their values, one after the other; NAN, INFINITY: none */
	u32 n_columns;
};

struct count_row {
	const char *name;	/* as text shows it: "vfs_read", "sched:sched_switch", a label */
	const char *probe;	/* the spec as typed: "k:vfs_*" */
	const char *label;	/* NULL: none */
	const char *func;	/* "vfs_read"; NULL: of several */
	const char *mod;	/* "kernel", a file's path, a tracepoint's category; NULL: none */
	const char *const *key; /* texts, one for each of key_names; NULL: all that had no room */
	u64 value;
	u64 errors;  /* calls that failed, of those counted */
	u64 time_ns; /* between their entries and their returns */
};

#endif
