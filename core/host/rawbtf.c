// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "host/rawbtf.h"

#include <bpf/btf.h>
#include <linux/btf.h>
#include <string.h>

/* struct btf_header up to str_len.  Headers of Linux 7 declare further members, which BTF need not
 * contain: hdr_len shows whether it does. */
#define HEADER_BYTES (offsetof(struct btf_header, str_len) + sizeof(u32))

/* The smallest type takes 12 bytes.  The kernel's take 24 on average. */
#define LIKELY_TYPE_BYTES 16

/* Documentation/bpf/btf.rst */
static const struct shape {
	bool is_known;
	bool has_rows; /* true: btf_vlen() rows; false: one row, or none if row_bytes is 0 */
	u8 row_bytes;
} shapes[] = {
	[BTF_KIND_INT] = { true, false, sizeof(u32) },
	[BTF_KIND_PTR] = { true, false, 0 },
	[BTF_KIND_ARRAY] = { true, false, sizeof(struct btf_array) },
	[BTF_KIND_STRUCT] = { true, true, sizeof(struct btf_member) },
	[BTF_KIND_UNION] = { true, true, sizeof(struct btf_member) },
	[BTF_KIND_ENUM] = { true, true, sizeof(struct btf_enum) },
	[BTF_KIND_FWD] = { true, false, 0 },
	[BTF_KIND_TYPEDEF] = { true, false, 0 },
	[BTF_KIND_VOLATILE] = { true, false, 0 },
	[BTF_KIND_CONST] = { true, false, 0 },
	[BTF_KIND_RESTRICT] = { true, false, 0 },
	[BTF_KIND_FUNC] = { true, false, 0 },
	[BTF_KIND_FUNC_PROTO] = { true, true, sizeof(struct btf_param) },
	[BTF_KIND_VAR] = { true, false, sizeof(struct btf_var) },
	[BTF_KIND_DATASEC] = { true, true, sizeof(struct btf_var_secinfo) },
	[BTF_KIND_FLOAT] = { true, false, 0 },
	[BTF_KIND_DECL_TAG] = { true, false, sizeof(struct btf_decl_tag) },
	[BTF_KIND_TYPE_TAG] = { true, false, 0 },
	[BTF_KIND_ENUM64] = { true, true, sizeof(struct btf_enum64) },
};

/* ---- index ---- */

static bool is_within(u64 off, u64 n, u64 size)
{
	return off <= size && n <= size - off;
}

static bool find_sections(struct rawbtf *b, const u8 *data, size_t n_bytes)
{
	struct btf_header h;
	u64 body;

	if (n_bytes < HEADER_BYTES)
		return false;
	memcpy(&h, data, HEADER_BYTES);
	if (h.magic != BTF_MAGIC || h.version != BTF_VERSION || h.hdr_len < HEADER_BYTES ||
	    h.hdr_len > n_bytes || h.hdr_len % sizeof(u32) || h.type_off % sizeof(u32))
		return false;
	body = n_bytes - h.hdr_len;
	if (!is_within(h.type_off, h.type_len, body) || !is_within(h.str_off, h.str_len, body))
		return false;
	b->types = data + h.hdr_len + h.type_off;
	b->types_bytes = h.type_len;
	b->names = (const char *)data + h.hdr_len + h.str_off;
	b->names_bytes = h.str_len;
	return b->names_bytes && !b->names[0] && !b->names[b->names_bytes - 1];
}

/* The bytes of the type at `at`; 0: it is of an unknown kind, or reaches beyond the section. */
static u64 bytes_at(const struct rawbtf *b, u64 at)
{
	const struct btf_type *t = (const struct btf_type *)(b->types + at);
	struct rawbtf_rows rows;
	u64 n;

	if (!is_within(at, sizeof(*t), b->types_bytes) || btf_kind(t) >= ARRAY_SIZE(shapes) ||
	    !shapes[btf_kind(t)].is_known)
		return 0;
	rows = rawbtf_rows(t);
	n = sizeof(*t) + (u64)rows.n * rows.bytes_each;
	return is_within(at, n, b->types_bytes) ? n : 0;
}

bool rawbtf_index(struct rawbtf *b, const void *data, size_t n_bytes)
{
	u64 n = 0;

	if (!find_sections(b, data, n_bytes))
		goto broken;
	vec_reserve(&b->begins, b->types_bytes / LIKELY_TYPE_BYTES + 1);
	vec_push(&b->begins, 0);
	for (u64 at = 0; at < b->types_bytes; at += n) {
		n = bytes_at(b, at);
		if (!n)
			goto broken;
		vec_push(&b->begins, (u32)at);
	}
	return true;
broken:
	rawbtf_release(b);
	return false;
}

void rawbtf_release(struct rawbtf *b)
{
	vec_release(&b->begins);
	*b = (struct rawbtf){ 0 };
}

/* ---- types ---- */

u32 rawbtf_count(const struct rawbtf *b)
{
	return (u32)b->begins.n;
}

const struct btf_type *rawbtf_type(const struct rawbtf *b, u32 id)
{
	return id && id < b->begins.n ? (const struct btf_type *)(b->types + b->begins.items[id])
				      : NULL;
}

struct rawbtf_rows rawbtf_rows(const struct btf_type *t)
{
	const struct shape *s = &shapes[btf_kind(t)];

	return (struct rawbtf_rows){
		.items = (const u8 *)(t + 1),
		.n = s->has_rows ? btf_vlen(t) : s->row_bytes != 0,
		.bytes_each = s->row_bytes,
	};
}

const char *rawbtf_name(const struct rawbtf *b, u32 offset)
{
	return offset < b->names_bytes ? b->names + offset : "";
}

u32 rawbtf_find(const struct rawbtf *b, const char *name, u32 kind)
{
	for (u32 id = 1; id < b->begins.n; id++) {
		const struct btf_type *t = rawbtf_type(b, id);

		if (btf_kind(t) == kind && !strcmp(rawbtf_name(b, t->name_off), name))
			return id;
	}
	return 0;
}
