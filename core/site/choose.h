/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table of attach methods: what each is called, takes, and when it is chosen. */
#ifndef SITE_CHOOSE_H
#define SITE_CHOOSE_H

#include "site/plan.h"

/* How a plan's sites will be reached, and in whose code: the plan's method, reach and wide_why.
 * Where only some processes are asked for, a method that leaves the others alone is preferred to a
 * faster one, and to none.  -ERR_KERNEL naming what is missing, or a usage error when
 * the forced method isn't for such sites. */
int method_choose(struct kernel *k, struct probe_plan *plan, const struct plan_ability *can,
		  const struct plan_opts *opts, struct err *err);

/* Does the kernel have it? */
bool method_is_there(const struct plan_ability *can, enum attach_method m);

#endif
