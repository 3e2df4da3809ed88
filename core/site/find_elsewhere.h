/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names that no kernel function has, but something of another kind: "sched_switch" is a tracepoint,
 * "malloc" the C library's, "nsecs" a value.  Knows who finds what; must not know how.  Only
 * core/site.
 */
#ifndef SITE_FIND_ELSEWHERE_H
#define SITE_FIND_ELSEWHERE_H

#include "site/find_int.h"

/* The site of another kind that f->name, one certain name, is.  In the plan's arena; NULL: it is
 * nowhere else either. */
const char *find_elsewhere(const struct finder *f);

/* A name that is a value's, here or in bpftrace: hints at where those stand.  false: it is none. */
bool value_hint(const char *name, struct err *err);

#endif
