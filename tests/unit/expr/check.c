// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Expressions as text, and what they become: tests/expr/NAME.test, read line by line.
 *
 *	# a comment
 *	@ SCOPE      a site, see scopes[] below; signatures are in parentheses
 *	EXPRESSION   or "as string: EXPRESSION" (predicate, scalar, address, ast)
 *	= TREE       what dump_tree prints; "= saved N TREE" for what an entry keeps
 *	! MESSAGE    or the error, as it is printed
 *
 * `build/tests/unit/expr/check --update` writes the = and ! lines anew; read the difference.
 * The types are those of tests/fixtures/btf/kernel.c.
 */
#include "expr/check.h"
#include "base/file.h"
#include "expr/dump.h"
#include "fixturebtf.h"
#include "syntax/parse.h"
#include "test.h"

#define DIR_NAME "tests/expr"

static bool is_update;

struct site {
	struct arena arena;
	struct types types;
	struct scope scope, entry;
	struct btf *btf;
	struct text text; /* source of the scope's line */
	char *line;
};

/* ---- sites ---- */

static void add_func(struct site *s, struct scope *scope, const char *name, u32 n_args)
{
	struct err err = { 0 };
	s32 id = btf__find_by_name_kind(s->btf, name, BTF_KIND_FUNC);

	if (scope->ctx == SCOPE_WORDS && scope->side == SIDE_RETURN && id > 0)
		scope_hide_words(scope, s->btf, (u32)id, 0);
	scope_args(scope, n_args);
	if (!*name)
		return;
	CHECK(id > 0);
	CHECK(!scope_btf_func(scope, s->btf, (u32)id, 0, &err));
}

static void kernel_entry(struct site *s, const char *name)
{
	scope_init(&s->scope, &s->types, SCOPE_REGS, SIDE_ENTRY, "k:func");
	s->scope.space = SPACE_EITHER;
	add_func(s, &s->scope, name, 0);
}

static void kernel_return(struct site *s, const char *name)
{
	scope_init(&s->scope, &s->types, SCOPE_REGS, SIDE_RETURN, "r:func");
	scope_init(&s->entry, &s->types, SCOPE_REGS, SIDE_ENTRY, "k:func");
	s->scope.space = s->entry.space = SPACE_EITHER;
	add_func(s, &s->scope, name, 0);
	add_func(s, &s->entry, name, 0);
	s->scope.entry = &s->entry;
}

static void kernel_exit(struct site *s, const char *name)
{
	scope_init(&s->scope, &s->types, SCOPE_WORDS, SIDE_RETURN, "f:func");
	s->scope.space = SPACE_EITHER;
	add_func(s, &s->scope, name, 3);
}

static void raw(struct site *s, const char *name)
{
	scope_init(&s->scope, &s->types, SCOPE_WORDS, SIDE_EVENT, "raw:event");
	add_func(s, &s->scope, name, 3);
}

static void user_entry(struct site *s, const char *name)
{
	(void)name;
	scope_init(&s->scope, &s->types, SCOPE_REGS, SIDE_ENTRY, "p:lib:func");
	s->scope.space = SPACE_USER;
	s->scope.is_user = true;
	scope_args(&s->scope, 6);
}

static void user_return(struct site *s, const char *name)
{
	(void)name;
	scope_init(&s->scope, &s->types, SCOPE_REGS, SIDE_RETURN, "r:lib:func");
	scope_init(&s->entry, &s->types, SCOPE_REGS, SIDE_ENTRY, "p:lib:func");
	s->scope.space = s->entry.space = SPACE_USER;
	s->scope.is_user = s->entry.is_user = true;
	scope_args(&s->scope, 6);
	scope_args(&s->entry, 6);
	s->scope.entry = &s->entry;
}

static void wrapper(struct site *s, const char *name)
{
	struct err err = { 0 };

	(void)name;
	scope_init(&s->scope, &s->types, SCOPE_REGS_INNER, SIDE_ENTRY, "syscall:openat");
	s->scope.space = SPACE_USER;
	scope_args(&s->scope, 6);
	scope_param(&s->scope, 0, "int", "dfd", &err);
	scope_param(&s->scope, 1, "const char *", "filename", &err);
	scope_param(&s->scope, 2, "umode_t", "mode", &err);
	CHECK(!err.code);
}

static void tracepoint(struct site *s, const char *name)
{
	static const struct type_name names[] = { { 1, "READ" }, { 2, "WRITE" } };
	static const struct type_names op_names = { .items = names, .n = 2 };
	const struct scope_field fields[] = {
		{ "nr_sector", "unsigned int", FIELD_PLAIN, 24, 4, false, NULL, 0 },
		{ "comm", "char[16]", FIELD_PLAIN, 28, 16, false, NULL, 0 },
		{ "dev", "dev_t", FIELD_PLAIN, 8, 4, false, NULL, 0 },
		{ "name", "__data_loc char[]", FIELD_DATA_LOC, 44, 4, false, NULL, 0 },
		{ "rel", "__rel_loc char[]", FIELD_REL_LOC, 48, 4, false, NULL, 0 },
		{ "mac", "u8[6]", FIELD_PLAIN, 52, 6, false, NULL, 0 },
		{ "op", "int", FIELD_PLAIN, 60, 4, true, &op_names, 0 },
		{ "odd", "weird_t", FIELD_PLAIN, 66, 4, true, NULL, 0 },
		{ "skaddr", "const void *", FIELD_PLAIN, 72, 8, false, NULL, 0 },
		{ "mask", "__data_loc u32[]", FIELD_DATA_LOC, 80, 4, false, NULL, 0 },
	};

	(void)name;
	scope_init(&s->scope, &s->types, SCOPE_RECORD, SIDE_EVENT, "t:cat:event");
	if (strchr(s->text.p, '('))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		scope_field(&s->scope, &fields[i]);
}

static void usdt(struct site *s, const char *name)
{
	const struct scope_operand operands[] = {
		{ .kind = OPERAND_REG, .size = 4, .is_signed = true, .reg_offset = 80 },
		{ .kind = OPERAND_CONST, .size = 4, .is_signed = true, .value = -5 },
		{ .kind = OPERAND_MEMORY,
		  .size = 8,
		  .value = -16,
		  .reg_offset = 32,
		  .has_index = true,
		  .index_offset = 88,
		  .scale = 8 },
		{ .kind = OPERAND_NONE },
		{ .kind = OPERAND_REG, .size = 1, .reg_offset = 80, .reg_shift = 8 },
	};

	(void)name;
	scope_init(&s->scope, &s->types, SCOPE_REGS, SIDE_EVENT, "u:lib:probe");
	s->scope.space = SPACE_USER;
	s->scope.is_user = true;
	for (u32 i = 0; i < ARRAY_SIZE(operands); i++)
		scope_operand(&s->scope, i, &operands[i]);
}

static void sample(struct site *s, const char *name)
{
	(void)name;
	scope_init(&s->scope, &s->types, SCOPE_NOTHING, SIDE_EVENT, "e:cpu-clock");
	s->scope.has_period = true;
}

static void alias(struct site *s, const char *name)
{
	kernel_entry(s, name);
	scope_alias(&s->scope, "filename", "name");
	scope_alias(&s->scope, "flags", "file->f_flags & 3");
}

static const struct {
	const char *name;
	void (*make)(struct site *s, const char *func);
} scopes[] = {
	{ "kernel", kernel_entry }, { "kernel-return", kernel_return },
	{ "fexit", kernel_exit },   { "raw", raw },
	{ "user", user_entry },	    { "user-return", user_return },
	{ "wrapper", wrapper },	    { "tracepoint", tracepoint },
	{ "usdt", usdt },	    { "sample", sample },
	{ "alias", alias },
};

/* Fields of a tracepoint, one word after the other. */
static void add_fields(struct site *s, const struct ast_signature *sig)
{
	for (u32 i = 0; i < sig->n_params; i++) {
		const struct ast_param *p = &sig->params[i];
		char *type = mem_strndup(s->text.p + p->at.at, p->at.n - strlen(p->name));
		struct scope_field f = { .name = p->name, .c_type = type, .offset = 8 + 8 * i };
		const struct type *t = type_by_name(&s->types, p->type->base, SPACE_KERNEL);

		f.size = p->type->n_pointers ? 8 : t->size;
		f.is_signed = !p->type->n_pointers && t->is_signed;
		scope_field(&s->scope, &f);
		free(type);
	}
}

static void sign(struct site *s, u32 open)
{
	u32 close = text_match(&s->text, open, s->text.n);
	struct text_range inside = { open + 1, close - open - 1 };
	struct scope *scope = s->scope.entry ? s->scope.entry : &s->scope;
	struct ast_signature sig;
	struct err err = { 0 };

	if (s->scope.ctx == SCOPE_RECORD) {
		CHECK(!parse_signature(&s->arena, &s->text, inside, &sig, &err));
		add_fields(s, &sig);
		return;
	}
	if (parse_signature(&s->arena, &s->text, inside, &sig, &err) ||
	    scope_signature(scope, &s->text, &sig, &err)) {
		printf("# %s\n", err.what);
		CHECK(!"the signature is right");
	}
}

/* "kernel tcp_sendmsg (struct sock *sk)" */
/* A kernel with one variable. */
static void find_symbol(void *ctx, const char *name, struct type_symbol *out)
{
	(void)ctx;
	*out = (struct type_symbol){ .n_found = !strcmp(name, "nr_threads"), .has_data = true };
}

static void open_site(struct site *s, const char *line)
{
	char kind[32] = "", func[64] = "";
	u32 open;

	s->line = mem_strdup(line);
	s->text = text_of(s->line);
	sscanf(line, "%31s %63[a-z_]", kind, func);
	types_init(&s->types, &s->arena, 81);
	types_add_btf(&s->types, s->btf);
	s->types.find_symbol = find_symbol;
	for (size_t i = 0; i < ARRAY_SIZE(scopes); i++)
		if (!strcmp(scopes[i].name, kind))
			scopes[i].make(s, func);
	if (!s->scope.site) {
		printf("# no scope '%s'\n", kind);
		CHECK(!"a known scope");
	}
	s->scope.arch = s->entry.arch = ARCH_X86_64;
	open = text_find(&s->text, 0, s->text.n, "(");
	if (open < s->text.n)
		sign(s, open);
}

static void close_site(struct site *s)
{
	struct btf *btf = s->btf;

	scope_release(&s->scope);
	scope_release(&s->entry);
	types_release(&s->types);
	arena_release(&s->arena);
	free(s->line);
	*s = (struct site){ .btf = btf };
}

/* ---- expressions ---- */

static void put_error(const struct err *err, struct str *out)
{
	str_addf(out, "! %s\n", err->what);
	if (!err->text[0])
		return;
	str_addf(out, "!   %s\n!   %*s", err->text, (int)err->caret, "");
	for (u32 i = 0; i < err->width; i++)
		str_addc(out, '^');
	str_addf(out, "%s%s\n", err->hint[0] ? "  " : "", err->hint);
}

static void put_tree(const char *name, const struct tree *t, struct str *out)
{
	str_addf(out, "= %s", name);
	dump_tree(t, out);
	str_addc(out, '\n');
}

static void put_ast(struct site *s, const struct text *t, struct str *out)
{
	struct err err = { 0 };
	struct ast *e;

	if (parse_expr(&s->arena, t, span_all(t), &e, &err)) {
		put_error(&err, out);
		return;
	}
	str_adds(out, "= ");
	dump_ast(e, out);
	str_addc(out, '\n');
}

static void put_args(struct site *s, struct str *out)
{
	const struct tree *values[16];
	const char *names[16];
	u32 n = expr_all_args(&s->scope, names, values, 16);

	for (u32 i = 0; i < n; i++) {
		char head[64];

		snprintf(head, sizeof(head), "%s ", names[i]);
		put_tree(head, values[i], out);
	}
}

/* "to TYPE: EXPRESSION", as argdist has it. */
static void put_converted(struct site *s, const char *line, struct str *out)
{
	struct text t = text_of(line);
	u32 colon = text_find(&t, 0, t.n, ":");
	struct text_range type_at = { 3, colon - 3 }, at = { colon + 1, t.n - colon - 1 };
	const struct tree *tree;
	struct ast_type *type;
	struct err err = { 0 };

	if (parse_type(&s->arena, &t, type_at, &type, &err) ||
	    expr_compile(&t, at, &s->scope, CHECK_VALUE, NULL, &tree, &err) ||
	    expr_convert(&t, tree, type, &s->scope, &tree, &err))
		put_error(&err, out);
	else
		put_tree("", tree, out);
}

static void put_expr(struct site *s, const char *line, struct str *out)
{
	static const char *const as_names[] = {
		[CHECK_VALUE] = "as value: ",	      [CHECK_SCALAR] = "as scalar: ",
		[CHECK_PREDICATE] = "as predicate: ", [CHECK_STRING] = "as string: ",
		[CHECK_ADDRESS] = "as address: ",
	};
	bool is_binary = !strncmp(line, "binary: ", 8);
	struct check_opts opts = { .binary_compare = is_binary };
	enum check_as as = CHECK_VALUE;
	struct text t = text_of(line + 8 * is_binary);
	const struct tree *tree;
	struct err err = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(as_names); i++)
		if (!strncmp(line, as_names[i], strlen(as_names[i]))) {
			as = (enum check_as)i;
			t = text_of(line + strlen(as_names[i]));
		}
	if (!strncmp(line, "as ast: ", 8)) {
		t = text_of(line + 8);
		put_ast(s, &t, out);
		return;
	}
	if (!strcmp(line, "all arguments")) {
		put_args(s, out);
		return;
	}
	if (!strncmp(line, "to ", 3)) {
		put_converted(s, line, out);
		return;
	}
	s->scope.saved.n = 0;
	if (expr_compile(&t, span_all(&t), &s->scope, as, &opts, &tree, &err)) {
		CHECK(err.what[0] && err.text[0]);
		put_error(&err, out);
		return;
	}
	put_tree("", tree, out);
	for (size_t i = 0; i < s->scope.saved.n; i++) {
		char head[32];

		snprintf(head, sizeof(head), "saved %zu ", i);
		put_tree(head, s->scope.saved.items[i], out);
	}
}

/* ---- files ---- */

/* The file as it should be. */
static void run_lines(struct view text, struct str *out)
{
	struct site site = { 0 };
	struct view line;

	site.btf = fixture_btf();
	while (view_split(&text, '\n', &line)) {
		char *copy = mem_strndup(line.p, line.n);

		if (*copy != '=' && *copy != '!')
			str_addf(out, "%s\n", copy);
		if (*copy == '@') {
			close_site(&site);
			open_site(&site, copy + 1);
		} else if (*copy && !strchr("#=!", *copy)) {
			put_expr(&site, copy, out);
		}
		free(copy);
	}
	close_site(&site);
	btf__free(site.btf);
}

static void first_difference(const char *name, const char *want, const char *got)
{
	int line = 1;

	while (*want && *want == *got) {
		line += *want == '\n';
		want++;
		got++;
	}
	while (line > 1 && want[-1] != '\n') {
		want--;
		got--;
	}
	printf("# %s:%d: want %.*s\n# got %.*s\n", name, line, (int)strcspn(want, "\n"), want,
	       (int)strcspn(got, "\n"), got);
}

static void run_file(const char *name)
{
	struct str text = { 0 }, got = { 0 };
	char *path = mem_printf("%s/%s", DIR_NAME, name);

	CHECK(!file_read(path, 1 << 20, &text));
	run_lines(str_view(&text), &got);
	if (is_update) {
		FILE *f = fopen(path, "w");

		CHECK(f && fwrite(got.p, 1, got.n, f) == got.n && !fclose(f));
	} else if (strcmp(str_text(&text), str_text(&got)) != 0) {
		first_difference(path, str_text(&text), str_text(&got));
		CHECK(!"as in the file");
	}
	str_release(&text);
	str_release(&got);
	free(path);
}

#define FILE_TEST(name)                  \
	TEST(name##_as_written)          \
	{                                \
		run_file(#name ".test"); \
	}

/* Byte of arm64's registers that keys a call; the same at its entry and its return. */
static u32 call_key(struct types *types, enum scope_side side, bool is_user)
{
	const struct tree *word;
	struct scope s;

	scope_init(&s, types, SCOPE_REGS, side, "func");
	s.arch = ARCH_ARM64;
	s.is_user = is_user;
	word = scope_stack_pointer(&s);
	CHECK(word->kind == TREE_CTX);
	return word->offset;
}

TEST(calls_on_arm64_are_known_by_a_register_that_returns_have)
{
	struct arena arena = { 0 };
	struct types types;

	types_init(&types, &arena, 81);
	CHECK_U64(call_key(&types, SIDE_ENTRY, false), 29 * 8);
	CHECK_U64(call_key(&types, SIDE_RETURN, false), 29 * 8);
	CHECK_U64(call_key(&types, SIDE_ENTRY, true), 31 * 8);
	CHECK_U64(call_key(&types, SIDE_RETURN, true), 31 * 8);
	types_release(&types);
	arena_release(&arena);
}

/* Error text: what, [under what], what to do. */
static const char *refused(const char *signature)
{
	static struct str out;
	struct text text = text_of(signature);
	struct ast_signature sig;
	struct arena arena = { 0 };
	struct err err = { 0 };

	str_clear(&out);
	if (parse_signature(&arena, &text, span_all(&text), &sig, &err))
		str_addf(&out, "%s [%.*s] %s", err.what, (int)err.width, err.text + err.caret,
			 err.hint);
	arena_release(&arena);
	return str_text(&out);
}

TEST(invalid_signatures_are_refused)
{
	CHECK_STR(refused("foo_t *x, struct y *, int z[2], my_type w"), "");
	CHECK_STR(refused("strct foo *x"), "'strct' is not a type [strct] did you mean 'struct'?");
	CHECK_STR(refused("int a, cosnt char *x"),
		  "'cosnt' is not a type [cosnt] did you mean 'const'?");
	CHECK_STR(refused("struct st *s, int s"), "a second parameter 's' [int s] ");
	CHECK_STR(refused("const strct foo *x"), "',' expected, not '*' [*] ");
	CHECK_STR(refused("a, b, a"), "a second parameter 'a' [a] ");
}

FILE_TEST(grammar)
FILE_TEST(types)
FILE_TEST(sites)
FILE_TEST(functions)
FILE_TEST(mistakes)
FILE_TEST(corpus)

static bool take_options(int argc, char **argv)
{
	is_update = argc == 2 && !strcmp(argv[1], "--update");
	return is_update;
}
TEST_OPTIONS(take_options)
