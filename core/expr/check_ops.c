// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Operators: C's conversions, pointers, strings. */
#include "base/str.h"
#include "expr/check_int.h"

static const struct type *int_type(struct checker *c)
{
	return type_int(c->types, 4, true);
}

static const struct type *word_type(struct checker *c)
{
	return type_int(c->types, 8, false);
}

/* C's usual arithmetic conversions of two promoted types. */
static const struct type *common_type(struct checker *c, const struct type *a, const struct type *b)
{
	u32 size = a->size > b->size ? a->size : b->size;
	bool is_unsigned = (!a->is_signed && a->size == size) || (!b->is_signed && b->size == size);

	return type_int(c->types, size < 4 ? 4 : size, !is_unsigned);
}

static const struct tree *as_word(struct checker *c, const struct tree *t)
{
	return tree_cast(c->types, t, word_type(c));
}

static const struct tree *unary(struct checker *c, enum tree_kind kind, const struct type *type,
				const struct tree *a, struct text_range at)
{
	struct tree *t = tree_new(c->arena, kind, type, check_at(c, at));

	t->a = a;
	return t;
}

/* ! accepts pointers, too; + - ~ accept numbers only. */
static int arithmetic_unary(struct checker *c, const struct ast *e, struct value *out)
{
	const struct tree *a;
	struct value v;
	int ret = check_any(c, e->a, &v) ?: value_promoted(c, &v, &a);

	if (ret)
		return ret;
	if (*e->op == '!') {
		value_set(out, unary(c, TREE_LNOT, int_type(c), a, e->at), e->at);
		return 0;
	}
	if (a->type->kind == TYPE_POINTER)
		return check_error(c, e->mark, "'%s' of a pointer", e->op);
	if (a->kind == TREE_CONST && *e->op != '+')
		a = tree_const(c->types, *e->op == '-' ? -a->value : ~a->value, a->type, a->at);
	else if (*e->op != '+')
		a = unary(c, *e->op == '-' ? TREE_NEG : TREE_NOT,
			  type_int(c->types, a->type->size, a->type->is_signed), a, e->at);
	value_set(out, a, e->at);
	return 0;
}

int check_unary(struct checker *c, const struct ast *e, struct value *out)
{
	const struct tree *t;
	struct value v;
	int ret;

	if (*e->op == '*')
		return check_any(c, e->a, &v) ?: check_deref(c, &v, e->at, out);
	if (*e->op != '&')
		return arithmetic_unary(c, e, out);
	ret = check_any(c, e->a, &v) ?: value_address(c, &v, &t);
	if (!ret)
		value_set(out, t, e->at);
	return ret;
}

/* ---- comparing text ---- */

/*
 * Read only as much of a string in memory as is needed to compare it with a literal: for equality,
 * one byte more than the literal has.  Therefore the result does not depend on -Z.
 */
static const struct tree *read_enough(struct checker *c, const struct tree *s,
				      enum tree_match match, const struct value *literal, u32 n)
{
	u32 size = (u32)literal->tree->string.n + 2;
	struct tree *copy;

	if (s->kind != TREE_STRING || !literal->is_literal || match == MATCH_GLOB)
		return s;
	if (match == MATCH_PREFIX)
		size--;
	if (n && n + 1 < size)
		size = n + 1;
	/* A string read from an array must not be read past the array's end. */
	if (s->type->size < size && s->type->size != c->types->string_size)
		return s;
	copy = tree_new(c->arena, TREE_STRING, type_string(c->types, size), s->at);
	copy->a = s->a;
	copy->space = s->space;
	copy->length = s->length;
	/* strncmp: bytes after the first n may not be readable. */
	if (n && !s->length)
		copy->length = tree_const(c->types, n, type_int(c->types, 4, false), s->at);
	return copy;
}

int check_match(struct checker *c, struct text_range at, enum tree_match match,
		const struct value *a, const struct value *b, u32 n, const struct tree **out)
{
	const struct tree *left, *right;
	struct tree *t;
	int ret = value_string(c, a, &left) ?: value_string(c, b, &right);

	if (ret)
		return ret;
	if (a->is_literal && b->is_literal)
		return check_error(c, at, "both sides are literals");
	if (n && b->is_literal && n > b->tree->string.n)
		n = 0;
	t = tree_new(c->arena, TREE_MATCH, int_type(c), check_at(c, at));
	t->match = match;
	t->index = n;
	t->a = read_enough(c, left, match, b, n);
	t->b = right;
	*out = t;
	return 0;
}

static int check_text(struct checker *c, const struct ast *e, const struct value *a,
		      const struct value *b, struct value *out)
{
	const struct tree *t;
	int ret;

	if (*e->op == '~' && !b->is_literal) {
		check_error(c, b->at, "the pattern of ~ must be a literal");
		return check_hint(c, "x ~ \"glob*\", with * ? [set]");
	}
	if (a->is_literal && !b->is_literal) {
		const struct value *swap = a;

		a = b;
		b = swap;
	}
	if (b->is_literal && check_has_names(c, a->type) && *e->op != '~')
		return check_value_name(c, e, a, b, out);
	if (b->is_literal && value_is_address(a) && *e->op != '~')
		ret = check_address(c, a, b, &t);
	else
		ret = check_match(c, e->at, *e->op == '~' ? MATCH_GLOB : MATCH_EQ, a, b, 0, &t);
	if (ret)
		return ret;
	if (*e->op == '!')
		t = unary(c, TREE_LNOT, int_type(c), t, e->at);
	value_set(out, t, e->at);
	return 0;
}

/* Literals, strings and char arrays are compared as text; two pointers as addresses. */
static bool is_text_comparison(const struct ast *e, const struct value *a, const struct value *b)
{
	if (*e->op == '~')
		return true;
	if (strcmp(e->op, "==") != 0 && strcmp(e->op, "!=") != 0)
		return false;
	return value_is_text(a, false) || value_is_text(b, false);
}

/* ---- arithmetic ---- */

static const struct {
	const char *op;
	enum tree_op tree;
	bool is_comparison, is_shift;
} ops[] = {
	{ "+", TREE_ADD, false, false }, { "-", TREE_SUB, false, false },
	{ "*", TREE_MUL, false, false }, { "/", TREE_DIV, false, false },
	{ "%", TREE_MOD, false, false }, { "&", TREE_BAND, false, false },
	{ "|", TREE_BOR, false, false }, { "^", TREE_XOR, false, false },
	{ "<<", TREE_SHL, false, true }, { ">>", TREE_SHR, false, true },
	{ "==", TREE_EQ, true, false },	 { "!=", TREE_NE, true, false },
	{ "<", TREE_LT, true, false },	 { "<=", TREE_LE, true, false },
	{ ">", TREE_GT, true, false },	 { ">=", TREE_GE, true, false },
};

static u32 pointee_size(const struct type *pointer)
{
	return pointer->to->size ? pointer->to->size : 1;
}

/* p + i, i + p, p - i, p - q. */
static int pointer_arithmetic(struct checker *c, const struct ast *e, enum tree_op op,
			      const struct tree *a, const struct tree *b, struct value *out)
{
	const struct type *word = word_type(c), *slong = type_int(c->types, 8, true);
	u32 size;

	if (op == TREE_ADD && b->type->kind == TYPE_POINTER) {
		const struct tree *swap = a;

		a = b;
		b = swap;
	}
	if (a->type->kind != TYPE_POINTER || (op != TREE_ADD && op != TREE_SUB))
		return check_error(c, e->mark, "'%s' with a pointer; cast it to u64 first", e->op);
	size = pointee_size(a->type);
	if (!a->type->to->size && a->type->to->kind == TYPE_STRUCT)
		return check_error(c, e->mark, "the size of '%s' is not known", a->type->to->name);
	if (b->type->kind == TYPE_POINTER) {
		if (op == TREE_ADD || size != pointee_size(b->type))
			return check_error(c, e->mark, "'%s' with two pointers", e->op);
		a = tree_binary(c->types, TREE_SUB, slong, tree_cast(c->types, a, slong),
				tree_cast(c->types, b, slong));
		if (size > 1)
			a = tree_binary(c->types, TREE_DIV, slong, a,
					tree_const(c->types, size, slong, a->at));
		value_set(out, a, e->at);
		return 0;
	}
	b = tree_scaled(c->types, b, size);
	value_set(out,
		  tree_cast(c->types, tree_binary(c->types, op, word, as_word(c, a), b), a->type),
		  e->at);
	return 0;
}

static int by_zero(struct checker *c, const struct ast *e)
{
	return check_error(c, e->b->at, "division by zero");
}

static int check_arithmetic(struct checker *c, const struct ast *e, size_t row,
			    const struct value *va, const struct value *vb, struct value *out)
{
	const struct type *type, *result;
	const struct tree *a, *b;
	int ret = value_promoted(c, va, &a) ?: value_promoted(c, vb, &b);
	enum tree_op op = ops[row].tree;
	bool has_pointer;
	struct tree *t;

	if (ret)
		return ret;
	has_pointer = a->type->kind == TYPE_POINTER || b->type->kind == TYPE_POINTER;
	if (has_pointer && !ops[row].is_comparison)
		return pointer_arithmetic(c, e, op, a, b, out);
	if ((op == TREE_DIV || op == TREE_MOD) && b->kind == TREE_CONST && !b->value)
		return by_zero(c, e);
	if (ops[row].is_shift) {
		type = type_int(c->types, a->type->size, a->type->is_signed);
		if (b->kind == TREE_CONST && b->value >= 8 * type->size)
			return check_error(c, e->b->at, "a shift of %u bits or more",
					   8 * type->size);
		b = tree_cast(c->types, b, type);
	} else {
		type = has_pointer ? word_type(c) : common_type(c, a->type, b->type);
		b = tree_cast(c->types, b, type);
	}
	a = tree_cast(c->types, a, type);
	result = ops[row].is_comparison ? int_type(c) : type;
	t = tree_new(c->arena, TREE_BINARY, result, check_at(c, e->at));
	t->op = op;
	t->a = a;
	t->b = b;
	value_set(out, t, e->at);
	return 0;
}

/* ---- logic ---- */

static int check_logic(struct checker *c, const struct ast *e, struct value *out)
{
	const struct tree *a, *b;
	struct value v;
	struct tree *t;
	int ret = check_any(c, e->a, &v) ?: value_scalar(c, &v, &a)
		?: check_any(c, e->b, &v) ?: value_scalar(c, &v, &b);

	if (ret)
		return ret;
	t = tree_new(c->arena, *e->op == '&' ? TREE_AND : TREE_OR, int_type(c), check_at(c, e->at));
	t->a = a;
	t->b = b;
	value_set(out, t, e->at);
	return 0;
}

/* a ?? b: b if a has any error, because an error means that a does not exist on this kernel. */
static int check_first(struct checker *c, const struct ast *e, struct value *out)
{
	struct err *err = c->err, ignored = { 0 };
	int ret;

	c->err = &ignored;
	ret = check_any(c, e->a, out);
	c->err = err;
	return ret ? check_any(c, e->b, out) : 0;
}

/* $comm == bash, $comm == true */
static int hint_quotes(struct checker *c, const struct ast *e)
{
	if (e->kind != AST_NAME)
		return -c->err->code;
	c->err->hint[0] = '\0'; /* a similar name, from the first attempt */
	return check_hint(c, "put text in double quotes: \"%s\"", e->name);
}

/*
 * The right side may be the name of one of the left side's values, as it is printed: cmd ==
 * TIOCGWINSZ, flags & (A | B).  Those whose meaning depends on another argument are compared as
 * text.
 */
static int check_right(struct checker *c, const struct ast *e, const struct value *a,
		       struct value *b)
{
	const struct type_names *before = c->names, *names = a->type->names;
	bool is_equality = !strcmp(e->op, "==") || !strcmp(e->op, "!=");
	struct ast text = { .kind = AST_STRING, .at = e->b->at };
	int ret;

	if (type_is_scalar(a->type) && names)
		c->names = names;
	ret = check_any(c, e->b, b);
	c->names = before;
	if (ret || !is_equality || e->b->kind != AST_NAME || !b->is_value_name)
		return ret;
	text.string = view_of(e->b->name);
	return check_any(c, &text, b);
}

/* filename == 3: addresses are compared by means of a cast. */
static bool is_text_with_number(const struct ast *e, const struct value *text)
{
	return e->kind == AST_NUMBER && e->value && text->type->kind == TYPE_POINTER &&
	       value_is_text(text, true);
}

static int refuse_number(struct checker *c, const struct ast *e)
{
	check_error(c, e->at, "a string is compared with a number");
	return check_hint(c, "x == \"%llu\" compares text, (u64)x == %llu its address", e->value,
			  e->value);
}

int check_binary(struct checker *c, const struct ast *e, struct value *out)
{
	struct value a, b;
	int ret;

	if (!strcmp(e->op, "&&") || !strcmp(e->op, "||"))
		return check_logic(c, e, out);
	if (!strcmp(e->op, "??"))
		return check_first(c, e, out);
	ret = check_any(c, e->a, &a);
	if (ret)
		return ret;
	ret = check_right(c, e, &a, &b);
	if (ret)
		return value_is_text(&a, false) ? hint_quotes(c, e->b) : ret;
	if (is_text_comparison(e, &a, &b)) {
		ret = check_text(c, e, &a, &b, out);
		return ret && !value_is_text(&b, true) ? hint_quotes(c, e->b) : ret;
	}
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++) {
		if (strcmp(ops[i].op, e->op) != 0)
			continue;
		if (ops[i].is_comparison && is_text_with_number(e->b, &a))
			return refuse_number(c, e->b);
		if (ops[i].is_comparison && is_text_with_number(e->a, &b))
			return refuse_number(c, e->a);
		return check_arithmetic(c, e, i, &a, &b, out);
	}
	return check_error(c, e->mark, "'%s' has no meaning here", e->op);
}

static bool is_plain_zero(const struct tree *t)
{
	return t->kind == TREE_CONST && !t->value && t->type->show == SHOW_DEFAULT;
}

/* The side that decides how the result is shown: either one if both are shown alike, or the one
 * whose other side is a plain 0.  NULL: neither; then the result is shown as a plain number,
 * because the -1 in `retval < 0 ? -1 : retval` is not EPERM. */
static const struct type *shown_side(const struct tree *b, const struct tree *d)
{
	if (b->type->show == d->type->show && b->type->names == d->type->names)
		return b->type;
	if (is_plain_zero(d))
		return b->type;
	return is_plain_zero(b) ? d->type : NULL;
}

/* x ? errno(retval) : 0 is still shown as an error. */
static const struct type *shown_as_side(struct checker *c, const struct type *type,
					const struct tree *b, const struct tree *d)
{
	const struct type *side = shown_side(b, d);
	struct type *new;

	if (!side || side->show == SHOW_DEFAULT || side->show == SHOW_CHAR ||
	    side->show == SHOW_BOOL)
		return type;
	new = type_copy(c->types, type);
	new->show = side->show;
	new->names = side->names;
	new->is_plain = side->is_plain;
	return new;
}

static const struct type *cond_type(struct checker *c, const struct tree *b, const struct tree *d)
{
	if (b->type->kind == TYPE_POINTER)
		return b->type;
	if (d->type->kind == TYPE_POINTER)
		return d->type;
	return common_type(c, b->type, d->type);
}

int check_cond(struct checker *c, const struct ast *e, struct value *out)
{
	const struct tree *cond, *b, *d;
	const struct type *type;
	struct value v, vb, vd;
	struct tree *t;
	int ret = check_any(c, e->a, &v) ?: value_scalar(c, &v, &cond)
		?: check_any(c, e->b, &vb) ?: check_any(c, e->c, &vd);

	if (ret)
		return ret;
	if (value_is_text(&vb, false) || value_is_text(&vd, false)) {
		ret = value_string(c, &vb, &b) ?: value_string(c, &vd, &d);
		if (ret)
			return ret;
		type = b->type->size > d->type->size ? b->type : d->type;
	} else {
		const struct tree *side_b, *side_d;

		ret = value_scalar(c, &vb, &side_b) ?: value_scalar(c, &vd, &side_d)
			?: value_promoted(c, &vb, &b) ?: value_promoted(c, &vd, &d);
		if (ret)
			return ret;
		type = cond_type(c, b, d);
		if (type->kind == TYPE_INT)
			type = shown_as_side(c, type, side_b, side_d);
		b = tree_cast(c->types, b, type);
		d = tree_cast(c->types, d, type);
	}
	t = tree_new(c->arena, TREE_COND, type, check_at(c, e->at));
	t->a = cond;
	t->b = b;
	t->c = d;
	value_set(out, t, e->at);
	return 0;
}
