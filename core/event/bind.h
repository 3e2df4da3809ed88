/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef EVENT_BIND_H
#define EVENT_BIND_H

#include "probe/load.h"

struct bind_opts {
	bool kernel_stacks, user_stacks; /* of each event */
};

/*
 * Predicate, format and expressions of each spec checked for each of its groups, which then send
 * events; without expressions all arguments, at returns the latency too.
 */
int bind_events(struct probes *p, const struct bind_opts *opts, struct err *err);

#endif
