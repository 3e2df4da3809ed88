/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What store.c and fold.c share; nobody else includes it. */
#ifndef STACK_STORE_INT_H
#define STACK_STORE_INT_H

#include "stack/store.h"

/* The indices as they are while stacks come in. */
void store_need_indices(struct store *s);

/* The node of a location nearer to the leaf than `parent` (0: the root). */
u32 store_child_of(struct store *s, u32 parent, u32 loc);

/* The owner like this one. */
u32 store_add_owner(struct store *s, const struct store_owner *o);
/* The one that stands for processes that are not known, or for which there is no room. */
u32 store_owner_other(struct store *s);

struct store_entry *store_push_entry(struct store *s, const struct store_entry *e);

/* Memory is full: the entry that a new stack becomes. */
struct store_entry *store_fold(struct store *s, const struct raw_stack *raw, u32 owner);

#endif
