// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Expressions, types and signatures of arbitrary bytes, checked in scopes of every kind.  The first
 * byte chooses the scope and the use of the value; each refusal has an error with a position.
 * seeds: tests/fixtures/expr/seed* */
#include <bpf/btf.h>

#include "tests/fuzz/fuzz.h"

#include "expr/check.h"
#include "expr/dump.h"
#include "syntax/parse.h"

/* Without it, the built-in structs are all the types there are. */
static struct btf *kernel_types(void)
{
	static const char *const files[] = { "build/san/tests/btf/kernel.o",
					     "build/tests/btf/kernel.o" };
	static struct btf *btf;

	for (size_t i = 0; !btf && i < ARRAY_SIZE(files); i++)
		btf = btf__parse_elf(files[i], NULL);
	if (!btf)
		btf = btf__new_empty();
	return btf;
}

static void must_point(const struct text *t, int ret, const struct err *err)
{
	if (!ret)
		return;
	if (ret != -err->code || !err->what[0] ||
	    (span_trim(t, span_all(t)).n && !err->text[0] && err->width))
		abort();
	if (err->caret > strlen(err->text))
		abort();
}

static void add_function(struct scope *s, const struct btf *btf, const char *name)
{
	struct err err = { 0 };
	s32 id = btf__find_by_name_kind(btf, name, BTF_KIND_FUNC);

	scope_args(s, 6);
	if (id > 0 && scope_btf_func(s, btf, (u32)id, 0, &err))
		abort();
}

static void add_fields(struct scope *s)
{
	const struct scope_field fields[] = {
		{ "sector", "sector_t", FIELD_PLAIN, 8, 8, false, NULL, 0 },
		{ "comm", "char[16]", FIELD_PLAIN, 16, 16, false, NULL, 0 },
		{ "name", "__data_loc char[]", FIELD_DATA_LOC, 32, 4, false, NULL, 0 },
		{ "odd", "int", FIELD_PLAIN, 37, 4, true, NULL, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		scope_field(s, &fields[i]);
}

static void check_in(u8 how, const struct text *t, struct text_range where, struct scope *s)
{
	const struct check_opts opts = { .binary_compare = how & 0x80 };
	const struct tree *tree;
	struct str out = { 0 };
	struct err err = { 0 };
	int ret = expr_compile(t, where, s, (enum check_as)(how >> 3 & 3), &opts, &tree, &err);

	must_point(t, ret, &err);
	if (!ret)
		dump_tree(tree, &out);
	str_release(&out);
}

static void check(u8 how, const struct text *t, struct text_range where, struct arena *a)
{
	static const enum scope_ctx contexts[] = { SCOPE_REGS, SCOPE_REGS_INNER, SCOPE_WORDS,
						   SCOPE_RECORD };
	bool is_return = how & 4;
	struct scope s, entry;
	struct types types;

	types_init(&types, a, 81);
	types_add_btf(&types, kernel_types());
	scope_init(&entry, &types, contexts[how & 3], SIDE_ENTRY, "p:fuzz:entry");
	scope_init(&s, &types, contexts[how & 3], is_return ? SIDE_RETURN : SIDE_ENTRY,
		   "p:fuzz:er");
	s.space = entry.space = (enum space)(SPACE_KERNEL + (how >> 5 & 1));
	if (s.ctx == SCOPE_RECORD) {
		add_fields(&s);
	} else {
		add_function(&s, kernel_types(), "vfs_open");
		add_function(&entry, kernel_types(), "tcp_sendmsg");
	}
	if (is_return)
		s.entry = &entry;
	check_in(how, t, where, &s);
	scope_release(&s);
	scope_release(&entry);
	types_release(&types);
}

static void sign(const struct text *t, struct text_range where, struct arena *a)
{
	struct ast_signature sig;
	struct ast_type **list;
	struct types types;
	struct scope s;
	struct err err = { 0 };
	int ret;
	u32 n;

	types_init(&types, a, 81);
	types_add_btf(&types, kernel_types());
	scope_init(&s, &types, SCOPE_REGS, SIDE_ENTRY, "p:fuzz:entry");
	ret = parse_signature(a, t, where, &sig, &err) ?: scope_signature(&s, t, &sig, &err);
	must_point(t, ret, &err);
	err_clear(&err);
	must_point(t, parse_types(a, t, where, &list, &n, &err), &err);
	scope_release(&s);
	types_release(&types);
}

int fuzz_input(const u8 *data, size_t size)
{
	struct arena arena = { 0 };
	struct text_range where;
	struct text t;
	char *copy;

	if (size < 2 || size > 4096)
		return 0;
	copy = mem_alloc(size, 1);
	memcpy(copy, data + 1, size - 1);
	t = (struct text){ copy, (u32)size - 1 };
	where = span_all(&t);
	if ((data[0] & 0xc0) == 0x40)
		sign(&t, where, &arena);
	else
		check(data[0], &t, where, &arena);
	arena_release(&arena);
	free(copy);
	return 0;
}
