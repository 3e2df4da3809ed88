/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A run of profile: the skeleton that samples CPUs. */
#ifndef STACK_SAMPLE_H
#define STACK_SAMPLE_H

#include "stack/collect.h"

struct profile_conf {
	struct collect_conf collect;
	const char *event;
	u64 frequency_hz, period; /* at most one of the two is set */
	bool include_idle;
	bool has_call_graph; /* accepted, without an effect */
};

/* *status: the exit status of the program after --, or 0. */
int profile_run(const struct profile_conf *conf, int argc, char **argv, int *status,
		struct err *err);

#endif
