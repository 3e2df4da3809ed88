/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A run that is shown while it goes on: a child measures, this process shows. */
#ifndef LIVE_MEASURE_H
#define LIVE_MEASURE_H

#include "base/err.h"
#include "opt/output.h"
#include "opt/target.h"

/* The members of a command's conf on which --live depends. */
struct live_part {
	struct output_conf *output; /* NULL: the command has no --live */
	u64 *interval_ns, *count;   /* NULL: it measures nothing */
	struct target *target;	    /* NULL: the same */
	bool delimited;		    /* a delimiter between kernel and user frames */
};

/*
 * Fork.  In the child, *has_shown is false: it is to measure, with the conf that was adapted, and
 * writes JSON to its stdout.  In the parent, it is true when the person has left; *status as from
 * live_run().
 */
int live_measure(const char *name, const struct live_part *part, bool *has_shown, int *status,
		 struct err *err);

#endif
