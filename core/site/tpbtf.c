// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "site/tpbtf_int.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <bpf/btf.h>

#include "base/view.h"

#define PREFIX	 "trace_event_raw_"
#define DATA_LOC "__data_loc_"
#define REL_LOC	 "__rel_loc_"
#define COMMON	 "common_"

static void PRINTF(2, 0) put(void *out, const char *fmt, va_list ap)
{
	str_vaddf(out, fmt, ap);
}

/* The type without typedefs and qualifiers. */
static const struct btf_type *plain_type(const struct btf *btf, u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t)))
		t = btf__type_by_id(btf, t->type);
	return t;
}

static bool is_signed(const struct btf *btf, u32 id)
{
	const struct btf_type *t = plain_type(btf, id);

	if (t && btf_is_array(t))
		t = plain_type(btf, btf_array(t)->type);
	return t && btf_is_int(t) && btf_int_encoding(t) & BTF_INT_SIGNED;
}

struct fields {
	const struct btf *btf;
	struct btf_dump *dump;
	struct str *out;
};

/* "char prev_comm[16]" */
static void add_declaration(struct fields *f, const char *prefix, const char *name, u32 type)
{
	char whole[160];
	LIBBPF_OPTS(btf_dump_emit_type_decl_opts, opts, .field_name = whole);

	snprintf(whole, sizeof(whole), "%s%s", prefix, name);
	if (view_starts(view_of(name), DATA_LOC))
		str_addf(f->out, "__data_loc char[] %s", name + strlen(DATA_LOC));
	else if (view_starts(view_of(name), REL_LOC))
		str_addf(f->out, "__rel_loc char[] %s", name + strlen(REL_LOC));
	else
		btf_dump__emit_type_decl(f->dump, type, &opts);
}

static void add_fields(struct fields *f, const struct btf_type *record, const char *prefix)
{
	const struct btf_member *m = btf_members(record);

	for (u32 i = 0; i < btf_vlen(record); i++, m++) {
		const char *name = btf__name_by_offset(f->btf, m->name_off);
		s64 size = btf__resolve_size(f->btf, m->type);

		/* The common fields are first; the data of __data_loc fields is last. */
		if (size <= 0 || !name || !*name || m->offset % 8 || !strcmp(name, "ent"))
			continue;
		str_adds(f->out, "\tfield:");
		add_declaration(f, prefix, name, m->type);
		str_addf(f->out, ";\toffset:%u;\tsize:%lld;\tsigned:%d;\n", m->offset / 8,
			 (long long)size, is_signed(f->btf, m->type));
	}
}

bool tp_format_by_btf(const struct btf *btf, const char *event, struct str *out)
{
	struct fields f = { .btf = btf, .out = out };
	char name[160];
	s32 record, entry;

	snprintf(name, sizeof(name), PREFIX "%s", event);
	record = btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT);
	entry = btf__find_by_name_kind(btf, "trace_entry", BTF_KIND_STRUCT);
	f.dump = record > 0 && entry > 0 ? btf_dump__new(btf, put, out, NULL) : NULL;
	if (!f.dump)
		return false;
	str_addf(out, "ID: %u\nformat:\n", UINT32_MAX);
	add_fields(&f, btf__type_by_id(btf, (u32)entry), COMMON);
	str_adds(out, "\n");
	add_fields(&f, btf__type_by_id(btf, (u32)record), "");
	btf_dump__free(f.dump);
	return true;
}
