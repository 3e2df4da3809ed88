// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "expr/eval.h"

#include <string.h>

#include "base/glob.h"

/* Operands of operators are evaluated here; the caller evaluates leaves with their operands. */
static bool is_operator(const struct tree *t)
{
	switch (t->kind) {
	case TREE_NEG:
	case TREE_NOT:
	case TREE_LNOT:
	case TREE_BINARY:
	case TREE_AND:
	case TREE_OR:
	case TREE_COND:
	case TREE_CAST:
		return true;
	case TREE_MATCH:
		return t->match != MATCH_BYTES;
	default:
		return false;
	}
}

const struct tree *eval_unknown(const struct tree *t, bool (*is_known)(const struct tree *leaf))
{
	const struct tree *const operands[] = { t->a, t->b, t->c };
	const struct tree *unknown = NULL;

	if (t->kind == TREE_CONST || t->kind == TREE_TEXT)
		return NULL;
	if (!is_operator(t))
		return is_known(t) ? NULL : t;
	for (size_t i = 0; i < ARRAY_SIZE(operands) && !unknown; i++)
		if (operands[i])
			unknown = eval_unknown(operands[i], is_known);
	/* Implicit conversions have no position in the text: report the node above instead. */
	return unknown && !unknown->at.n ? t : unknown;
}

u64 eval_extend(u64 v, const struct type *type)
{
	u32 unused = 64 - 8 * type->size;

	if (!type->size || type->size >= sizeof(u64))
		return v;
	v <<= unused;
	return type->is_signed ? (u64)((s64)v >> unused) : v >> unused;
}

/* ---- strings ------------------------------------------------------------------------------ */

bool eval_string(const struct tree *t, const struct eval_leaves *l, struct view *out)
{
	u64 is_true;

	if (t->kind == TREE_TEXT)
		*out = t->string;
	else if (t->kind == TREE_COND)
		return eval_number(t->a, l, &is_true) && eval_string(is_true ? t->b : t->c, l, out);
	else if (!l->string(l->ctx, t, out))
		return false;
	out->n = strnlen(out->p, out->n);
	return true;
}

static bool starts(struct view s, struct view with)
{
	return s.n >= with.n && !memcmp(s.p, with.p, with.n);
}

static bool is_glob_match(struct view s, struct view pattern)
{
	struct glob glob;

	return glob_read(pattern, &glob) && glob_takes(&glob, s);
}

static bool eval_match(const struct tree *t, const struct eval_leaves *l, u64 *out)
{
	struct view a, b;

	if (!eval_string(t->a, l, &a) || !eval_string(t->b, l, &b))
		return false;
	if (t->match == MATCH_EQ && t->index) {
		a.n = a.n < t->index ? a.n : t->index;
		b.n = b.n < t->index ? b.n : t->index;
	}
	if (t->match == MATCH_GLOB)
		*out = is_glob_match(a, b);
	else
		*out = starts(a, b) && (t->match == MATCH_PREFIX || a.n == b.n);
	return true;
}

/* ---- numbers ------------------------------------------------------------------------------ */

/* Truncates as C does.  The smallest number divided by -1 is itself, because the division must not
 * trap. */
static bool divide(const struct tree *t, u64 a, u64 b, u64 *out)
{
	bool is_div = t->op == TREE_DIV;

	if (!b)
		return false;
	if (!t->type->is_signed)
		*out = is_div ? a / b : a % b;
	else if (b == UINT64_MAX)
		*out = is_div ? -a : 0;
	else
		*out = (u64)(is_div ? (s64)a / (s64)b : (s64)a % (s64)b);
	return true;
}

static bool eval_binary(const struct tree *t, const struct eval_leaves *l, u64 *out)
{
	u32 bits = t->type->size == sizeof(u64) ? 63 : 31;
	u64 flip = t->a->type->is_signed ? 1ULL << 63 : 0, a, b;

	if (!eval_number(t->a, l, &a) || !eval_number(t->b, l, &b))
		return false;
	switch (t->op) {
	case TREE_ADD:
		*out = a + b;
		return true;
	case TREE_SUB:
		*out = a - b;
		return true;
	case TREE_MUL:
		*out = a * b;
		return true;
	case TREE_DIV:
	case TREE_MOD:
		return divide(t, a, b, out);
	case TREE_BAND:
		*out = a & b;
		return true;
	case TREE_BOR:
		*out = a | b;
		return true;
	case TREE_XOR:
		*out = a ^ b;
		return true;
	case TREE_SHL:
		*out = a << (b & bits);
		return true;
	case TREE_SHR:
		*out = t->type->is_signed ? (u64)((s64)a >> (b & bits)) : a >> (b & bits);
		return true;
	case TREE_EQ:
		*out = a == b;
		return true;
	case TREE_NE:
		*out = a != b;
		return true;
	case TREE_LT:
		*out = (a ^ flip) < (b ^ flip);
		return true;
	case TREE_LE:
		*out = (a ^ flip) <= (b ^ flip);
		return true;
	case TREE_GT:
		*out = (a ^ flip) > (b ^ flip);
		return true;
	default:
		*out = (a ^ flip) >= (b ^ flip);
		return true;
	}
}

/* If the first operand determines the result, the second is not evaluated, so it may be absent. */
static bool eval_both(const struct tree *t, const struct eval_leaves *l, u64 *out)
{
	if (!eval_number(t->a, l, out))
		return false;
	if (!*out == (t->kind == TREE_OR) && !eval_number(t->b, l, out))
		return false;
	*out = *out != 0;
	return true;
}

static bool eval_unary(const struct tree *t, const struct eval_leaves *l, u64 *out)
{
	u64 a;

	if (!eval_number(t->a, l, &a))
		return false;
	if (t->kind == TREE_NEG)
		*out = -a;
	else if (t->kind == TREE_NOT)
		*out = ~a;
	else if (t->kind == TREE_LNOT)
		*out = !a;
	else
		*out = t->type->is_bool ? a != 0 : a;
	return true;
}

static bool eval_node(const struct tree *t, const struct eval_leaves *l, u64 *out)
{
	switch (t->kind) {
	case TREE_CONST:
		*out = t->value;
		return true;
	case TREE_NEG:
	case TREE_NOT:
	case TREE_LNOT:
	case TREE_CAST:
		return eval_unary(t, l, out);
	case TREE_BINARY:
		return eval_binary(t, l, out);
	case TREE_AND:
	case TREE_OR:
		return eval_both(t, l, out);
	case TREE_COND:
		return eval_number(t->a, l, out) && eval_number(*out ? t->b : t->c, l, out);
	case TREE_MATCH:
		return eval_match(t, l, out);
	default:
		return l->number(l->ctx, t, out);
	}
}

bool eval_number(const struct tree *t, const struct eval_leaves *l, u64 *out)
{
	if (!eval_node(t, l, out))
		return false;
	*out = eval_extend(*out, t->type);
	return true;
}
