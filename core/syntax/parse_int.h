/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by parse.c (expressions) and parse_type.c (types and signatures) only. */
#ifndef SYNTAX_PARSE_INT_H
#define SYNTAX_PARSE_INT_H

#include <stdio.h>

#include "syntax/lex.h"
#include "syntax/parse.h"

struct parser {
	struct arena *arena;
	const struct text *text;
	struct err *err;
	struct lex lex;
	struct token token;	/* the next token, not consumed yet */
	struct text_range last; /* span of the token before it */
	u32 depth, n_nodes;
};

int parser_init(struct parser *p, struct arena *a, const struct text *t, struct text_range where,
		struct err *err);
/* Move to the next token; parser_expect(): only from this operator.  0 or -code. */
int parser_next(struct parser *p);
int parser_expect(struct parser *p, const char *op);

/* "`what` expected, not ...": returns -code. */
int parser_error(struct parser *p, const char *what);

/* A copy of the current token's text without its first `skip` bytes. */
const char *parser_name(struct parser *p, u32 skip);

/* Does a type begin here?  `or_name`: a name that may be a typedef counts as a type. */
bool parser_at_type(const struct parser *p, bool or_name);

/* The current token is an opening parenthesis: does it begin a cast (or the type of a sizeof)? */
bool parser_at_cast(const struct parser *p);

/* An abstract type: "const char *", "u64[4]". */
int parser_type(struct parser *p, struct ast_type **out);

#endif
