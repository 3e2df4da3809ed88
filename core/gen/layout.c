// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sizes and offsets of values in records, keys and saved values; the resources that a tree
 * needs. */
#include "bpf/abi/keytext.h"
#include "bpf/abi/stack.h"
#include "gen/gen_int.h"

static u32 round8(u32 n)
{
	return (n + 7) & ~7U;
}

u32 gen_rest_bytes(const struct type *type)
{
	if (type->kind == TYPE_STACK)
		return sizeof(struct stack_id);
	if (type->is_apart)
		return sizeof(struct key_text_part);
	/* One byte more than is shown reveals whether a string was truncated. */
	return round8((u32)sizeof(u32) + type->size + (type->kind == TYPE_STRING));
}

u32 gen_packed_bytes(const struct type *type)
{
	u32 bytes = type->kind == TYPE_STACK ? gen_rest_bytes(type) : type->size;

	return round8((u32)sizeof(u32) + bytes);
}

static u32 fixed_bytes(const struct tree *const *values, u32 n)
{
	u32 sum = 0;

	for (u32 i = 0; i < n; i++)
		sum += gen_is_scalar(values[i]) ? (u32)sizeof(u64)
						: gen_rest_bytes(values[i]->type);
	return sum;
}

u32 gen_fixed_at(const struct tree *const *values, u32 n, u32 i)
{
	u32 scalars = 0, at = 0;

	for (u32 k = 0; k < n; k++)
		scalars += gen_is_scalar(values[k]);
	for (u32 k = 0; k < i; k++) {
		if (gen_is_scalar(values[k]) != gen_is_scalar(values[i]))
			continue;
		at += gen_is_scalar(values[k]) ? (u32)sizeof(u64) : gen_rest_bytes(values[k]->type);
	}
	return gen_is_scalar(values[i]) ? at : at + scalars * (u32)sizeof(u64);
}

u32 gen_key_bytes(const struct tree *const *key, u32 n)
{
	return fixed_bytes(key, n);
}

static bool is_marked(const struct tree *t)
{
	return t->type->kind != TYPE_STACK && gen_can_be_absent(t);
}

bool gen_key_has_bits(const struct tree *const *key, u32 n)
{
	for (u32 i = 0; i < n; i++)
		if (is_marked(key[i]))
			return true;
	return false;
}

u32 gen_cell_key_bytes(const struct tree *const *key, u32 n)
{
	return gen_key_bytes(key, n) + (gen_key_has_bits(key, n) ? (u32)sizeof(u64) : 0);
}

u32 gen_saved_bytes(const struct tree *const *values, u32 n)
{
	return (u32)sizeof(struct span_record) + fixed_bytes(values, n);
}

/* After the last string there is room for the byte that reveals whether it was truncated, and for
 * the zeros that pad it. */
u32 gen_event_bytes(const struct gen_plan *plan)
{
	u32 sum = sizeof(struct event);

	for (u32 i = 0; i < plan->work.n_values; i++) {
		const struct tree *t = plan->work.values[i];

		if (gen_is_scalar(t))
			sum += (u32)sizeof(u64);
		else if (!gen_is_frames(t))
			sum += gen_packed_bytes(t->type);
	}
	return sum + 16;
}

bool gen_any(const struct tree *t, bool (*is)(const struct tree *t))
{
	return t && (is(t) || gen_any(t->a, is) || gen_any(t->b, is) || gen_any(t->c, is) ||
		     gen_any(t->length, is));
}

static bool takes_scratch(const struct tree *t)
{
	if (t->type->is_apart)
		return true;
	if (t->kind == TREE_MATCH && t->match == MATCH_GLOB)
		return !gen_is_prefix(t->b->string) || t->b->string.n > GEN_SMALL;
	if (t->kind == TREE_MATCH)
		return t->b->kind != TREE_TEXT || gen_deciding_bytes(t) + 1 > GEN_SMALL;
	if (t->kind == TREE_BUILTIN)
		return t->builtin == BUILTIN_PATH || t->builtin == BUILTIN_JOIN ||
		       t->builtin == BUILTIN_DIRNAME || t->type->kind == TYPE_STACK;
	return (t->kind == TREE_STRING || t->kind == TREE_BYTES) && t->length;
}

bool gen_needs_scratch(const struct tree *t)
{
	return gen_any(t, takes_scratch);
}

static bool may_be_absent(const struct tree *t)
{
	switch (t->kind) {
	case TREE_LOAD:
	case TREE_SAVED:
	case TREE_LATENCY:
	case TREE_STRING:
	case TREE_BYTES:
		return true;
	case TREE_BINARY:
		return t->op == TREE_DIV || t->op == TREE_MOD;
	case TREE_BUILTIN:
		return t->builtin == BUILTIN_PATH || t->builtin == BUILTIN_JOIN ||
		       t->builtin == BUILTIN_IP || t->builtin == BUILTIN_KSTACK ||
		       t->builtin == BUILTIN_USTACK;
	default:
		return false;
	}
}

bool gen_can_be_absent(const struct tree *t)
{
	return gen_any(t, may_be_absent);
}
