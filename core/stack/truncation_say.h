/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef STACK_TRUNCATION_SAY_H
#define STACK_TRUNCATION_SAY_H

#include "stack/truncation.h"

/* Warn once if a large share of the report has user stacks that end early: say in which code, and
 * where to read more.  `is_said` is kept between reports. */
void truncations_print(const struct truncations *truncations, const char *command, bool *is_said);

#endif
