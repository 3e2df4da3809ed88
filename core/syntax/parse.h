/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Turns tokens into trees, by precedence (a table) and recursive descent.  Knows the grammar and
 * keeps spans; must not know types or BTF.  Everything it makes lives in the arena.
 */
#ifndef SYNTAX_PARSE_H
#define SYNTAX_PARSE_H

#include "syntax/ast.h"

/* Deeper nesting and longer chains are refused, because the later passes are recursive. */
#define PARSE_MAX_DEPTH 64
#define PARSE_MAX_NODES 1000

/* Parse all of `where` as one expression.  -code with a caret if it isn't one. */
int parse_expr(struct arena *a, const struct text *t, struct text_range where, struct ast **out,
	       struct err *err);

/* "a, b, c"; for an empty or blank `where`, n is 0.  "NAME=a" names a value: ast.label. */
int parse_exprs(struct arena *a, const struct text *t, struct text_range where, struct ast ***out,
		u32 *n, struct err *err);

/* A type as in a cast: "const char *", "struct sock *", "unsigned long[4]". */
int parse_type(struct arena *a, const struct text *t, struct text_range where,
	       struct ast_type **out, struct err *err);

/* argdist's "size_t,char*". */
int parse_types(struct arena *a, const struct text *t, struct text_range where,
		struct ast_type ***out, u32 *n, struct err *err);

/* The parameters between a signature's parentheses: as in C, function pointers too, or only
 * names. */
int parse_signature(struct arena *a, const struct text *t, struct text_range inside,
		    struct ast_signature *out, struct err *err);

#endif
