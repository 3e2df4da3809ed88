/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the files about types and by the checker; others use type/type.h. */
#ifndef TYPE_LOOKUP_H
#define TYPE_LOOKUP_H

#include "base/suggest.h"
#include "type/type.h"

/* A copy in the arena, which the caller may change until it is used. */
struct type *type_copy(struct types *t, const struct type *of);

/* A typedef that needs no BTF ("u32", "size_t"), or NULL. */
const struct type *type_known(struct types *t, const char *name);

/* "struct sock", "union x", "enum y", or a typedef, in the BTFs and the built-in user structs (the
 * latter first if space is SPACE_USER). */
const struct type *type_btf_named(struct types *t, const char *name, enum space space);

/* A member of a struct or union, through anonymous ones.  A bit-field's type is its whole integer;
 * bit_offset counts from the least significant bit of the `type->size` bytes at `offset`, and may
 * lie beyond them (packed structs): up to bit 64 + 7 from `offset`. */
struct type_member {
	const char *name;
	const struct type *type;
	u32 offset, bit_offset, bit_size;
};

/* Members' pointers point into `space` unless tagged. */
bool type_find_member(struct types *t, const struct type *in, const char *name, enum space space,
		      struct type_member *out);

/* Offer all names that type_find_member() would find, to suggest the nearest. */
void type_offer_members(const struct type *in, struct nearest *near);

/* Lists the first `max` members, separated by commas, and "..." if there are more. */
struct str;
void type_list_members(const struct type *in, u32 max, struct str *out);

/* Find an enumerator by name in any enumeration of the BTFs.  Returns its type, or NULL. */
const struct type *type_enumerator(struct types *t, const char *name, u64 *value);

/* Offer the enumerators of all enumerations. */
void type_offer_enumerators(struct types *t, struct nearest *near);

/* The known type nearest to an unknown name, with its tag, or NULL.  is_user: the site is in a
 * process, so kernel types are not suggested. */
const char *type_nearest(struct types *t, const char *name, bool is_user);

/* The built-in user-space structs as BTF (userstructs.c). */
const struct btf *type_own_btf(struct types *t);

/* The type for C text: "unsigned int", "const char *", "char[16]".  NULL: unknown. */
struct ast_type;
const struct type *type_of_text(struct types *t, const char *text, enum space space);

/* The type that the user wrote.  NULL: unknown, and `unknown` is set to the name.  An unknown type
 * that is only pointed to becomes an opaque struct or void. */
const struct type *type_of_ast(struct types *t, const struct ast_type *a, enum space space,
			       const char **unknown);

#endif
