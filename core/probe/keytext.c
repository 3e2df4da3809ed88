// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which strings of keys are kept apart (bpf/abi/keytext.h), and how long they may be. */
#include <string.h>

#include "bpf/abi/keytext.h"
#include "probe/probes_int.h"

/* Bytes of joined strings: their program needs three times as much in each slot of a CPU. */
#define JOINED_MAX 1024

static bool is_long_string(const struct tree *t)
{
	return t->type->kind == TYPE_STRING && t->type->size > KEY_TEXT_BYTES;
}

/* The most bytes of a string, with its NUL.  If the user gave no size, a path or a string in memory
 * may be long, because only strings that are long cost anything. */
static u32 most_of(const struct types *types, const struct tree *t)
{
	if (t->type->size != types->string_size || types->key_string_size <= types->string_size)
		return t->type->size;
	if (t->kind == TREE_BUILTIN && t->builtin == BUILTIN_JOIN)
		return JOINED_MAX;
	if (t->kind == TREE_STRING || (t->kind == TREE_BUILTIN && t->builtin == BUILTIN_PATH))
		return types->key_string_size;
	return t->type->size;
}

static const struct type *type_apart(const struct types *types, const struct tree *t)
{
	struct type *type = arena_new(types->arena, struct type);

	*type = *t->type;
	type->size = most_of(types, t);
	type->is_apart = true;
	return type;
}

static const struct tree *with_type(const struct types *types, const struct tree *t,
				    const struct type *type)
{
	struct tree *copy = arena_new(types->arena, struct tree);

	*copy = *t;
	copy->type = type;
	return copy;
}

const struct tree *probe_key_part(const struct types *types, const struct tree *t)
{
	return is_long_string(t) ? with_type(types, t, type_apart(types, t)) : t;
}

/* ---- strings that an entry keeps ---------------------------------------------------------- */

static bool is_kept(const struct tree *t, u32 i)
{
	return t->kind == TREE_SAVED && !t->of_span && t->index == i;
}

static bool uses(const struct tree *t, u32 i)
{
	return t && (is_kept(t, i) || uses(t->a, i) || uses(t->b, i) || uses(t->c, i) ||
		     uses(t->length, i));
}

static bool any_uses(const struct tree *const *trees, u32 n, u32 i)
{
	for (u32 k = 0; k < n; k++)
		if (uses(trees[k], i))
			return true;
	return false;
}

/* Is the value used for anything but being a part of the key? */
static bool is_used_otherwise(const struct probe_group *g, u32 i)
{
	const struct gen_work *w = &g->gen.work;

	if (uses(g->predicate, i) || uses(g->when, i) || uses(w->value, i) ||
	    any_uses(w->values, w->n_values, i) || any_uses(g->span_key, g->n_span_key, i))
		return true;
	for (u32 k = 0; k < w->n_more; k++)
		if (uses(w->more[k].value, i))
			return true;
	for (u32 k = 0; k < w->n_key; k++)
		if (!is_kept(w->key[k], i) && uses(w->key[k], i))
			return true;
	return false;
}

/* The key's array belongs to the command. */
static const struct tree **copy_of_key(const struct probe_group *g)
{
	const struct gen_work *w = &g->gen.work;
	const struct tree **key = arena_alloc(g->scope->types->arena, w->n_key, sizeof(*key));

	memcpy(key, w->key, w->n_key * sizeof(*key));
	return key;
}

bool probes_keep_key_parts(struct probe_group *g)
{
	const struct types *types = g->scope->types;
	const struct tree **key = NULL;

	for (u32 k = 0; k < g->gen.work.n_key; k++) {
		const struct tree *part = g->gen.work.key[k], **kept;
		const struct type *type;

		if (!is_kept(part, part->index) || !part->type->is_apart ||
		    is_used_otherwise(g, part->index))
			continue;
		kept = &g->scope->saved.items[part->index];
		type = (*kept)->type->is_apart ? (*kept)->type : type_apart(types, *kept);
		*kept = with_type(types, *kept, type);
		key = key ?: copy_of_key(g);
		key[k] = with_type(types, part, type);
	}
	if (key)
		g->gen.work.key = (const struct tree *const *)key;
	return key != NULL;
}
