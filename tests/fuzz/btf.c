// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The types in a program's BTF, from any bytes: BTF that is found sound can be read, by libbpf and
 * by bperf, as parameters, members and names. */
#include <bpf/btf.h>

#include "tests/fuzz/fuzz.h"

#include "base/str.h"
#include "host/btf_check.h"
#include "type/lookup.h"
#include "type/scope.h"

#define MAX_IDS 64 /* looked at */

static void ask_members(struct types *types, const struct type *in)
{
	static const char *const names[] = { "a", "b", "x" };
	struct nearest near = { .word = "word" };
	struct type_member m;
	struct str list = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (type_find_member(types, in, names[i], SPACE_USER, &m))
			must(m.type && !strcmp(m.name, names[i]));
	type_offer_members(in, &near);
	type_list_members(in, 8, &list);
	must(list.n <= 9 * 4096);
	str_release(&list);
}

static void ask_function(struct types *types, const struct btf *btf, u32 id)
{
	struct err err = { 0 };
	struct scope s;

	scope_init(&s, types, SCOPE_REGS, SIDE_ENTRY, "p:fuzz:entry");
	s.space = SPACE_USER;
	scope_args(&s, 6);
	must(!scope_btf_func(&s, btf, id, 0, &err) == !err.code);
	scope_release(&s);
}

static void ask(struct types *types, const struct btf *btf)
{
	u32 n = btf__type_cnt(btf);
	char text[128];
	u64 value;

	for (u32 id = 1; id < n && id < MAX_IDS; id++) {
		const struct type *t = type_of_btf(types, btf, id, SPACE_USER);

		if (btf_is_func(btf__type_by_id(btf, id)))
			ask_function(types, btf, id);
		if (!t)
			continue;
		must(type_text(t, text, sizeof(text)) == text && strlen(text) < sizeof(text));
		if (t->kind == TYPE_STRUCT || t->kind == TYPE_UNION)
			ask_members(types, t);
	}
	type_by_name(types, "struct thing", SPACE_USER);
	type_nearest(types, "struct thin", true);
	type_enumerator(types, "first", &value);
}

int fuzz_input(const u8 *data, size_t size)
{
	struct arena arena = { 0 };
	struct types types;
	struct btf *btf;

	if (!btf_is_sound((struct view){ (const char *)data, size }))
		return 0;
	btf = btf__new(data, (u32)size);
	if (!btf) /* libbpf wants the sections in order */
		return 0;
	types_init(&types, &arena, 81);
	types_add_btf(&types, btf);
	types_set_user_btf(&types, btf);
	ask(&types, btf);
	types_release(&types);
	arena_release(&arena);
	btf__free(btf);
	return 0;
}
