/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A run of trace: from its options to events that are printed as they arrive. */
#ifndef EVENT_TRACE_H
#define EVENT_TRACE_H

#include "probe/overhead.h"
#include "probe/run.h"

struct trace_conf {
	struct proberun_conf run;
	u64 max_events;
	u32 buffer_pages;
	struct overhead_limit max_overhead;
	bool timestamp, unix_time, wall_time, print_cpu, print_uid;
	bool kernel_stack, user_stack, addresses;
	bool aggregate, unique, binary_compare, raw, csv;
	const char *contains, *heading;
	struct opt_strings events;    /* -e as probes, then the words; the strings are owned */
	struct opt_strings includes;  /* -I: accepted, not needed */
	struct opt_strings sym_files; /* -s: the same */
};

/* *status: the exit status of the program after --, or 0. */
int trace_run(const struct trace_conf *conf, int argc, char **argv, int *status, struct err *err);

#endif
