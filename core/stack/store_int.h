/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The store of stacks: shared by store.c, which fills it, and rows.c, which makes reports. */
#ifndef STACK_STORE_INT_H
#define STACK_STORE_INT_H

#include "stack/store.h"

/* Give entries with gaps in their kernel part the stacks that were learned since. */
void store_fill_gaps(struct store *s);

#endif
