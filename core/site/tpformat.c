// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "site/tpformat.h"

#include <ctype.h>

#include "base/mem.h"
#include "base/num.h"

#define MAX_FIELDS 128

static struct view trim(struct view v)
{
	while (v.n && isspace((unsigned char)v.p[0])) {
		v.p++;
		v.n--;
	}
	while (v.n && isspace((unsigned char)v.p[v.n - 1]))
		v.n--;
	return v;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* "offset:8" of "\toffset:8;" */
static bool read_number(struct view piece, const char *key, u32 *out)
{
	struct view v = trim(piece);
	u64 n;

	if (!view_starts(v, key))
		return false;
	v.p += strlen(key);
	v.n -= strlen(key);
	if (v.n && v.p[0] == '-') {
		v.p++;
		v.n--;
	}
	if (!num_parse_dec(v, &n) || n > UINT32_MAX)
		return false;
	*out = (u32)n;
	return true;
}

/*
 * "const char * filename", "char comm[16]", "__data_loc char[] name", "__u8 *addr": a declarator's
 * suffix after the name becomes part of the type here.
 */
static bool read_declaration(struct arena *a, struct view text, struct tp_field *f)
{
	struct view type = trim(text), suffix = { "", 0 }, name;
	const char *bracket;

	if (view_starts(type, "__data_loc ") || view_starts(type, "__rel_loc ")) {
		f->loc = type.p[2] == 'd' ? 1 : 2;
		view_split(&type, ' ', &name);
		type = trim(type);
	}
	bracket = type.n && type.p[type.n - 1] == ']' ? memrchr(type.p, '[', type.n) : NULL;
	if (bracket) {
		suffix = (struct view){ bracket, (size_t)(type.p + type.n - bracket) };
		type.n -= suffix.n;
		type = trim(type);
	}
	name = (struct view){ type.p + type.n, 0 };
	while (name.p > type.p && is_word(name.p[-1])) {
		name.p--;
		name.n++;
	}
	type.n -= name.n;
	type = trim(type);
	if (!name.n || !type.n)
		return false;
	f->name = arena_view(a, name);
	f->c_type = arena_printf(a, "%.*s%.*s", (int)type.n, type.p, (int)suffix.n, suffix.p);
	return true;
}

static bool read_field(struct arena *a, struct view line, struct tp_field *f)
{
	struct view piece, declaration;
	u32 is_signed = 0;

	if (!view_split(&line, ';', &declaration) || !view_starts(declaration, "field:"))
		return false;
	declaration.p += 6;
	declaration.n -= 6;
	if (!read_declaration(a, declaration, f))
		return false;
	if (!view_split(&line, ';', &piece) || !read_number(piece, "offset:", &f->offset) ||
	    !view_split(&line, ';', &piece) || !read_number(piece, "size:", &f->size) ||
	    !view_split(&line, ';', &piece) || !read_number(piece, "signed:", &is_signed))
		return false;
	f->is_signed = is_signed;
	return true;
}

bool tp_format_parse(struct arena *a, struct view text, struct tp_format *out)
{
	struct tp_field fields[MAX_FIELDS], common[MAX_FIELDS];
	struct view line, print = { "", 0 };
	u64 id;

	*out = (struct tp_format){ 0 };
	while (view_split(&text, '\n', &line)) {
		struct tp_field f = { 0 };
		struct view v = trim(line);

		if (view_starts(v, "ID: ") && num_parse_dec((struct view){ v.p + 4, v.n - 4 }, &id))
			out->id = (u32)id;
		else if (view_starts(v, "print fmt: "))
			print = v;
		else if (!read_field(a, v, &f))
			continue;
		else if (!strncmp(f.name, "common_", 7) && out->n_common < MAX_FIELDS)
			common[out->n_common++] = f;
		else if (out->n_fields < MAX_FIELDS)
			fields[out->n_fields++] = f;
	}
	out->fields = arena_alloc(a, out->n_fields + 1, sizeof(*out->fields));
	out->common = arena_alloc(a, out->n_common + 1, sizeof(*out->common));
	if (out->n_fields)
		memcpy(out->fields, fields, out->n_fields * sizeof(*out->fields));
	if (out->n_common)
		memcpy(out->common, common, out->n_common * sizeof(*out->common));
	tp_format_name_values(a, print, out);
	return out->id && out->n_common;
}
