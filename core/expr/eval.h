/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Evaluates typed trees in user space, on values that programs have left in maps.  Arithmetic is
 * that of C, as in gen/scalar.c.  The caller supplies the leaves: all nodes that are not operators
 * (loads, saved values, built-ins).
 */
#ifndef EXPR_EVAL_H
#define EXPR_EVAL_H

#include "type/tree.h"

struct eval_leaves {
	/* False: the value is absent. */
	bool (*number)(const void *ctx, const struct tree *leaf, u64 *out);
	bool (*string)(const void *ctx, const struct tree *leaf, struct view *out);
	const void *ctx;
};

/* The first subtree that can't be computed from the known leaves, widened to a subtree that has a
 * position in the user's text.  NULL: everything is known. */
const struct tree *eval_unknown(const struct tree *t, bool (*is_known)(const struct tree *leaf));

/* Evaluate a scalar, extended to 64 bits as in a register.  False: absent. */
bool eval_number(const struct tree *t, const struct eval_leaves *l, u64 *out);

/* Evaluate a TYPE_STRING, up to its NUL.  *out is borrowed from the tree or the leaf. */
bool eval_string(const struct tree *t, const struct eval_leaves *l, struct view *out);

/* Extend the low bytes of `v` to 64 bits, as a register holds a value of the type. */
u64 eval_extend(u64 v, const struct type *type);

#endif
