// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "type/build.h"

struct tree *tree_new(struct arena *a, enum tree_kind kind, const struct type *type,
		      struct text_range at)
{
	struct tree *t = arena_new(a, struct tree);

	t->kind = kind;
	t->type = type;
	t->at = at;
	return t;
}

const struct tree *tree_shown(struct types *t, const struct tree *value, enum show show)
{
	struct tree *copy = tree_new(t->arena, value->kind, value->type, value->at);

	*copy = *value;
	copy->type = type_shown(t, value->type, show);
	return copy;
}

const struct tree *tree_named(struct types *t, const struct tree *value,
			      const struct type_names *names)
{
	struct tree *copy = tree_new(t->arena, value->kind, value->type, value->at);

	*copy = *value;
	copy->type = type_named(t, value->type, names);
	return copy;
}

/* Like every node's value, extended from the type's size according to its sign. */
static u64 extend(u64 value, const struct type *type)
{
	u32 unused = 64 - 8 * type->size;

	if (type->is_bool)
		return value != 0;
	if (!type->size || type->size >= 8)
		return value;
	value <<= unused;
	return type->is_signed ? (u64)((s64)value >> unused) : value >> unused;
}

const struct tree *tree_const(struct types *t, u64 value, const struct type *type,
			      struct text_range at)
{
	struct tree *c = tree_new(t->arena, TREE_CONST, type, at);

	c->value = extend(value, type);
	return c;
}

const struct tree *tree_binary(struct types *t, enum tree_op op, const struct type *type,
			       const struct tree *a, const struct tree *b)
{
	struct tree *e = tree_new(t->arena, TREE_BINARY, type, a->at);

	e->op = op;
	e->a = a;
	e->b = b;
	return e;
}

const struct tree *tree_cast(struct types *t, const struct tree *a, const struct type *type)
{
	const struct type *old = a->type;
	struct tree *c;

	if (a->kind == TREE_CONST)
		return tree_const(t, a->value, type, a->at);
	if (type_same(old, type) && old->names == type->names && old->name == type->name)
		return a;
	c = tree_new(t->arena, TREE_CAST, type, a->at);
	c->a = a;
	return c;
}

const struct tree *tree_ctx_word(struct types *t, u32 offset)
{
	struct tree *w =
		tree_new(t->arena, TREE_CTX, type_int(t, 8, false), (struct text_range){ 0 });

	w->offset = offset;
	return w;
}

const struct tree *tree_offset(struct types *t, const struct tree *a, s64 offset)
{
	if (!offset)
		return a;
	return tree_binary(t, TREE_ADD, a->type, a,
			   tree_const(t, (u64)offset, type_int(t, 8, true), a->at));
}

const struct tree *tree_scaled(struct types *t, const struct tree *i, u32 size)
{
	const struct type *word = type_int(t, 8, false);

	i = tree_cast(t, i, word);
	if (i->kind == TREE_CONST)
		return tree_const(t, i->value * size, word, i->at);
	if (size <= 1)
		return i;
	return tree_binary(t, TREE_MUL, word, i, tree_const(t, size, word, i->at));
}

const struct tree *tree_load(struct types *t, const struct tree *a, u32 offset,
			     const struct type *type, enum space space, struct text_range at)
{
	struct tree *l = tree_new(t->arena, TREE_LOAD, type, at);

	l->a = a;
	l->offset = offset;
	l->space = space;
	return l;
}

const struct tree *tree_string(struct types *t, const struct tree *a, enum space space,
			       const struct tree *length, u32 size, struct text_range at)
{
	struct tree *s = tree_new(t->arena, TREE_STRING, type_string(t, size), at);

	s->a = a;
	s->space = space;
	s->length = length;
	return s;
}

static bool children_same(const struct tree *a, const struct tree *b)
{
	return (!a && !b) || (a && b && tree_same(a, b));
}

bool tree_same(const struct tree *a, const struct tree *b)
{
	if (a == b)
		return true;
	return a->kind == b->kind && type_same(a->type, b->type) && a->space == b->space &&
	       a->offset == b->offset && a->bit_offset == b->bit_offset &&
	       a->bit_size == b->bit_size && a->value == b->value && a->index == b->index &&
	       a->of_span == b->of_span && a->is_kept == b->is_kept && a->op == b->op &&
	       a->builtin == b->builtin && a->match == b->match && a->string.n == b->string.n &&
	       (!a->string.n || !memcmp(a->string.p, b->string.p, a->string.n)) &&
	       children_same(a->a, b->a) && children_same(a->b, b->b) &&
	       children_same(a->c, b->c) && children_same(a->length, b->length);
}
