/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An expression as written: its structure and its positions in the text, without types.  Built by
 * parse.c, read by core/expr and by the columns and keys of core/agg; code is generated from the
 * typed trees of type/tree.h.
 */
#ifndef SYNTAX_AST_H
#define SYNTAX_AST_H

#include "base/arena.h"
#include "base/source.h"

/* How a number was written, which determines its type. */
enum number_form {
	NUMBER_UNSIGNED = 1, /* u suffix */
	NUMBER_LONG = 2,     /* l or ll suffix */
	NUMBER_NOT_DECIMAL = 4,
	NUMBER_TIME = 8, /* 5us, 1ms, 2s: value in nanoseconds */
};

enum ast_kind {
	AST_NUMBER, /* value, form */
	AST_CHAR,   /* value */
	AST_STRING, /* string: bytes without quotes */
	AST_NAME,   /* name: x */
	AST_DOLLAR, /* name: pid, of $pid */
	AST_REG,    /* name: di, of %di */
	AST_MEMBER, /* a.name, or a->name when is_arrow */
	AST_INDEX,  /* a[b] */
	AST_CALL,   /* name(args) or $name(args) when is_dollar */
	AST_UNARY,  /* op a: - + ! ~ & * */
	AST_BINARY, /* a op b, with && || == ~ ?? among the operators */
	AST_COND,   /* a ? b : c */
	AST_CAST,   /* (type)a */
	AST_SIZEOF, /* sizeof(type), or sizeof a */
	AST_SPACE,  /* a@user, a@kernel: name */
	AST_TYPE,   /* a type as an operand: container_of's second argument */
};

/* A type as written: a base type's name, pointers and array bounds. */
struct ast_type {
	struct text_range at;
	const char *base; /* "unsigned int", "struct sock", "size_t"; qualifiers dropped */
	u32 n_pointers;
	u8 user_at;    /* pointer level (1: the innermost) that had __user before it; 0: none */
	bool is_const; /* the base type is */
	bool is_func;  /* pointer to a function: only the name is kept */
	u32 n_dims;    /* number of [..] after the name */
	u64 dims[4];   /* 0: [] */
};

struct ast {
	enum ast_kind kind;
	struct text_range at;	 /* the whole node */
	struct text_range label; /* "NAME=" before an expression of a list; n == 0: none */
	struct text_range mark;	 /* the part that an error about this node points at: the operator,
				  * the  member's name */
	const char *name;
	const char *op; /* "+", "->": as written */
	u64 value;
	u8 form; /* enum number_form */
	bool is_arrow, is_dollar;
	struct view string;
	struct ast *a, *b, *c;
	struct ast **args;
	u32 n_args;
	struct ast_type *type;
};

/* One parameter of a signature: "char __user *filename".  An unnamed one has name NULL; a name
 * without a type (as funccount users write) has type->base NULL. */
struct ast_param {
	struct text_range at;
	const char *name;
	struct ast_type *type;
};

struct ast_signature {
	struct text_range at; /* with the parentheses; n == 0: there was none */
	struct ast_param *params;
	u32 n_params;
};

#endif
