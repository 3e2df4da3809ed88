/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One row of `funccount`: how often a site was hit, by key if there are keys.  Plain data, filled
 * in by core/agg and printed by core/render.  Everything is borrowed.
 */
#ifndef MODEL_COUNT_H
#define MODEL_COUNT_H

#include "base/types.h"
#include "model/key.h"

#define COUNT_MAX_KEYS 8

/* The columns that the rows of a report have besides their counts. */
struct count_view {
	bool has_errors, has_times;
	const char *const *key_names; /* "$comm" */
	u32 n_keys;
	bool is_wide; /* print one line per report: a column for each row, then the derived columns
		       */
	const char *const *columns; /* names of the derived columns */
	const double *derived;	    /* their values, in the same order; NAN, INFINITY: none */
	u32 n_columns;
};

struct count_row {
	const char *name;	/* as shown in text: "vfs_read", "sched:sched_switch", a label */
	const char *probe;	/* the spec as typed: "k:vfs_*" */
	const char *label;	/* NULL: none */
	const char *func;	/* "vfs_read"; NULL: more than one */
	const char *mod;	/* "kernel", a file's path, a tracepoint's category; NULL: none */
	const char *const *key; /* a text for each of key_names; NULL: the row of all keys for which
				   the table had no room */
	u64 value;
	u64 errors;		/* failed calls among those counted */
	u64 time_ns;		/* total time between entry and return */
	struct key_marks marks; /* those of the key's texts */
};

#endif
