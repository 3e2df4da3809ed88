/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names that are not kernel functions: "sched_switch" is a tracepoint, "malloc" a function of the C
 * library, "nsecs" a value.  Knows which finder to ask; must not know how finders work.  Private to
 * core/site.
 */
#ifndef SITE_FIND_ELSEWHERE_H
#define SITE_FIND_ELSEWHERE_H

#include "site/find_int.h"

/* A site of another kind with the name f->name, which has no wildcards.  Allocated in the plan's
 * arena; NULL if there is none. */
const char *find_elsewhere(const struct finder *f);

/* If the name is that of a value, in bperf or in bpftrace, put a hint into `err` and return
 * true. */
bool value_hint(const char *name, struct err *err);

#endif
