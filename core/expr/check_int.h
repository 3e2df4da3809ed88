/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the files of the checker only: check.c (names, entry points), check_value.c (places and
 * values), check_ops.c (operators and conversions), check_names.c (names of numbers),
 * check_address.c (IP addresses), check_member.c (memory: members, indices, casts), check_call.c
 * and check_text.c (built-in functions), check_dollar.c ($names), check_kaddr.c; and by their
 * tables, constants.c and aliases.c.
 */
#ifndef EXPR_CHECK_INT_H
#define EXPR_CHECK_INT_H

#include "expr/check.h"
#include "type/build.h"
#include "type/lookup.h"

/* A parameter of a built-in macro, bound while the macro is checked. */
struct binding {
	const char *name;
	const struct value *value;
	const struct binding *outer;
};

struct checker {
	const struct text *text;
	struct scope *scope;
	struct types *types;
	struct arena *arena;
	const struct check_opts *opts;
	struct err *err;
	const struct binding *bindings;
	struct text_range
		at; /* inside a macro: the user's text that it replaces; n == 0: outside */
	u32 depth;  /* nesting of macros and aliases */
	/* An expression is compared with a number whose values have these names; NULL: it is not,
	 * or they have none. */
	const struct type_names *names;
};

/*
 * An expression before the caller has chosen between its value and its place in memory (an lvalue
 * in C).  A place in SPACE_CTX has no tree: it is ctx + offset.
 */
struct value {
	const struct type *type;
	const struct tree *tree; /* the value, or the base address of a place */
	struct text_range at;
	bool is_place;
	enum space space; /* where a place is */
	u32 offset;
	u8 bit_offset, bit_size;
	bool is_literal;    /* a string literal */
	bool is_value_name; /* a name that only checker.names has */
};

/* Check any expression.  This function and those below that return an int return 0, or -code with
 * an error in c->err. */
int check_any(struct checker *c, const struct ast *e, struct value *out);

/* Is `$name` known? */
bool check_is_dollar(const char *name);

/* Errors at the user's text, also from inside a macro.  Both are macros so that readers and the
 * static analyzer see the return value. */
#define check_error(c, at, ...) (check_say((c), (at), __VA_ARGS__), check_failed())
#define check_hint(c, ...)	(err_hint((c)->err, __VA_ARGS__), check_failed())
static inline int check_failed(void)
{
	return -ERR_USAGE;
}
void check_say(struct checker *c, struct text_range at, const char *fmt, ...) PRINTF(3, 4);
struct text_range check_at(const struct checker *c, struct text_range at);

/* Check a built-in macro: `text` is an expression over the bound names. */
int check_macro(struct checker *c, const char *text, const struct binding *bindings,
		struct text_range at, struct value *out);

/* ---- values (check_value.c) ---- */

void value_of_tree(struct value *v, const struct tree *t);
/* The same, at another place in the user's text. */
void value_set(struct value *v, const struct tree *t, struct text_range at);
/* The value of a built-in of programs, with the operand `a` (NULL: none).  The caller may set more
 * operands of the tree. */
struct tree *value_set_builtin(struct checker *c, enum builtin builtin, const struct type *type,
			       const struct tree *a, struct text_range at, struct value *v);

/* A value of the scope, copied so that its position in the user's text is `at`. */
void value_offered(struct checker *c, struct value *v, const struct tree *t, struct text_range at);
void value_const(struct checker *c, struct value *v, u64 value, const struct type *type,
		 struct text_range at);

/* A scalar: a place is loaded, an array becomes its address, and a struct becomes its only
 * scalar. */
int value_scalar(struct checker *c, const struct value *v, const struct tree **out);

/* As value_scalar, promoted as C does. */
int value_promoted(struct checker *c, const struct value *v, const struct tree **out);

/* The address of a place, as a pointer to its type (an array's: to its element type). */
int value_address(struct checker *c, const struct value *v, const struct tree **out);

/* A string: chars at a place, or at an address in the pointer's space. */
int value_string(struct checker *c, const struct value *v, const struct tree **out);

/* n bytes at a place, or at an address. */
int value_bytes(struct checker *c, const struct value *v, u32 n, enum show show,
		const struct tree **out);

/* Is the value text: a string, a literal, a char array, or (with_pointers) a char pointer? */
bool value_is_text(const struct value *v, bool with_pointers);

/* Replace a struct by its only scalar (atomic_t, kuid_t).  False: it has other members. */
bool value_unwrap(struct checker *c, struct value *v);

/* ---- operators (check_ops.c) ---- */

int check_unary(struct checker *c, const struct ast *e, struct value *out);
int check_binary(struct checker *c, const struct ast *e, struct value *out);
int check_cond(struct checker *c, const struct ast *e, struct value *out);

/* Compare two strings (the first `n` bytes; 0: all): an int, 0 or 1. */
int check_match(struct checker *c, struct text_range at, enum tree_match match,
		const struct value *a, const struct value *b, u32 n, const struct tree **out);

/* ---- names of numbers (check_names.c) ---- */

/* Do the number's values have names that a literal can be compared with? */
bool check_has_names(const struct checker *c, const struct type *t);

/* A value's name, also one that depends on another argument; NULL: there is none. */
const struct type_name *check_find_value(const struct type_names *names, const char *name);

/* number == "NAME" or number != "NAME" (e->op): an int, 0 or 1. */
int check_value_name(struct checker *c, const struct ast *e, const struct value *number,
		     const struct value *text, struct value *out);

/* ---- addresses (check_address.c) ---- */

/* Is it ip(...)? */
bool value_is_address(const struct value *v);

/* Compare it with a literal: an int, 0 or 1. */
int check_address(struct checker *c, const struct value *ip, const struct value *text,
		  const struct tree **out);

/* ---- memory (check_member.c) ---- */

int check_member(struct checker *c, const struct ast *e, struct value *out);
int check_index(struct checker *c, const struct ast *e, struct value *out);
int check_cast(struct checker *c, const struct ast *e, struct value *out);
int check_sizeof(struct checker *c, const struct ast *e, struct value *out);
int check_space(struct checker *c, const struct ast *e, struct value *out);
int check_type(struct checker *c, const struct ast_type *type, const struct type **out);

/* *pointer. */
int check_deref(struct checker *c, const struct value *pointer, struct text_range at,
		struct value *out);

/* v.name, or the alias that replaces it on this kernel. */
int check_named_member(struct checker *c, const struct value *v, const char *name,
		       struct text_range at, struct value *out);

/* ---- calls (check_call.c) and $names (check_dollar.c) ---- */

int check_call(struct checker *c, const struct ast *e, struct value *out);
void check_offer_calls(struct nearest *near);
int check_dollar(struct checker *c, const struct ast *e, struct value *out);
int check_retval(struct checker *c, struct text_range at, struct value *out);

/* kstack(n), ustack(n): the innermost frames of a stack. */
#define CHECK_MAX_FRAMES 127 /* EVENT_MAX_FRAMES */
bool check_is_stack(const char *name);
int check_limited_stack(struct checker *c, const struct ast *e, struct value *out);

/* kaddr("name") (check_kaddr.c). */
int check_kaddr(struct checker *c, const struct ast *e, struct value *out);

/* $entry(e), $start(e): checked in the scope of the entry or start, and saved there. */
int check_saved(struct checker *c, const struct ast *e, struct value *out);
/* Is it $entry, $start or $first? */
bool check_keeps(const char *name);
/* Is it $entry(x)?  check_entry_address(): x as it was passed, even if it is a string. */
bool check_is_entry(const struct checker *c, const struct ast *e);
int check_entry_address(struct checker *c, const struct ast *e, struct value *out);
int check_saved_name(struct checker *c, const struct ast *e, struct value *out);

/* ---- tables ---- */

/* Constants that only headers define (constants.c).  False: unknown. */
bool constant_find(const char *name, s64 *value);
void constant_offer(struct nearest *near);

/* The n-th path for a member that is a macro in the kernel's headers or has moved (aliases.c):
 * "__sk_common.skc_dport" for sk_dport of struct sock.  NULL: no more. */
const char *alias_find(const char *type, const char *member, u32 n, struct arena *a);
/* The n-th name that a type has aliases for; NULL: no more. */
const char *alias_name(const char *type, u32 n);

#endif
