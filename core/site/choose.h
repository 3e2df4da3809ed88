/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table of attach methods: the name of each, the sites that it can attach to, and when it is
 * chosen. */
#ifndef SITE_CHOOSE_H
#define SITE_CHOOSE_H

#include "site/plan.h"

/* Choose how and in which processes the sites of a plan are probed: sets the plan's method, reach
 * and wide_why.  If only some processes are to be probed, a method that leaves the others alone is
 * preferred to a faster one; if there is no such method, all processes are probed.  Returns
 * -ERR_KERNEL with the name of the missing feature, or a usage error if the forced method cannot
 * attach to such sites. */
int method_choose(struct kernel *k, struct probe_plan *plan, const struct plan_ability *can,
		  const struct plan_opts *opts, struct err *err);

/* Does the kernel support the method? */
bool method_is_there(const struct plan_ability *can, enum attach_method m);

#endif
