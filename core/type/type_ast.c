// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Turns the types that the user wrote into struct type. */
#include "syntax/parse.h"
#include "type/lookup.h"

/* An unknown type that is only pointed to: a struct or union without a size, or void. */
static const struct type *opaque(struct types *t, const char *name, enum space space)
{
	struct type *new;

	if (strncmp(name, "struct ", 7) != 0 && strncmp(name, "union ", 6) != 0)
		return type_by_name(t, "void", space);
	new = arena_new(t->arena, struct type);
	new->kind = *name == 's' ? TYPE_STRUCT : TYPE_UNION;
	new->name = name;
	return new;
}

static const struct type *base_of(struct types *t, const struct ast_type *a, enum space space,
				  const char **unknown)
{
	const struct type *base;

	if (a->is_func)
		return type_pointer(t, type_by_name(t, "void", space), SPACE_EITHER);
	base = a->base ? type_by_name(t, a->base, space) : NULL;
	if (base)
		return base;
	if (a->n_pointers)
		return a->base ? opaque(t, a->base, space) : type_by_name(t, "void", space);
	*unknown = a->base ? a->base : "";
	return NULL;
}

const struct type *type_of_ast(struct types *t, const struct ast_type *a, enum space space,
			       const char **unknown)
{
	const struct type *type = base_of(t, a, a->user_at ? SPACE_USER : space, unknown);
	struct type *pointer;

	if (!type)
		return NULL;
	for (u32 i = 0; i < a->n_pointers; i++) {
		pointer = type_copy(
			t, type_pointer(t, type, a->user_at == i + 1 ? SPACE_USER : space));
		pointer->is_const = !i && a->is_const;
		type = pointer;
	}
	for (u32 i = a->n_dims; i-- > 0;)
		type = type_array(t, type, (u32)a->dims[i]);
	return type;
}

const struct type *type_of_text(struct types *t, const char *text, enum space space)
{
	struct text words = text_of(text);
	struct err ignored = { 0 };
	struct ast_type *a;
	const char *unknown;

	if (parse_type(t->arena, &words, span_all(&words), &a, &ignored))
		return NULL;
	return type_of_ast(t, a, space, &unknown);
}
