// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Numbers whose names depend on more than the number: what decides is sent with them. */
#include "type/lookup.h"
#include "type/scope_parts.h"

/* Mark the numbers of 32-bit calls, so that they do not get the name of a 64-bit call. */
static const struct tree *marked(struct scope *s, const struct tree *number)
{
	struct types *t = s->types;
	const struct type *type = type_shown(t, type_int(t, 8, true), SHOW_SYSCALL);
	struct tree *either = tree_new(s->arena, TREE_COND, type, number->at);

	either->a = s->compat;
	either->c = tree_cast(t, number, type);
	either->b = tree_binary(t, TREE_XOR, type, either->c,
				tree_const(t, SYSCALL_COMPAT, type, number->at));
	return either;
}

/* value | by << 32 | SCOPE_CHOSEN */
static const struct tree *with_choice(struct scope *s, const struct tree *value,
				      const struct tree *by)
{
	struct types *t = s->types;
	const struct type *word = type_int(t, 8, false), *half = type_int(t, 4, false);
	struct type *type = type_copy(t, type_int(t, 8, value->type->is_signed));
	const struct tree *low = tree_cast(t, tree_cast(t, value, half), word), *both, *high;
	struct tree *either;

	type->show = SHOW_NAMES;
	type->names = value->type->names;
	high = tree_binary(t, TREE_BAND, word, tree_cast(t, by, word),
			   tree_const(t, (1ULL << SCOPE_CHOICE_BITS) - 1, word, by->at));
	high = tree_binary(t, TREE_SHL, word, high, tree_const(t, 32, word, by->at));
	high = tree_binary(t, TREE_BOR, word, high, tree_const(t, SCOPE_CHOSEN, word, by->at));
	both = tree_cast(t, tree_binary(t, TREE_BOR, word, low, high), type);
	if (value->type->size <= 4)
		return both;
	either = tree_new(s->arena, TREE_COND, type, value->at);
	either->a = tree_binary(t, TREE_SHR, word, tree_cast(t, value, word),
				tree_const(t, 32, word, by->at));
	either->b = tree_cast(t, value, type);
	either->c = both;
	return either;
}

static u32 save(struct scope *s, const struct tree *value)
{
	vec_push(&s->saved, value);
	return (u32)s->saved.n - 1;
}

/* A value of the entry is marked there, so that nothing else must be saved. */
static const struct tree *chosen_at_entry(struct scope *s, const struct tree *saved)
{
	const struct tree *value = s->saved.items[saved->index];
	struct tree *copy;

	scope_mark_values(s->entry, &value, 1);
	copy = tree_new(s->arena, TREE_SAVED, value->type, saved->at);
	copy->index = save(s, value);
	return copy;
}

static const struct tree *with_names(struct scope *s, const struct tree *value)
{
	const struct scope_name *by = scope_find(s, value->type->names->by);

	if (value->kind == TREE_SAVED && !value->of_span && s->entry)
		return chosen_at_entry(s, value);
	if (value->kind == TREE_SAVED || !by || !by->value)
		return tree_named(s->types, value, NULL);
	return with_choice(s, value, by->value);
}

void scope_mark_values(struct scope *s, const struct tree **values, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		const struct type *type = values[i]->type;

		if (!type_is_scalar(type))
			continue;
		if (type->names && type->names->by)
			values[i] = with_names(s, values[i]);
		/* Only 64-bit calls pass a guard, or reach the calls' own tracepoints. */
		if (s->guard || s->ctx == SCOPE_SYSCALL_EVENT || type->show != SHOW_SYSCALL)
			continue;
		values[i] = s->compat ? marked(s, values[i])
				      : tree_shown(s->types, values[i], SHOW_DEFAULT);
	}
}
