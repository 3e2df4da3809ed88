/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A run of profile: the skeleton that samples CPUs. */
#ifndef STACK_PROFILE_H
#define STACK_PROFILE_H

#include "stack/collect.h"

/* An event of --ratio: "cycles", "page-faults:1". */
struct profile_event {
	char *name; /* owned; NULL: not given */
	u64 period; /* its own; 0: that of the run, or its frequency */
};

struct profile_conf {
	struct collect_conf collect;
	const char *event;
	u64 frequency_hz, period; /* at most one of the two is set */
	/* --ratio SECOND/FIRST, or --color-by SECOND; NULL: one event is sampled. */
	const char *ratio, *color_by;
	struct profile_event first, second; /* taken from these two */
	bool include_idle;
	bool has_call_graph;	/* perf's -g: accepted, without an effect */
	const char *call_graph; /* the same */
};

/* Set the two events from --ratio and --color-by (stack/ratioopts.c). */
int profile_take_ratio(struct profile_conf *conf, struct err *err);
void profile_release_ratio(struct profile_conf *conf);

/* *status: the exit status of the program after --, or 0. */
int profile_run(const struct profile_conf *conf, int argc, char **argv, int *status,
		struct err *err);

#endif
