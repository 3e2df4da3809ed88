// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Places and values: loads, addresses, strings, bytes. */
#include <bpf/btf.h>

#include "expr/check_int.h"

void value_of_tree(struct value *v, const struct tree *t)
{
	bool is_aggregate = t->type->kind == TYPE_ARRAY || t->type->kind == TYPE_STRUCT ||
			    t->type->kind == TYPE_UNION;

	*v = (struct value){ .type = t->type, .tree = t, .at = t->at };
	if (!is_aggregate)
		return;
	/* Scopes have aggregates only in the context. */
	v->is_place = true;
	v->space = SPACE_CTX;
	v->tree = NULL;
	v->offset = t->offset;
}

void value_set(struct value *v, const struct tree *t, struct text_range at)
{
	*v = (struct value){ .type = t->type, .tree = t, .at = at };
}

struct tree *value_set_builtin(struct checker *c, enum builtin builtin, const struct type *type,
			       const struct tree *a, struct text_range at, struct value *v)
{
	struct tree *t = tree_new(c->arena, TREE_BUILTIN, type, check_at(c, at));

	t->builtin = builtin;
	t->a = a;
	value_set(v, t, at);
	return t;
}

void value_offered(struct checker *c, struct value *v, const struct tree *t, struct text_range at)
{
	struct tree *copy = tree_new(c->arena, t->kind, t->type, at);

	*copy = *t;
	copy->at = check_at(c, at);
	value_of_tree(v, copy);
	v->at = at;
}

void value_const(struct checker *c, struct value *v, u64 value, const struct type *type,
		 struct text_range at)
{
	*v = (struct value){ .type = type,
			     .tree = tree_const(c->types, value, type, at),
			     .at = at };
}

static const struct tree *ctx_address(struct checker *c, const struct value *v)
{
	struct tree *t =
		tree_new(c->arena, TREE_CTX_ADDR, type_int(c->types, 8, false), check_at(c, v->at));

	t->offset = v->offset;
	return t;
}

static const struct tree *ctx_load(struct checker *c, const struct value *v)
{
	struct tree *t = tree_new(c->arena, TREE_CTX, v->type, check_at(c, v->at));

	t->offset = v->offset;
	t->bit_offset = v->bit_offset;
	t->bit_size = v->bit_size;
	return t;
}

static const struct tree *load(struct checker *c, const struct value *v)
{
	struct text_range at = check_at(c, v->at);
	struct tree *t;

	if (v->space == SPACE_CTX && !(v->offset % v->type->size))
		return ctx_load(c, v);
	if (v->space == SPACE_CTX)
		return tree_load(c->types, ctx_address(c, v), 0, v->type, SPACE_KERNEL, at);
	t = tree_new(c->arena, TREE_LOAD, v->type, at);
	t->a = v->tree;
	t->offset = v->offset;
	t->space = v->space;
	t->bit_offset = v->bit_offset;
	t->bit_size = v->bit_size;
	return t;
}

/* The space from which a helper reads: the context is in kernel memory. */
static enum space readable(enum space space)
{
	return space == SPACE_CTX ? SPACE_KERNEL : space;
}

int value_address(struct checker *c, const struct value *v, const struct tree **out)
{
	const struct type *to = v->type->kind == TYPE_ARRAY ? v->type->to : v->type;
	const struct type *pointer = type_pointer(c->types, to, readable(v->space));
	const struct tree *base;

	if (!v->is_place)
		return check_error(c, v->at, "this value is not in memory: it has no address");
	if (v->bit_size)
		return check_error(c, v->at, "a bit-field has no address");
	base = v->space == SPACE_CTX ? ctx_address(c, v)
				     : tree_offset(c->types, v->tree, v->offset);
	*out = tree_cast(c->types, base, pointer);
	return 0;
}

bool value_unwrap(struct checker *c, struct value *v)
{
	for (u32 depth = 0; depth < 8 && v->type->kind == TYPE_STRUCT && v->type->btf; depth++) {
		const struct btf_type *bt = btf__type_by_id(v->type->btf, v->type->btf_id);
		const struct btf_member *m;
		const struct type *type;

		/* The struct has one member that fills it: refcount_t, atomic_t, kuid_t. */
		if (!bt || !btf_is_composite(bt) || btf_vlen(bt) != 1 || !v->is_place)
			return false;
		m = btf_members(bt);
		type = type_of_btf(c->types, v->type->btf, m->type, v->space);
		if (!type || type->size != v->type->size || btf_member_bitfield_size(bt, 0))
			return false;
		v->type = type;
	}
	return type_is_scalar(v->type);
}

static int no_scalar(struct checker *c, const struct value *v)
{
	char text[128];

	if (v->type->kind == TYPE_STRING) {
		check_error(c, v->at, "this is a string, not a number");
		if (v->tree && v->tree->kind == TREE_SAVED && !v->tree->of_span)
			return check_hint(c, "without $entry, an argument is the pointer that was "
					     "passed: buf(x, retval) reads at the return");
		return check_hint(c, "compare it with == \"...\" or ~ \"glob*\"");
	}
	if (v->type->kind == TYPE_VOID)
		return check_error(c, v->at, "there is no value of type void");
	if (type_is_float(v->type)) {
		check_error(c, v->at,
			    "'%s' is a floating-point number: the kernel's programs "
			    "can't compute with it",
			    type_text(v->type, text, sizeof(text)));
		return check_hint(c, "its bits are *(u%u *)&x", v->type->size * 8);
	}
	check_error(c, v->at, "'%s' is not a number", type_text(v->type, text, sizeof(text)));
	if (v->type->kind == TYPE_STRUCT || v->type->kind == TYPE_UNION)
		return check_hint(c, "name one of its members");
	if (!v->is_place && v->tree->kind == TREE_BYTES && v->tree->length)
		return check_hint(c, "write [0] after it for its first element");
	return -ERR_USAGE;
}

int value_scalar(struct checker *c, const struct value *v, const struct tree **out)
{
	struct value inner = *v;

	if (type_is_scalar(v->type)) {
		*out = v->is_place ? load(c, v) : v->tree;
		return 0;
	}
	if (v->is_place && v->type->kind == TYPE_ARRAY)
		return value_address(c, v, out);
	if (value_unwrap(c, &inner)) {
		*out = load(c, &inner);
		return 0;
	}
	return no_scalar(c, v);
}

int value_promoted(struct checker *c, const struct value *v, const struct tree **out)
{
	const struct type *int_type = type_int(c->types, 4, true);
	int ret = value_scalar(c, v, out);

	if (ret || (*out)->type->kind != TYPE_INT)
		return ret;
	/* A bit-field narrower than an int is promoted to int. */
	if ((*out)->type->size < 4 || (v->bit_size && v->bit_size < 32))
		*out = tree_cast(c->types, *out, int_type);
	return 0;
}

bool value_is_text(const struct value *v, bool with_pointers)
{
	const struct type *t = v->type;

	if (t->kind == TYPE_STRING)
		return true;
	if (t->kind == TYPE_ARRAY || (with_pointers && t->kind == TYPE_POINTER))
		return t->to->is_char;
	return false;
}

/* n + 1 bytes for a char array of n, the last one for the NUL; at most string_size. */
static u32 array_string_size(const struct checker *c, const struct type *array)
{
	u32 size = c->types->string_size;

	return array->n && array->n < size ? array->n + 1 : size;
}

/* A string that fills its array has no NUL: stop at the array's end. */
static const struct tree *array_end(struct checker *c, const struct type *array)
{
	return array->n ? tree_const(c->types, array->n, type_int(c->types, 4, false),
				     (struct text_range){ 0 })
			: NULL;
}

/* Can the value be the address of a string?  64-bit integers can, unless they are shown as text or
 * as a time, or the name of their type means a size, an offset or a time. */
static bool is_text_address(const struct type *t)
{
	static const char *const others[] = { "size_t", "ssize_t", "loff_t", "off_t", "time_t" };

	if (t->kind == TYPE_POINTER)
		return t->to->kind != TYPE_POINTER && t->to->kind != TYPE_STRUCT &&
		       t->to->kind != TYPE_UNION;
	for (size_t i = 0; t->name && i < ARRAY_SIZE(others); i++)
		if (!strcmp(t->name, others[i]))
			return false;
	return t->size == 8 && !type_has_words(t) && t->show != SHOW_NS;
}

static int no_text(struct checker *c, const struct value *v, const struct type *t)
{
	char text[128];

	if (type_has_words(t)) {
		check_error(c, v->at, "this is a number, which becomes text only when it is shown");
		return check_hint(c, "show it by itself, with a %%s of its own");
	}
	if (t->kind != TYPE_POINTER)
		return check_error(c, v->at, "this number is not the address of a string");
	check_error(c, v->at, "'%s' does not point to a string", type_text(t, text, sizeof(text)));
	if (t->to->kind == TYPE_POINTER)
		return check_hint(c, "x[0] for the first one, join(x) for all");
	return check_hint(c, "name one of its members: x->name");
}

int value_string(struct checker *c, const struct value *v, const struct tree **out)
{
	struct text_range at = check_at(c, v->at);
	const struct tree *address;
	enum space space;
	int ret;

	if (v->type->kind == TYPE_STRING) {
		*out = v->tree;
		return 0;
	}
	if (v->is_place && v->type->kind == TYPE_ARRAY) {
		ret = value_address(c, v, &address);
		if (!ret)
			*out = tree_string(c->types, address, readable(v->space),
					   array_end(c, v->type), array_string_size(c, v->type),
					   at);
		return ret;
	}
	ret = value_scalar(c, v, &address);
	if (ret)
		return ret;
	if (!is_text_address(address->type))
		return no_text(c, v, address->type);
	space = address->type->kind == TYPE_POINTER ? address->type->space : c->scope->space;
	*out = tree_string(c->types, address, readable(space), NULL, 0, at);
	return 0;
}

int value_bytes(struct checker *c, const struct value *v, u32 n, enum show show,
		const struct tree **out)
{
	const struct tree *address;
	struct tree *bytes;
	enum space space;
	int ret;

	if (v->is_place && v->type->kind != TYPE_POINTER) {
		ret = value_address(c, v, &address);
		space = readable(v->space);
	} else {
		ret = value_scalar(c, v, &address);
		space = !ret && address->type->kind == TYPE_POINTER ? address->type->space
								    : c->scope->space;
	}
	if (ret)
		return ret;
	bytes = tree_new(c->arena, TREE_BYTES, type_bytes(c->types, n, show), check_at(c, v->at));
	bytes->a = address;
	bytes->space = readable(space);
	*out = bytes;
	return 0;
}
