// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "host/btf_check.h"

#include <bpf/btf.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "host/rawbtf.h"

/* The kernel's names have at most 511 bytes (KSYM_NAME_LEN). */
#define MAX_NAME_BYTES 4095
/* Nesting of types without a pointer between them; some twenty levels in the kernel, including
 * typedefs and qualifiers. */
#define MAX_DEPTH      64
/* Members of a struct, including those of nested structs.  BTF allows 65,535 in one struct; structs
 * that contain each other twice, 64 levels deep, would have too many to walk. */
#define MAX_MEMBERS    131072

/* True if no name is so long that comparing it is slow. */
static bool names_are_sound(const struct rawbtf *b)
{
	u32 length = 0;

	for (u32 i = 0; i < b->names_bytes; i++) {
		length = b->names[i] ? length + 1 : 0;
		if (length > MAX_NAME_BYTES)
			return false;
	}
	return true;
}

/* ---- types ---- */

/* The types and names to which a type and the rows after it refer. */
static const struct kind {
	int type_at, name_at; /* offsets in a row; -1: none */
	bool has_type;	      /* btf_type.type is a type id, not a size */
	bool holds_types;     /* by value: the types of its rows, or btf_type.type */
} kinds[] = {
	[BTF_KIND_INT] = { -1, -1, false, false },     [BTF_KIND_PTR] = { -1, -1, true, false },
	[BTF_KIND_ARRAY] = { 0, -1, false, true },     [BTF_KIND_STRUCT] = { 4, 0, false, true },
	[BTF_KIND_UNION] = { 4, 0, false, true },      [BTF_KIND_ENUM] = { -1, 0, false, false },
	[BTF_KIND_FWD] = { -1, -1, false, false },     [BTF_KIND_TYPEDEF] = { -1, -1, true, true },
	[BTF_KIND_VOLATILE] = { -1, -1, true, true },  [BTF_KIND_CONST] = { -1, -1, true, true },
	[BTF_KIND_RESTRICT] = { -1, -1, true, true },  [BTF_KIND_FUNC] = { -1, -1, true, false },
	[BTF_KIND_FUNC_PROTO] = { 4, 0, true, false }, [BTF_KIND_VAR] = { -1, -1, true, false },
	[BTF_KIND_DATASEC] = { 0, -1, false, false },  [BTF_KIND_FLOAT] = { -1, -1, false, false },
	[BTF_KIND_DECL_TAG] = { -1, -1, true, false }, [BTF_KIND_TYPE_TAG] = { -1, -1, true, true },
	[BTF_KIND_ENUM64] = { -1, 0, false, false },
};

struct btf_type_table {
	struct rawbtf raw;
	u32 *n_members; /* by type id, including those of nested types; 0: not counted yet */
};

static const struct kind *kind_of(const struct btf_type *t)
{
	return &kinds[btf_kind(t)];
}

static u32 word_at(const struct rawbtf_rows *rows, u32 row, int at)
{
	u32 word = 0;

	if (at >= 0)
		memcpy(&word, rows->items + (u64)row * rows->bytes_each + at, sizeof(word));
	return word;
}

/* true if all types and names that it refers to exist. */
static bool type_is_whole(const struct rawbtf *b, u32 id)
{
	const struct btf_type *t = rawbtf_type(b, id);
	const struct rawbtf_rows rows = rawbtf_rows(t);
	const struct kind *kind = kind_of(t);

	if (t->name_off >= b->names_bytes || (kind->has_type && t->type >= rawbtf_count(b)))
		return false;
	for (u32 i = 0; i < rows.n; i++)
		if (word_at(&rows, i, kind->type_at) >= rawbtf_count(b) ||
		    word_at(&rows, i, kind->name_at) >= b->names_bytes)
			return false;
	return true;
}

/* ---- nesting ---- */

#define COUNTING UINT32_MAX

/* Call it after type_is_whole() for all types.  false: the type contains itself, or has too many
 * members to walk. */
static bool count_members(struct btf_type_table *all, u32 id, u32 depth)
{
	const struct btf_type *t = rawbtf_type(&all->raw, id);
	u32 *n_members = &all->n_members[id];
	struct rawbtf_rows rows;
	u64 n = 1;

	if (*n_members)
		return *n_members != COUNTING;
	if (depth > MAX_DEPTH)
		return false;
	*n_members = COUNTING;
	rows = rawbtf_rows(t);
	for (u32 i = 0; kind_of(t)->holds_types && i < (kind_of(t)->has_type ? 1 : rows.n); i++) {
		u32 in = kind_of(t)->has_type ? t->type : word_at(&rows, i, kind_of(t)->type_at);

		if (!count_members(all, in, depth + 1))
			return false;
		n += all->n_members[in];
	}
	if (n > MAX_MEMBERS)
		return false;
	*n_members = (u32)n;
	return true;
}

static bool types_are_sound(struct btf_type_table *all)
{
	u32 n = rawbtf_count(&all->raw);

	for (u32 id = 1; id < n; id++)
		if (!type_is_whole(&all->raw, id))
			return false;
	all->n_members = mem_alloc(n, sizeof(*all->n_members));
	all->n_members[0] = 1;
	for (u32 id = 1; id < n; id++)
		if (!count_members(all, id, 0))
			return false;
	return true;
}

bool btf_is_sound(struct view bytes)
{
	struct btf_type_table all = { 0 };
	bool is_sound = rawbtf_index(&all.raw, bytes.p, bytes.n) && names_are_sound(&all.raw) &&
			types_are_sound(&all);

	rawbtf_release(&all.raw);
	free(all.n_members);
	return is_sound;
}
