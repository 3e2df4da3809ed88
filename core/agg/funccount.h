/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A run of funccount: from its options to tables of counts. */
#ifndef AGG_FUNCCOUNT_H
#define AGG_FUNCCOUNT_H

#include "probe/run.h"

struct funccount_conf {
	struct proberun_conf run;
	u32 max_keys;
	bool is_regex, wide, latency, errors;
	struct opt_strings columns;
	const char *by;
};

/* *status: the exit status of the program after --, or 0. */
int funccount_run(const struct funccount_conf *conf, int argc, char **argv, int *status,
		  struct err *err);

#endif
