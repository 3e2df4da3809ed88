/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a typed tree is worth, computed here instead of by a program: of what programs have left in
 * maps.  The arithmetic is gen/scalar.c's, which is C's.  Knows no places: who asks answers for the
 * leaves, which are all nodes that are no operators (a load, a saved value, a built-in).
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

/* The first part of a tree, with a place in the user's text, that can't be computed here, given
 * which leaves are known; NULL: there is none. */
const struct tree *eval_unknown(const struct tree *t, bool (*is_known)(const struct tree *leaf));

/* Of a scalar, as a register holds it.  False: absent. */
bool eval_number(const struct tree *t, const struct eval_leaves *l, u64 *out);

/* Of a TYPE_STRING, up to its NUL; borrowed from the tree or the leaf. */
bool eval_string(const struct tree *t, const struct eval_leaves *l, struct view *out);

/* As a register holds a value of the type. */
u64 eval_extend(u64 v, const struct type *type);

#endif
