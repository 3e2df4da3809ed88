/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What of the host, not of its kernel, decides how much stacks show: doctor's last questions. */
#ifndef CMD_HOSTCHECK_H
#define CMD_HOSTCHECK_H

#include "base/arena.h"
#include "render/checklist.h"

/* Rows after the others; their texts live in the arena. */
void hostcheck_add(struct arena *a, struct checklist *list);

#endif
