/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Kernel functions and events that were renamed, and functions that a pattern must not probe. */
#ifndef SITE_ALIASES_H
#define SITE_ALIASES_H

#include "site/site.h"

/* Row `nth` for an old name: a possible current name; older renamings come first.  Returns NULL
 * after the last row. */
const struct func_alias *alias_of_func(const char *name, u32 nth);

/* `note` of the result is the new category.  Returns NULL if there is none. */
const struct func_alias *alias_of_event(const char *category, const char *event);

/* Functions that hang or crash machines when they are probed: returns the reason, or NULL if the
 * function is safe. */
const char *func_danger(const char *name);

/* User functions whose callers a return probe would crash: returns the reason, or NULL if it is
 * safe. */
const char *func_return_danger(const char *name);

#endif
