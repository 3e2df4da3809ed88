/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * AST and scope to typed tree: names resolved, C's conversions made explicit, every read given its
 * address space, errors with carets and the nearest name.  Must not know BPF instructions.
 */
#ifndef EXPR_CHECK_H
#define EXPR_CHECK_H

#include "syntax/ast.h"
#include "type/scope.h"

/* What the value is wanted for. */
enum check_as {
	CHECK_VALUE,	 /* anything that can be sent to user space: a scalar, a string (char arrays
			  * and char pointers become one), bytes, a stack */
	CHECK_SCALAR,	 /* an int or pointer: no string is made of a char pointer */
	CHECK_PREDICATE, /* a scalar, true when not 0 */
	CHECK_STRING,	 /* %s: a string is read from whatever is an address */
	CHECK_ADDRESS,	 /* %K %U %p: a char pointer stays one */
	CHECK_KEY,	 /* of a span: an address stays one, chars in place are a string */
};

struct check_opts {
	bool binary_compare; /* trace -B: STRCMP("{0x6c, 0x00}", p) */
};

/*
 * `text` is the spec that e's spans are of.  Adds to scope->saved and scope->wants_latency.
 * Everything returned lives in scope->arena.
 */
int expr_check(const struct text *text, const struct ast *e, struct scope *scope, enum check_as as,
	       const struct check_opts *opts, const struct tree **out, struct err *err);

/*
 * Parse and check in one: for front ends.  `where` is the expression's span of `text`.
 */
int expr_compile(const struct text *text, struct span where, struct scope *scope, enum check_as as,
		 const struct check_opts *opts, const struct tree **out, struct err *err);

/* A checked value in another type: argdist's "u32:$COMM", "char*:$retval".  A string asked of an
 * integer is read from that address; a number asked of a string stays a string (the type was
 * wrong, the name is what was meant). */
int expr_convert(const struct text *text, const struct tree *value, const struct ast_type *type,
		 struct scope *scope, const struct tree **out, struct err *err);

/* Every argument (or field; at returns the return value), ready to be an event's values: trace
 * without a format.  `names[i]` belongs to `values[i]`.  At most `cap`; returns how many. */
u32 expr_all_args(struct scope *scope, const char **names, const struct tree **values, u32 cap);

#endif
