// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Memory: members, indices, casts, address spaces. */
#include "base/str.h"
#include "expr/check_int.h"
#include "type/scope_parts.h"

#define MAX_ALIAS_PATH 8

static void set_place(struct value *out, const struct tree *address, const struct type *type,
		      enum space space, struct text_range at)
{
	*out = (struct value){
		.type = type, .tree = address, .at = at, .is_place = true, .space = space
	};
}

int check_deref(struct checker *c, const struct value *pointer, struct text_range at,
		struct value *out)
{
	const struct tree *address;
	char text[128];
	int ret = value_scalar(c, pointer, &address);

	if (ret)
		return ret;
	if (address->type->kind != TYPE_POINTER) {
		check_error(c, pointer->at, "'%s' is not a pointer",
			    type_text(address->type, text, sizeof(text)));
		return check_hint(c, "say what it points to: *(u64 *)x, ((struct T *)x)->member");
	}
	if (address->type->to->kind == TYPE_VOID || address->type->to->kind == TYPE_FUNC) {
		check_error(c, pointer->at, "the target of this pointer has no type");
		return check_hint(c, "cast it: *(u64 *)x, ((struct T *)x)->member");
	}
	set_place(out, address, address->type->to, address->type->space, at);
	return 0;
}

/* ---- members ---- */

static bool has_members(const struct type *t)
{
	return t->kind == TYPE_STRUCT || t->kind == TYPE_UNION;
}

static void member_of(const struct value *v, const struct type_member *m, struct text_range at,
		      struct value *out)
{
	*out = *v;
	out->type = m->type;
	out->offset += m->offset;
	out->bit_offset = (u8)m->bit_offset;
	out->bit_size = (u8)m->bit_size;
	out->at = at;
}

/* Follow "a.b->c" member by member, through pointers.  False: a member does not exist. */
static bool walk(struct checker *c, const struct value *v, const char *path, struct text_range at,
		 struct value *out)
{
	struct err *err = c->err, ignored = { 0 };
	bool ok = true;

	*out = *v;
	c->err = &ignored;
	for (u32 i = 0; ok && *path && i < MAX_ALIAS_PATH; i++) {
		size_t n = strcspn(path, ".-");
		const char *name = arena_strndup(c->arena, path, n);
		struct type_member m;

		if (out->type->kind == TYPE_POINTER) {
			struct value pointer = *out;

			ok = !check_deref(c, &pointer, at, out);
		}
		ok = ok && has_members(out->type) &&
		     type_find_member(c->types, out->type, name, out->space, &m);
		if (ok) {
			struct value in = *out;

			member_of(&in, &m, at, out);
		}
		path += n + (path[n] == '.') + 2 * (path[n] == '-');
	}
	c->err = err;
	return ok;
}

/* The first alias whose path exists on this kernel. */
static const char *existing_alias(struct checker *c, const struct type *in, const char *name)
{
	struct value v = { .type = in, .is_place = true, .space = SPACE_KERNEL }, found;
	const char *path;

	v.tree = tree_const(c->types, 0, type_int(c->types, 8, false), v.at);
	for (u32 i = 0; in->name && (path = alias_find(in->name, name, i, c->arena)); i++)
		if (walk(c, &v, path, v.at, &found))
			return path;
	return NULL;
}

/* "members: a, b, c, ..." */
static int hint_members(struct checker *c, const struct type *in)
{
	struct str list = { 0 };
	int ret = -ERR_USAGE;

	type_list_members(in, 8, &list);
	if (list.n)
		ret = check_hint(c, "members: %s", str_text(&list));
	str_release(&list);
	return ret;
}

#define USER_TYPES "a program's types come from its BTF (gcc -gbtf); without: *(int *)((u64)x + 8)"

/* A struct known by name only: pointers to it are fine until a member is used. */
static int undescribed(struct checker *c, const struct type *in, struct text_range at)
{
	const char *near = type_nearest(c->types, in->name, c->scope->is_user);

	check_error(c, at, "nothing here describes '%s'", in->name);
	if (near)
		return check_hint(c, "did you mean '%s'?", near);
	if (c->scope->is_user)
		return check_hint(c, USER_TYPES);
	return check_hint(c, "cast to what it begins with: *(u64 *)x");
}

/* Suggest the nearest member, or the nearest alias that exists on this kernel. */
static int no_member(struct checker *c, const struct type *in, const char *name,
		     struct text_range at)
{
	struct nearest near = { .word = name };
	const char *path, *alias;
	struct type_member m;

	type_offer_members(in, &near);
	for (u32 i = 0; in->name && (alias = alias_name(in->name, i)); i++)
		if (existing_alias(c, in, alias))
			nearest_offer(&near, alias);
	if (in->name && !in->size)
		return undescribed(c, in, at);
	check_error(c, at, "'%s' has no member '%s'", in->name ? in->name : "it", name);
	if (!near.best)
		return hint_members(c, in);
	if (type_find_member(c->types, in, near.best, SPACE_KERNEL, &m))
		return check_hint(c, "did you mean '%s'?", near.best);
	path = existing_alias(c, in, near.best);
	return path ? check_hint(c, "did you mean '%s' (%s)?", near.best, path)
		    : hint_members(c, in);
}

int check_named_member(struct checker *c, const struct value *v, const char *name,
		       struct text_range at, struct value *out)
{
	struct type_member m;
	const char *path;

	if (type_find_member(c->types, v->type, name, v->space, &m)) {
		member_of(v, &m, v->at, out);
		return 0;
	}
	for (u32 i = 0; v->type->name && (path = alias_find(v->type->name, name, i, c->arena)); i++)
		if (walk(c, v, path, v->at, out))
			return 0;
	return no_member(c, v->type, name, at);
}

/* ctx->di */
static int check_register(struct checker *c, const char *name, struct text_range at,
			  struct value *out)
{
	struct nearest near = { .word = name };
	const struct tree *t;
	u32 offset, size, shift;

	if (c->scope->ctx != SCOPE_REGS && c->scope->ctx != SCOPE_REGS_INNER)
		return check_error(c, at, "there are no registers at %s", c->scope->site);
	if (!scope_register(c->scope->arch, name, &offset, &size, &shift)) {
		scope_offer_registers(c->scope->arch, &near);
		check_error(c, at, "there is no register '%s'", name);
		return near.best ? check_hint(c, "did you mean '%s'?", near.best) : -ERR_USAGE;
	}
	t = tree_ctx_word(c->types, offset);
	if (shift)
		t = tree_binary(c->types, TREE_SHR, t->type, t,
				tree_const(c->types, shift, t->type, t->at));
	if (size < 8)
		t = tree_cast(c->types, t, type_int(c->types, size, false));
	value_offered(c, out, t, at);
	return 0;
}

/* args->x: a named argument or field of the site. */
static int check_args(struct checker *c, const struct ast *e, struct value *out)
{
	const struct scope_name *n = scope_find(c->scope, e->name);
	struct nearest near = { .word = e->name };

	if (n && n->is_args && n->value) {
		value_offered(c, out, n->value, e->at);
		return 0;
	}
	for (size_t i = 0; i < c->scope->names.n; i++)
		if (c->scope->names.items[i].is_args)
			nearest_offer(&near, c->scope->names.items[i].name);
	check_error(c, e->mark, "%s has no field '%s'", c->scope->site, e->name);
	return near.best ? check_hint(c, "did you mean '%s'?", near.best) : -ERR_USAGE;
}

static bool is_own_name(const struct checker *c, const struct ast *e, const char *name)
{
	return e->kind == AST_NAME && !strcmp(e->name, name) && !scope_find(c->scope, name);
}

/* A record may have a field args (raw_syscalls has).  An array has no members, so args->x still
 * means the record's field x. */
static bool is_field_args(const struct checker *c, const struct ast *e)
{
	const struct scope_name *args, *field;

	if (e->a->kind != AST_NAME || strcmp(e->a->name, "args") != 0)
		return false;
	args = scope_find(c->scope, "args");
	field = scope_find(c->scope, e->name);
	return args->value && args->value->type->kind == TYPE_ARRAY && field && field->is_args;
}

int check_member(struct checker *c, const struct ast *e, struct value *out)
{
	struct value v, place;
	char text[128];
	int ret;

	if (is_own_name(c, e->a, "ctx")) {
		ret = check_register(c, e->name, e->mark, out);
		out->at = e->at;
		return ret;
	}
	if (is_own_name(c, e->a, "args") || is_field_args(c, e))
		return check_args(c, e, out);
	ret = check_any(c, e->a, &v);
	if (ret)
		return ret;
	if (v.type->kind == TYPE_POINTER && !e->is_arrow && has_members(v.type->to)) {
		check_error(c, e->mark, "'%s' is a pointer", type_text(v.type, text, sizeof(text)));
		return check_hint(c, "write ->%s", e->name);
	}
	if (v.type->kind == TYPE_POINTER || !has_members(v.type)) {
		ret = check_deref(c, &v, e->a->at, &place);
		if (ret)
			return ret;
	} else {
		place = v;
		if (e->is_arrow) {
			check_error(c, e->mark, "'%s' is not a pointer",
				    type_text(v.type, text, sizeof(text)));
			return check_hint(c, "write .%s", e->name);
		}
	}
	if (!has_members(place.type))
		return check_error(c, e->mark, "'%s' has no members",
				   type_text(place.type, text, sizeof(text)));
	place.at = e->at;
	return check_named_member(c, &place, e->name, e->mark, out);
}

/* ---- indices ---- */

static const struct type *element_of(const struct type *t)
{
	return t->kind == TYPE_ARRAY || t->kind == TYPE_POINTER ? t->to : NULL;
}

/* Memory after the last element belongs to another record.  An index past the end results in
 * address 0, where the read fails, so the value is absent. */
static int located_element(struct checker *c, const struct value *v, const struct tree *i,
			   struct value *out)
{
	struct types *t = c->types;
	const struct type *of = v->type->to ?: type_by_name(t, "u8", SPACE_KERNEL),
			  *word = type_int(t, 8, false);
	struct text_range at = check_at(c, out->at);
	struct tree *cond = tree_new(c->arena, TREE_COND, word, at);

	i = tree_cast(t, i, word);
	cond->a = tree_binary(t, TREE_LT, type_int(t, 4, true), i,
			      tree_binary(t, TREE_DIV, word, tree_cast(t, v->tree->length, word),
					  tree_const(t, of->size, word, at)));
	cond->b = tree_binary(t, TREE_ADD, word, v->tree->a, tree_scaled(t, i, of->size));
	cond->c = tree_const(t, 0, word, at);
	set_place(out, cond, of, v->tree->space, out->at);
	return 0;
}

int check_index(struct checker *c, const struct ast *e, struct value *out)
{
	const struct type *element, *word = type_int(c->types, 8, false);
	const struct tree *base, *i;
	struct value v, vi;
	char text[128];
	int ret = check_any(c, e->a, &v) ?: check_any(c, e->b, &vi) ?: value_scalar(c, &vi, &i);

	if (ret)
		return ret;
	if (!v.is_place && v.tree->kind == TREE_BYTES && v.tree->length) {
		out->at = e->at;
		return located_element(c, &v, i, out);
	}
	element = element_of(v.type);
	if (!element || !element->size)
		return check_error(c, e->a->at, "'%s' has no elements to index",
				   type_text(v.type, text, sizeof(text)));
	if (i->kind == TREE_CONST && v.is_place && v.type->kind == TYPE_ARRAY) {
		if (v.type->n > 1 && i->value >= v.type->n)
			return check_error(c, e->b->at, "the array has %u elements", v.type->n);
		*out = v;
		out->type = element;
		out->at = e->at;
		if (!__builtin_mul_overflow((u32)i->value, element->size, &out->offset) &&
		    i->value <= UINT32_MAX &&
		    !__builtin_add_overflow(out->offset, v.offset, &out->offset))
			return 0;
		return check_error(c, e->b->at, "the index is too big");
	}
	ret = value_scalar(c, &v, &base);
	if (ret)
		return ret;
	i = tree_scaled(c->types, i, element->size);
	if (i->kind == TREE_CONST && i->value <= INT32_MAX) {
		set_place(out, base, element, base->type->space, e->at);
		out->offset = (u32)i->value;
		return 0;
	}
	set_place(
		out,
		tree_cast(c->types,
			  tree_binary(c->types, TREE_ADD, word, tree_cast(c->types, base, word), i),
			  base->type),
		element, base->type->space, e->at);
	return 0;
}

/* ---- types ---- */

static int unknown_type(struct checker *c, const struct ast_type *type)
{
	const char *near = type_nearest(c->types, type->base, c->scope->is_user);

	check_error(c, type->at, "nothing here describes the type '%s'", type->base);
	if (near)
		return check_hint(c, "did you mean '%s'?", near);
	if (c->scope->is_user)
		return check_hint(c, USER_TYPES);
	return check_hint(c, "kernel types come from BTF, with their tag: struct sock");
}

/* A pointer to an unknown type is refused: unlike in a signature, it has no use in a cast. */
int check_type(struct checker *c, const struct ast_type *type, const struct type **out)
{
	const char *unknown = NULL;

	*out = type_of_ast(c->types, type, c->scope->space, &unknown);
	if (!*out || (!type->is_func && !type_by_name(c->types, type->base, c->scope->space)))
		return unknown_type(c, type);
	return 0;
}

/* A pointer keeps its address space unless the cast names one; a number gets the site's. */
static const struct type *cast_pointer(struct checker *c, const struct ast_type *written,
				       const struct type *to, const struct type *from)
{
	enum space space = from->kind == TYPE_POINTER ? from->space : to->space;
	const char *unknown;

	if (written->user_at || space == to->space)
		return to;
	return type_of_ast(c->types, written, space, &unknown) ?: to;
}

/* Negative return values in the kernel are errors, even if the function's type is not known:
 * (int)retval. */
static bool is_kernel_error(const struct checker *c, const struct ast *e, const struct tree *t)
{
	bool is_retval =
		(e->kind == AST_NAME || e->kind == AST_DOLLAR) && !strcmp(e->name, "retval");

	return t->type->show == SHOW_ERRNO ||
	       (is_retval && c->scope->is_retval_plain && !c->scope->is_user);
}

int check_cast(struct checker *c, const struct ast *e, struct value *out)
{
	const struct type *type;
	const struct tree *t;
	struct value v;
	char text[128];
	int ret = check_type(c, e->type, &type) ?: check_any(c, e->a, &v);

	if (ret)
		return ret;
	if (!type_is_scalar(type)) {
		check_error(c, e->mark, "nothing can be cast to '%s'",
			    type_text(type, text, sizeof(text)));
		if (type->kind == TYPE_ARRAY)
			return check_hint(c, "bytes at an address: buf(x, %u)", type->size);
		return type->kind == TYPE_VOID
			       ? -ERR_USAGE
			       : check_hint(c, "cast to a pointer: *(%s *)&x", e->type->base);
	}
	/* (char *)$comm: it already is a string. */
	if (v.type->kind == TYPE_STRING && type->kind == TYPE_POINTER && type->to->is_char) {
		*out = v;
		return 0;
	}
	ret = value_scalar(c, &v, &t);
	if (ret)
		return ret;
	if (type->kind == TYPE_POINTER)
		type = cast_pointer(c, e->type, type, t->type);
	if (is_kernel_error(c, e->a, t) && type->kind == TYPE_INT && type->is_signed)
		type = type_shown(c->types, type, SHOW_ERRNO);
	t = tree_cast(c->types, t, type);
	*out = (struct value){ .type = type, .tree = t, .at = e->at };
	return 0;
}

int check_sizeof(struct checker *c, const struct ast *e, struct value *out)
{
	const struct type *type = NULL;
	struct value v;
	int ret = 0;

	if (e->type)
		ret = check_type(c, e->type, &type);
	else if (e->a->kind == AST_NAME && !scope_find(c->scope, e->a->name))
		type = type_by_name(c->types, e->a->name, c->scope->space);
	if (!ret && !type) {
		ret = check_any(c, e->a, &v);
		type = ret ? NULL : v.type;
	}
	if (ret)
		return ret;
	if (!type->size)
		return check_error(c, e->at, "its size is not known");
	value_const(c, out, type->size, type_int(c->types, 8, false), e->at);
	return 0;
}

/* x@user, x@kernel: the address space of a pointer, of an integer used as a pointer, or of a
 * place. */
int check_space(struct checker *c, const struct ast *e, struct value *out)
{
	bool is_user = !strcmp(e->name, "user");
	enum space space = is_user ? SPACE_USER : SPACE_KERNEL;
	const struct type *to;
	const struct tree *t;
	int ret;

	if (!is_user && strcmp(e->name, "kernel") != 0) {
		check_error(c, e->mark, "'@%s' is not an address space", e->name);
		return check_hint(c, "@user or @kernel");
	}
	ret = check_any(c, e->a, out);
	if (ret)
		return ret;
	out->at = e->at;
	if (out->is_place && !type_is_scalar(out->type)) {
		if (out->space != SPACE_CTX)
			out->space = space;
		return 0;
	}
	ret = value_scalar(c, out, &t);
	if (ret)
		return ret;
	to = t->type->kind == TYPE_POINTER ? t->type->to : type_by_name(c->types, "void", space);
	t = tree_cast(c->types, t, type_pointer(c->types, to, space));
	*out = (struct value){ .type = t->type, .tree = t, .at = e->at };
	return 0;
}
