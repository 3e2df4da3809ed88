/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef ATTACH_ABILITY_H
#define ATTACH_ABILITY_H

#include "site/plan.h"

/* Tests only what these kinds of site (1 << enum site_kind) may need: each test takes time. */
void ability_measure(u32 kinds, struct plan_ability *can);

/* Assumes a kernel with every feature: for dumps, which do not test this one. */
void ability_assume(struct plan_ability *can);

#endif
