/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef STACK_CUTSAY_H
#define STACK_CUTSAY_H

#include "stack/cuts.h"

/* Once, when much of what is shown has user stacks that are cut short: which code, and where to
 * read on.  `is_said` is kept from report to report. */
void cuts_say(const struct cuts *cuts, const char *command, bool *is_said);

#endif
