/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Makes typed trees: the few shapes that scopes and the checker need. */
#ifndef TYPE_BUILD_H
#define TYPE_BUILD_H

#include "type/scope.h"

/* A node of this kind, zeroed apart from these members; the caller sets the others. */
struct tree *tree_new(struct arena *a, enum tree_kind kind, const struct type *type,
		      struct text_range at);
const struct tree *tree_const(struct types *t, u64 value, const struct type *type,
			      struct text_range at);
const struct tree *tree_binary(struct types *t, enum tree_op op, const struct type *type,
			       const struct tree *a, const struct tree *b);

/* Returns the same node if it has the type's size and sign already; constants are converted at
 * once. */
const struct tree *tree_cast(struct types *t, const struct tree *a, const struct type *type);

/* An unsigned long at ctx + offset. */
const struct tree *tree_ctx_word(struct types *t, u32 offset);

/* a + offset, an address. */
const struct tree *tree_offset(struct types *t, const struct tree *a, s64 offset);

/* TREE_LOAD: the value of `type` at a + offset, in `space`. */
const struct tree *tree_load(struct types *t, const struct tree *a, u32 offset,
			     const struct type *type, enum space space, struct text_range at);

/* i * size, an unsigned long: an index into elements of this size. */
const struct tree *tree_scaled(struct types *t, const struct tree *i, u32 size);

/* The string at an address; `length` may be NULL. */
const struct tree *tree_string(struct types *t, const struct tree *a, enum space space,
			       const struct tree *length, u32 size, struct text_range at);

/* A copy whose type is shown as `show` says (type_shown). */
const struct tree *tree_shown(struct types *t, const struct tree *value, enum show show);

/* A copy whose values have these names (type_named). */
const struct tree *tree_named(struct types *t, const struct tree *value,
			      const struct type_names *names);

/* Compares structure only: positions in the text don't count. */
bool tree_same(const struct tree *a, const struct tree *b);

#endif
