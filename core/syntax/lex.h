/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Turns text into tokens.  Knows characters; must not know the grammar. */
#ifndef SYNTAX_LEX_H
#define SYNTAX_LEX_H

#include "syntax/ast.h"

enum token_kind {
	TOKEN_END,
	TOKEN_NAME,   /* identifier */
	TOKEN_DOLLAR, /* $name; the span includes the $ */
	TOKEN_REG,    /* %name: a register; only where an operand is expected */
	TOKEN_NUMBER, /* value, suffix */
	TOKEN_CHAR,   /* 'c': value */
	TOKEN_STRING, /* the span includes the quotes; lex_string() returns the bytes */
	TOKEN_OP,     /* op */
};

struct token {
	enum token_kind kind;
	struct text_range at;
	u64 value;
	u8 form;	/* enum number_form bits */
	const char *op; /* TOKEN_OP: one copy of each: lex_is() compares pointers */
};

struct lex {
	struct text text;
	u32 at, end;
	bool wants_operand; /* distinguishes %ax from a % b; kept by lex_next */
};

void lex_init(struct lex *l, const struct text *t, struct text_range where);

/* The next token; at the end, always TOKEN_END.  -code if no token begins with these bytes. */
int lex_next(struct lex *l, struct token *out, struct err *err);

/* The bytes of a string token, escapes resolved; may contain NULs.  *n is their number. */
const char *lex_string(struct arena *a, const struct text *t, struct text_range at, u32 *n);

/* Check the escapes of a literal or a format: 0, or -code for an unknown one. */
int lex_escapes(const struct text *t, struct text_range where, struct err *err);

/* Is it a unit of time, such as "ms"? */
bool lex_is_time(struct view word);

static inline bool lex_is(const struct token *t, const char *op)
{
	return t->kind == TOKEN_OP && !strcmp(t->op, op);
}

#endif
