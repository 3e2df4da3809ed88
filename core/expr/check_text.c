// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Built-in functions of strings. */
#include "base/num.h"
#include "expr/call_int.h"

static int need_literal(struct checked_call *call, u32 i)
{
	if (call->args[i].is_literal)
		return 0;
	return call_wrong(call, call->e->args[i]->at, "this text must be a literal");
}

/* bcc's byte list: "{0x6C, 0x00}". */
static int parse_bytes(struct checked_call *call, struct view text, struct view *out)
{
	struct view piece;
	char *bytes = arena_alloc(call->c->arena, text.n + 1, 1);
	size_t n = 0;

	if (text.n < 2 || text.p[0] != '{' || text.p[text.n - 1] != '}')
		return call_wrong(call, call->e->args[0]->at, "with -B, write bytes");
	text = (struct view){ text.p + 1, text.n - 2 };
	while (view_split(&text, ',', &piece)) {
		u64 v;

		while (piece.n && (*piece.p == ' ' || *piece.p == '\t'))
			piece = (struct view){ piece.p + 1, piece.n - 1 };
		while (piece.n && (piece.p[piece.n - 1] == ' ' || piece.p[piece.n - 1] == '\t'))
			piece.n--;
		if (!(view_starts(piece, "0x") ? num_parse_hex(piece, &v)
					       : num_parse_dec(piece, &v)) ||
		    v > 255)
			return call_wrong(call, call->e->args[0]->at, "a byte is 0x00 to 0xff");
		bytes[n++] = (char)v;
	}
	*out = (struct view){ bytes, n };
	return 0;
}

static int compare_bytes(struct checked_call *call, struct value *out)
{
	struct checker *c = call->c;
	const struct type *int_type = type_int(c->types, 4, true);
	struct tree *literal, *match;
	const struct tree *bytes;
	struct view list = { 0 };
	int ret = parse_bytes(call, call->args[0].tree->string, &list);

	if (!ret && !list.n)
		ret = call_wrong(call, call->e->args[0]->at, "no bytes to compare with");
	ret = ret ?: value_bytes(c, &call->args[1], (u32)list.n, SHOW_BUFFER, &bytes);
	if (ret)
		return ret;
	literal = tree_new(c->arena, TREE_TEXT, type_string(c->types, (u32)list.n + 1),
			   call->e->args[0]->at);
	literal->string = list;
	match = tree_new(c->arena, TREE_MATCH, int_type, check_at(c, call->e->at));
	match->match = MATCH_BYTES;
	match->a = bytes;
	match->b = literal;
	value_set(out, match, call->e->at);
	return 0;
}

/* STRCMP("text", x): true if x begins with the text. */
int check_strcmp_macro(struct checked_call *call, struct value *out)
{
	const struct tree *t;
	int ret;

	if (!call->args[0].is_literal && call->args[1].is_literal)
		return call_wrong(call, call->e->at, "the text comes first");
	ret = need_literal(call, 0);
	if (ret)
		return ret;
	if (call->c->opts && call->c->opts->binary_compare)
		return compare_bytes(call, out);
	ret = check_match(call->c, call->e->at, MATCH_PREFIX, &call->args[1], &call->args[0], 0,
			  &t);
	if (!ret)
		value_set(out, t, call->e->at);
	return ret;
}

/* strcmp, strncmp: 0 if the strings are equal, as in C, otherwise 1: strings have no order here. */
int check_strcmp(struct checked_call *call, struct value *out)
{
	struct checker *c = call->c;
	const struct tree *t, *n = NULL;
	struct tree * not ;
	int ret = 0;

	if (call->e->n_args == 3) {
		ret = value_scalar(c, &call->args[2], &n);
		if (!ret && (n->kind != TREE_CONST || !n->value || n->value > 4096))
			return call_wrong(call, call->e->args[2]->at,
					  "the length must be a number, 1 to 4096");
	}
	/* The generator expects a literal as the second operand. */
	ret = ret
		      ?: check_match(
				 c, call->e->at, MATCH_EQ,
				 &call->args[call->args[0].is_literal && !call->args[1].is_literal],
				 &call->args[!(call->args[0].is_literal &&
					       !call->args[1].is_literal)],
				 n ? (u32)n->value : 0, &t);
	if (ret)
		return ret;
	not = tree_new(c->arena, TREE_LNOT, type_int(c->types, 4, true), check_at(c, call->e->at));
	not ->a = t;
	value_set(out, not, call->e->at);
	return 0;
}

int check_dirname(struct checked_call *call, struct value *out)
{
	const struct tree *a;
	int ret = value_string(call->c, &call->args[0], &a);

	if (ret)
		return ret;
	value_set_builtin(call->c, BUILTIN_DIRNAME, a->type, a, call->e->at, out);
	return 0;
}

/* join(argv), join(argv, n): the strings that an array of pointers points to, or the first n of
 * them, as one.  quoted(argv): each in quotation marks. */
int check_join(struct checked_call *call, struct value *out)
{
	struct checker *c = call->c;
	const struct tree *a, *n = NULL;
	struct type *type;
	struct tree *t;
	int ret = value_scalar(c, &call->args[0], &a);

	if (!ret && call->e->n_args == 2)
		ret = value_scalar(c, &call->args[1], &n);
	if (ret)
		return ret;
	if (a->type->size != 8)
		return call_wrong(call, call->e->args[0]->at, "this is not an array of strings");
	if (n && (n->kind != TREE_CONST || !n->value || n->value > TREE_JOIN_MAX))
		return call_wrong(call, call->e->args[1]->at,
				  "the number of strings must be a number, 1 to 64");
	type = type_copy(c->types, type_string(c->types, 0));
	type->show = (enum show)call->fn->number;
	t = value_set_builtin(call->c, BUILTIN_JOIN, type, a, call->e->at, out);
	t->value = n ? n->value : TREE_JOIN;
	t->space = a->type->kind == TYPE_POINTER ? a->type->space : c->scope->space;
	return 0;
}
