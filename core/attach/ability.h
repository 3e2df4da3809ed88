/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef ATTACH_ABILITY_H
#define ATTACH_ABILITY_H

#include "site/plan.h"

/* Only what these kinds of site (1 << enum site_kind) may need is tried: each trial takes time. */
void ability_measure(u32 kinds, struct plan_ability *can);

/* A kernel that can do everything: for dumps, which ask ours nothing. */
void ability_assume(struct plan_ability *can);

#endif
