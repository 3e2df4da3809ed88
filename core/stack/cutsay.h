/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef STACK_CUTSAY_H
#define STACK_CUTSAY_H

#include "stack/cuts.h"

/* Warn once if a large share of the report has user stacks that end early: say in which code, and
 * where to read more.  `is_said` is kept between reports. */
void cuts_print(const struct cuts *cuts, const char *command, bool *is_said);

#endif
