/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the kernel's authors have renamed, and what must not be probed by a pattern. */
#ifndef SITE_ALIASES_H
#define SITE_ALIASES_H

#include "site/site.h"

/* Row `nth` for an old name: where it may live on today, in order of age.  NULL: no (more). */
const struct func_alias *alias_of_func(const char *name, u32 nth);

/* `note` is the new category.  NULL: none. */
const struct func_alias *alias_of_event(const char *category, const char *event);

/* Functions that hang or crash machines when they are probed.  NULL: not so; else why. */
const char *func_danger(const char *name);

/* User functions whose callers a return probe would crash.  NULL: not so; else why. */
const char *func_return_danger(const char *name);

#endif
