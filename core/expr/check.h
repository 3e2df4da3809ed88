/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Turn an AST into a typed tree: resolve names, make C's conversions explicit, give every read its
 * address space, report errors with a caret and the nearest name.  Must not know BPF instructions.
 */
#ifndef EXPR_CHECK_H
#define EXPR_CHECK_H

#include "syntax/ast.h"
#include "type/scope.h"

/* How the caller will use the value. */
enum check_as {
	CHECK_VALUE,	 /* anything that can be sent to user space: a scalar, a string (char arrays
			  * and char pointers become strings), bytes, a stack */
	CHECK_SCALAR,	 /* an int or pointer: a char pointer does not become a string */
	CHECK_PREDICATE, /* a scalar, true when not 0 */
	CHECK_STRING,	 /* %s: a string is read from any address */
	CHECK_ADDRESS,	 /* %K %U %p: a char pointer stays a pointer */
	CHECK_KEY,	 /* a span's key: addresses stay addresses, char arrays become strings */
};

struct check_opts {
	bool binary_compare; /* trace -B: STRCMP("{0x6c, 0x00}", p) */
};

/*
 * `text` is the spec that e's spans refer to.  Adds to scope->saved and scope->wants_latency.
 * Everything returned lives in scope->arena.
 */
int expr_check(const struct text *text, const struct ast *e, struct scope *scope, enum check_as as,
	       const struct check_opts *opts, const struct tree **out, struct err *err);

/* Parse and check in one call.  `where` is the expression's span in `text`. */
int expr_compile(const struct text *text, struct text_range where, struct scope *scope,
		 enum check_as as, const struct check_opts *opts, const struct tree **out,
		 struct err *err);

/* Convert a checked value to a written type: argdist's "u32:$COMM", "char*:$retval".  An integer
 * converted to a string is the address to read it from.  A string stays a string even if the type
 * is a number: then the user wanted the name, and the type is wrong. */
int expr_convert(const struct text *text, const struct tree *value, const struct ast_type *type,
		 struct scope *scope, const struct tree **out, struct err *err);

/* All arguments or fields, and the return value if there is one, as values of an event: for trace
 * without a format.  `names[i]` belongs to `values[i]`.  Returns their number, at most `cap`. */
u32 expr_all_args(struct scope *scope, const char **names, const struct tree **values, u32 cap);

#endif
