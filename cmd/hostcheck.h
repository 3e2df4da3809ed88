/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of user space that affect the quality of stacks, for the end of doctor's list. */
#ifndef CMD_HOSTCHECK_H
#define CMD_HOSTCHECK_H

#include "base/arena.h"
#include "render/checklist.h"

/* Append rows; their texts are allocated in the arena. */
void hostcheck_add(struct arena *a, struct checklist *list);

#endif
