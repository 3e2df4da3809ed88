// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Fields of a tracepoint's record, and the data that __data_loc and __rel_loc fields locate. */
#include <string.h>

#include "type/lookup.h"
#include "type/scope_parts.h"

#define MAX_LIST_BYTES 256 /* the same limit as for arrays of known length */

/* The format's size and sign are the kernel's sizeof and is_signed: they take precedence over the
 * type's name, which may be any typedef. */
static const struct type *field_type(struct scope *s, const struct scope_field *f)
{
	struct types *t = s->types;
	const struct type *type = type_of_text(t, f->c_type, s->space);

	if (type && type->kind == TYPE_INT && type->size == f->size &&
	    type->is_signed == f->is_signed)
		return type;
	if (type && type->kind != TYPE_INT && type->size == f->size)
		return type;
	if (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8)
		return type_int(t, f->size, f->is_signed);
	return type_array(t, type_int(t, 1, false), f->size);
}

static const struct tree *ctx_address(struct scope *s, u32 offset, const struct tree *add_to,
				      const struct type *type)
{
	struct tree *e = tree_new(s->arena, TREE_CTX_ADDR, type, (struct text_range){ 0 });

	e->offset = offset;
	e->a = add_to;
	return e;
}

/* Loads through ctx must be aligned to their size; other fields are read as kernel memory. */
static const struct tree *ctx_field(struct scope *s, const struct scope_field *f,
				    const struct type *type)
{
	struct tree *e;

	if (!type_is_scalar(type))
		return ctx_address(s, f->offset, NULL, type);
	if (f->offset % type->size)
		return tree_load(s->types,
				 ctx_address(s, f->offset, NULL, type_int(s->types, 8, false)), 0,
				 type, SPACE_KERNEL, (struct text_range){ 0 });
	e = tree_new(s->arena, TREE_CTX, type, (struct text_range){ 0 });
	e->offset = f->offset;
	return e;
}

/* The element type: u64 of "u64[]", the words of "cpumask_t" (a bitmap).  NULL: unknown. */
static const struct type *element_type(struct scope *s, const char *c_type)
{
	struct view text = view_of(c_type), loc;
	const char *bracket = strchr(c_type, '[');

	if (!bracket)
		return type_shown(s->types, type_by_name(s->types, "unsigned long", SPACE_KERNEL),
				  SHOW_HEX);
	text.n = (size_t)(bracket - c_type);
	if (view_starts(text, "__data_loc ") || view_starts(text, "__rel_loc "))
		view_split(&text, ' ', &loc);
	return type_of_text(s->types, arena_view(s->arena, text), SPACE_KERNEL);
}

/* Bytes are shown as a buffer, not as numbers.  A list reads one element more than it shows, to
 * know whether there are more. */
static const struct type *bytes_type(struct types *t, const struct type *of)
{
	struct type *type;

	if (!of || !type_is_scalar(of) || of->size == 1)
		return type_bytes(t, t->string_size, SHOW_BUFFER);
	type = type_copy(t, type_bytes(t, MAX_LIST_BYTES + of->size, SHOW_BUFFER));
	type->to = of;
	return type;
}

/* length << 16 | offset, from the record's start (__data_loc) or the field's end (__rel_loc). */
static const struct tree *located_field(struct scope *s, const struct scope_field *f)
{
	struct types *t = s->types;
	const struct type *u32_type = type_int(t, 4, false), *address = type_int(t, 8, false),
			  *of = element_type(s, f->c_type);
	struct tree *loc = tree_new(s->arena, TREE_CTX, u32_type, (struct text_range){ 0 });
	const struct tree *at, *length;
	struct tree *bytes;

	loc->offset = f->offset;
	at = tree_binary(t, TREE_BAND, u32_type, loc, tree_const(t, 0xffff, u32_type, loc->at));
	length = tree_binary(t, TREE_SHR, u32_type, loc, tree_const(t, 16, u32_type, loc->at));
	at = ctx_address(s, f->kind == FIELD_REL_LOC ? f->offset + 4 : 0, tree_cast(t, at, address),
			 address);
	if (of && of->is_char)
		return tree_string(t, at, SPACE_KERNEL, length, 0, loc->at);
	bytes = tree_new(s->arena, TREE_BYTES, bytes_type(t, of), loc->at);
	bytes->a = at;
	bytes->space = SPACE_KERNEL;
	bytes->length = length;
	return bytes;
}

void scope_field(struct scope *s, const struct scope_field *f)
{
	struct scope_name name = {
		.name = f->name, .is_bare = true, .is_arg = true, .is_args = true
	};

	if (f->kind == FIELD_PLAIN) {
		const struct type *type = field_type(s, f);

		if (f->names && type->kind == TYPE_INT)
			type = type_named(s->types, type, f->names);
		else if (f->show && type->kind == TYPE_INT)
			type = type_shown(s->types, type, f->show);
		name.value = ctx_field(s, f, type);
	} else {
		name.value = located_field(s, f);
	}
	vec_push(&s->names, name);
	/* bcc's name for the field. */
	if (f->kind != FIELD_PLAIN) {
		name.name = arena_printf(s->arena, "data_loc_%s", f->name);
		name.is_arg = false;
		vec_push(&s->names, name);
	}
}
