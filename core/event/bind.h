/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef EVENT_BIND_H
#define EVENT_BIND_H

#include "probe/probes.h"

struct bind_opts {
	bool kernel_stacks, user_stacks; /* add to each event */
};

/*
 * Check the predicate, format and expressions of each spec for each of its groups, which then send
 * events; without expressions, all arguments are sent, and at returns the latency too.
 */
int bind_events(struct probes *p, const struct bind_opts *opts, struct err *err);

#endif
