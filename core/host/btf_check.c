// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "host/btf_check.h"

#include <bpf/btf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* The kernel's names have at most 511 bytes (KSYM_NAME_LEN). */
#define MAX_NAME_BYTES 4095
/* Nesting of types without a pointer between them; some twenty levels in the kernel, including
 * typedefs and qualifiers. */
#define MAX_DEPTH      64
/* Members of a struct, including those of nested structs.  BTF allows 65,535 in one struct; structs
 * that contain each other twice, 64 levels deep, would have too many to walk. */
#define MAX_MEMBERS    131072

/* struct btf_header up to str_len.  Headers of Linux 7 declare further members, which a file need
 * not contain: hdr_len shows whether it does. */
#define HEADER_BYTES (offsetof(struct btf_header, str_len) + sizeof(u32))

/* ---- sections ---- */

struct sections {
	const u8 *types;
	u32 n_types; /* bytes */
	const char *names;
	u32 n_names; /* bytes */
};

static bool is_within(u64 off, u64 n, u64 size)
{
	return off <= size && n <= size - off;
}

static bool find_sections(struct view v, struct sections *out)
{
	struct btf_header h;
	u64 body;

	if (v.n < HEADER_BYTES)
		return false;
	memcpy(&h, v.p, HEADER_BYTES);
	if (h.magic != BTF_MAGIC || h.version != BTF_VERSION || h.hdr_len < HEADER_BYTES ||
	    h.hdr_len > v.n || h.hdr_len % sizeof(u32) || h.type_off % sizeof(u32))
		return false;
	body = v.n - h.hdr_len;
	if (!is_within(h.type_off, h.type_len, body) || !is_within(h.str_off, h.str_len, body))
		return false;
	*out = (struct sections){ (const u8 *)v.p + h.hdr_len + h.type_off, h.type_len,
				  v.p + h.hdr_len + h.str_off, h.str_len };
	return true;
}

/* The first name is empty, all names are terminated, and none is so long that comparing it is
 * slow. */
static bool names_are_sound(const struct sections *s)
{
	u32 length = 0;

	if (!s->n_names || s->names[0] || s->names[s->n_names - 1])
		return false;
	for (u32 i = 0; i < s->n_names; i++) {
		length = s->names[i] ? length + 1 : 0;
		if (length > MAX_NAME_BYTES)
			return false;
	}
	return true;
}

/* ---- types ---- */

/* The data after each struct btf_type: rows of row_bytes. */
static const struct kind {
	bool is_known;
	bool has_rows; /* true: btf_vlen() rows; false: one row, or none if row_bytes is 0 */
	u8 row_bytes;
	int type_at, name_at; /* offsets in a row; -1: none */
	bool has_type;	      /* btf_type.type is a type id, not a size */
	bool holds_types;     /* by value: the types of its rows, or btf_type.type */
} kinds[] = {
	[BTF_KIND_INT] = { true, false, sizeof(u32), -1, -1, false, false },
	[BTF_KIND_PTR] = { true, false, 0, -1, -1, true, false },
	[BTF_KIND_ARRAY] = { true, false, sizeof(struct btf_array), 0, -1, false, true },
	[BTF_KIND_STRUCT] = { true, true, sizeof(struct btf_member), 4, 0, false, true },
	[BTF_KIND_UNION] = { true, true, sizeof(struct btf_member), 4, 0, false, true },
	[BTF_KIND_ENUM] = { true, true, sizeof(struct btf_enum), -1, 0, false, false },
	[BTF_KIND_FWD] = { true, false, 0, -1, -1, false, false },
	[BTF_KIND_TYPEDEF] = { true, false, 0, -1, -1, true, true },
	[BTF_KIND_VOLATILE] = { true, false, 0, -1, -1, true, true },
	[BTF_KIND_CONST] = { true, false, 0, -1, -1, true, true },
	[BTF_KIND_RESTRICT] = { true, false, 0, -1, -1, true, true },
	[BTF_KIND_FUNC] = { true, false, 0, -1, -1, true, false },
	[BTF_KIND_FUNC_PROTO] = { true, true, sizeof(struct btf_param), 4, 0, true, false },
	[BTF_KIND_VAR] = { true, false, sizeof(struct btf_var), -1, -1, true, false },
	[BTF_KIND_DATASEC] = { true, true, sizeof(struct btf_var_secinfo), 0, -1, false, false },
	[BTF_KIND_FLOAT] = { true, false, 0, -1, -1, false, false },
	[BTF_KIND_DECL_TAG] = { true, false, sizeof(struct btf_decl_tag), -1, -1, true, false },
	[BTF_KIND_TYPE_TAG] = { true, false, 0, -1, -1, true, true },
	[BTF_KIND_ENUM64] = { true, true, sizeof(struct btf_enum64), -1, 0, false, false },
};

struct btf_type_info {
	const struct kind *kind;
	struct btf_type head;
	const u8 *rows;
	u32 n_rows;
};

struct found {
	u32 at;	       /* offset in the section */
	u32 n_members; /* including those of nested types; 0: not counted yet */
};

struct btf_type_table {
	const struct sections *in;
	VEC(struct found) list; /* by type id; the first is void */
};

/* false: the kind is unknown, or the type extends beyond the section. */
static bool read_type(const struct sections *s, u64 at, struct btf_type_info *t)
{
	if (!is_within(at, sizeof(t->head), s->n_types))
		return false;
	memcpy(&t->head, s->types + at, sizeof(t->head));
	if (btf_kind(&t->head) >= ARRAY_SIZE(kinds))
		return false;
	t->kind = &kinds[btf_kind(&t->head)];
	t->rows = s->types + at + sizeof(t->head);
	t->n_rows = t->kind->has_rows ? btf_vlen(&t->head) : t->kind->row_bytes != 0;
	return t->kind->is_known &&
	       is_within(at + sizeof(t->head), (u64)t->n_rows * t->kind->row_bytes, s->n_types);
}

static bool find_types(struct btf_type_table *all)
{
	struct btf_type_info t;

	vec_push(&all->list, (struct found){ .n_members = 1 });
	for (u64 at = 0; at < all->in->n_types;) {
		if (!read_type(all->in, at, &t))
			return false;
		vec_push(&all->list, (struct found){ .at = (u32)at });
		at += sizeof(t.head) + (u64)t.n_rows * t.kind->row_bytes;
	}
	return true;
}

static u32 word_at(const struct btf_type_info *t, u32 row, int at)
{
	u32 word = 0;

	if (at >= 0)
		memcpy(&word, t->rows + (u64)row * t->kind->row_bytes + at, sizeof(word));
	return word;
}

/* true if all types and names that it refers to exist. */
static bool type_is_whole(const struct btf_type_table *all, u32 id)
{
	u32 n_names = all->in->n_names;
	struct btf_type_info t;

	if (!read_type(all->in, all->list.items[id].at, &t) || t.head.name_off >= n_names ||
	    (t.kind->has_type && t.head.type >= all->list.n))
		return false;
	for (u32 i = 0; i < t.n_rows; i++)
		if (word_at(&t, i, t.kind->type_at) >= all->list.n ||
		    word_at(&t, i, t.kind->name_at) >= n_names)
			return false;
	return true;
}

/* ---- nesting ---- */

#define COUNTING UINT32_MAX

/* Call it after type_is_whole() for all types.  false: the type contains itself, or has too many
 * members to walk. */
static bool count_members(struct btf_type_table *all, u32 id, u32 depth)
{
	u32 *n_members = &all->list.items[id].n_members;
	struct btf_type_info t;
	u64 n = 1;

	if (*n_members)
		return *n_members != COUNTING;
	if (depth > MAX_DEPTH || !read_type(all->in, all->list.items[id].at, &t))
		return false;
	*n_members = COUNTING;
	for (u32 i = 0; t.kind->holds_types && i < (t.kind->has_type ? 1 : t.n_rows); i++) {
		u32 in = t.kind->has_type ? t.head.type : word_at(&t, i, t.kind->type_at);

		if (!count_members(all, in, depth + 1))
			return false;
		n += all->list.items[in].n_members;
	}
	if (n > MAX_MEMBERS)
		return false;
	*n_members = (u32)n;
	return true;
}

static bool types_are_sound(struct btf_type_table *all)
{
	if (!find_types(all))
		return false;
	for (u32 id = 1; id < all->list.n; id++)
		if (!type_is_whole(all, id))
			return false;
	for (u32 id = 1; id < all->list.n; id++)
		if (!count_members(all, id, 0))
			return false;
	return true;
}

bool btf_is_sound(struct view bytes)
{
	struct sections s;
	struct btf_type_table all = { .in = &s };
	bool is_sound;

	if (!find_sections(bytes, &s) || !names_are_sound(&s))
		return false;
	is_sound = types_are_sound(&all);
	vec_release(&all.list);
	return is_sound;
}
