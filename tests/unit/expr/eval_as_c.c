// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Random expressions, read and typed by bperf, and evaluated by eval.c and by the C compiler: type
 * and value must be the same.  The programs that are generated from trees are tested elsewhere.
 * EXPR_SEED and EXPR_N choose other runs.
 */
#include "base/num.h"
#include "base/str.h"
#include "expr/check.h"
#include "expr/dump.h"
#include "expr/eval.h"
#include "fixturebtf.h"
#include "syntax/parse.h"
#include "test.h"

#define N_WORDS 11

/* ---- the structs that expressions read ---- */

/* Words of the context, and this process's memory. */
static bool read_leaf(const void *ctx, const struct tree *t, u64 *out)
{
	const u64 *words = ctx;
	const struct eval_leaves leaves = { .number = read_leaf, .ctx = ctx };

	if (t->kind == TREE_CTX) {
		*out = words[t->offset / 8];
		return true;
	}
	CHECK(t->kind == TREE_LOAD && eval_number(t->a, &leaves, out));
	const char *p = (const char *)(uintptr_t)(*out + t->offset);

	*out = 0;
	memcpy(out, p, t->type->size);
	if (!t->bit_size)
		return true;
	*out <<= 64 - t->bit_offset - t->bit_size;
	*out = t->type->is_signed ? (u64)((s64)*out >> (64 - t->bit_size))
				  : *out >> (64 - t->bit_size);
	return true;
}

static u64 eval(const struct tree *t, const u64 *words)
{
	const struct eval_leaves leaves = { .number = read_leaf, .ctx = words };
	u64 v;

	CHECK(eval_number(t, &leaves, &v));
	return v;
}

/* ---- the texts of expressions ---- */

static u64 state;

static u32 pick(u32 n)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(state >> 33) % n;
}

#define PICK(list) (list)[pick(ARRAY_SIZE(list))]

/* gcc calculates with a bit-field of 40 bits in 40 bits, clang does not: made u64 at once. */
static const char *const variables[] = {
	"a",
	"b",
	"c",
	"d",
	"e",
	"f",
	"g",
	"h",
	"i", /* words */
	"sk->sk_err",
	"((u64)sk->sk_pacing)",
	"sk->sk_ooo",
	"sk->sk_neg",
	"sk->__sk_common.skc_reuse",
	"sk->__sk_common.skc_reuseport",
	"sk->__sk_common.skc_num",
	"sk->rq_flags",
	"sk->state",
	"sk->sk_wmem_alloc.refs.counter",
	"sk->__sk_common.skc_v6_daddr.in6_u.u6_addr32[2]",
	"sk->__sk_common.skc_addrpair",
	"pk->a",
	"pk->b",
	"pk->bits_a",
	"(*pk).bits_b",
	"((u8 *)sk)[3]",
	"*(short *)sk",
	"((s64 *)sk)[e & 7]",
	"((int *)sk - (int *)pk)",
};

static const char *const literals[] = {
	"0",
	"1",
	"7",
	"127",
	"255",
	"65536",
	"2147483647",
	"2147483648",
	"4294967295",
	"4294967296",
	"0x7fffffff",
	"0x80000000",
	"0xffffffff",
	"0x100000000",
	"3u",
	"5l",
	"9ul",
	"0xffffffffffffffff",
	"'a'",
	"'\\377'",
	"017",
	"TCP_LISTEN",
	"RQ_META",
	"sizeof(int)",
	"sizeof(struct sock)",
	"sizeof(struct packed)",
	"18446744073709551615u",
};

static const char *const casts[] = {
	"(s8)",	    "(u8)",	  "(short)",	 "(unsigned short)", "(int)",
	"(u32)",    "(long)",	  "(u64)",	 "(char)",	     "(bool)",
	"(size_t)", "(unsigned)", "(long long)", "(signed char)",
};

static const char *const binaries[] = { "+",  "-", "*",	 "&", "|",  "^",  "==",
					"!=", "<", "<=", ">", ">=", "&&", "||" };

static const char *const unaries[] = { "-", "~", "!", "+" };

static void write_expr(struct str *out, u32 depth)
{
	u32 what = depth ? pick(12) : pick(3);

	if (what < 2) {
		str_adds(out, PICK(variables));
	} else if (what == 2) {
		str_adds(out, PICK(literals));
	} else if (what == 3) {
		str_addf(out, "%s(", PICK(unaries));
		write_expr(out, depth - 1);
		str_addc(out, ')');
	} else if (what == 4) {
		str_addf(out, "%s(", PICK(casts));
		write_expr(out, depth - 1);
		str_addc(out, ')');
	} else if (what == 5) {
		str_addc(out, '(');
		write_expr(out, depth - 1);
		str_adds(out, " ? ");
		write_expr(out, depth - 1);
		str_adds(out, " : ");
		write_expr(out, depth - 1);
		str_addc(out, ')');
	} else if (what == 6) { /* only operations that C defines */
		str_addc(out, '(');
		write_expr(out, depth - 1);
		str_adds(out, pick(2) ? " << ((" : " >> ((");
		write_expr(out, depth - 1);
		str_adds(out, ") & 31))");
	} else if (what == 7) {
		str_addc(out, '(');
		write_expr(out, depth - 1);
		str_adds(out, pick(2) ? " / (((" : " % (((");
		write_expr(out, depth - 1);
		str_adds(out, ") & 1023) | 1))");
	} else {
		/* Without parentheses now and then: precedence is part of it. */
		bool is_bare = pick(3) == 0;

		str_adds(out, is_bare ? "" : "(");
		write_expr(out, depth - 1);
		str_addf(out, " %s ", PICK(binaries));
		write_expr(out, depth - 1);
		str_adds(out, is_bare ? "" : ")");
	}
}

static u64 some_value(void)
{
	static const u64 edges[] = { 0,		 1,	    127,	128,	    255,
				     32768,	 65535,	    INT32_MAX,	1ULL << 31, UINT32_MAX,
				     1ULL << 32, INT64_MAX, 1ULL << 63, UINT64_MAX };

	if (pick(2))
		return PICK(edges) + pick(3) - 1;
	return (u64)pick(1U << 31) << 33 ^ (u64)pick(1U << 31) << 11 ^ pick(1U << 31);
}

/* ---- both ---- */

static const char signature[] = "s8 a, u8 b, short c, u16 d, int e, unsigned f, s64 g, u64 h, "
				"bool i, struct sock *sk, struct packed *pk";

struct run {
	struct arena arena;
	struct types types;
	struct scope scope;
	u64 words[N_WORDS];
	u64 sk[10], pk[2]; /* struct sock, struct packed, and what follows */
};

static void open_run(struct run *r, struct btf *btf)
{
	struct text text = text_of(signature);
	struct ast_signature sig;
	struct err err = { 0 };

	types_init(&r->types, &r->arena, 81);
	types_add_btf(&r->types, btf);
	scope_init(&r->scope, &r->types, SCOPE_WORDS, SIDE_ENTRY, "test");
	scope_args(&r->scope, N_WORDS);
	CHECK(!parse_signature(&r->arena, &text, span_all(&text), &sig, &err));
	CHECK(!scope_signature(&r->scope, &text, &sig, &err));
}

static void fill(void *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((u8 *)p)[i] = (u8)pick(256);
}

static void put_bytes(FILE *f, const char *type, const char *name, const void *p, size_t n)
{
	fprintf(f, "static const unsigned char %s_bytes[%zu] = {", name, n);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%u,", ((const u8 *)p)[i]);
	fprintf(f, "};\nstatic struct %s *%s;\n", type, name);
}

/* The inputs of one program; expressions follow as checks in its main. */
static void put_head(FILE *f, struct run *r)
{
	static const char *const types[] = { "s8",	 "u8",	"short", "u16", "int",
					     "unsigned", "s64", "u64",	 "bool" };

	fill(r->sk, sizeof(r->sk));
	fill(r->pk, sizeof(r->pk));
	for (u32 i = 0; i < 8; i++)
		r->words[i] = some_value();
	r->words[8] = pick(2) | 0xabcd00; /* above a bool's byte: anything */
	r->words[9] = (u64)(uintptr_t)r->sk;
	r->words[10] = (u64)(uintptr_t)r->pk;
	fputs("typedef signed char s8;\ntypedef long long s64;\n#include <stdio.h>\n"
	      "#include <stddef.h>\n#include \"tests/fixtures/btf/kernel.c\"\n"
	      "#define SAME(t, v) (sizeof(t) == sizeof(v) && ((t)-1 < (t)0) == "
	      "((__typeof__(v))-1 < (__typeof__(v))0))\n",
	      f);
	put_bytes(f, "sock", "sk", r->sk, sizeof(r->sk));
	put_bytes(f, "packed", "pk", r->pk, sizeof(r->pk));
	for (u32 i = 0; i < ARRAY_SIZE(types); i++)
		fprintf(f, "static volatile %s %c = (%s)0x%llxULL;\n", types[i], 'a' + i, types[i],
			i == 8 ? r->words[8] & 1 : r->words[i]);
	/* The same distance apart: pointers are subtracted. */
	fprintf(f,
		"static char memory[1 << 20] __attribute__((aligned(16)));\nint main(void)\n{\n"
		"\tint bad = 0;\n\tsk = (void *)(memory + %llu);\n\tpk = (void *)((char *)sk + "
		"%lld);\n\t__builtin_memcpy(sk, sk_bytes, sizeof(sk_bytes));\n"
		"\t__builtin_memcpy(pk, pk_bytes, sizeof(pk_bytes));\n",
		(u64)(1 << 19), (s64)(r->words[10] - r->words[9]));
}

static const char *c_type(const struct type *t)
{
	static const char *const names[2][4] = {
		{ "unsigned char", "unsigned short", "unsigned", "unsigned long" },
		{ "signed char", "short", "int", "long" },
	};
	u32 log = t->size == 1 ? 0 : t->size == 2 ? 1 : t->size == 4 ? 2 : 3;

	return t->is_bool ? "_Bool" : names[t->is_signed][log];
}

static void put_check(FILE *f, struct run *r, u32 n)
{
	struct str expr = { 0 };
	const struct tree *tree;
	struct err err = { 0 };
	struct text text;
	bool is_pure; /* not a place, whose bits C's typeof refuses */

	write_expr(&expr, 1 + pick(5));
	text = text_of(str_text(&expr));
	if (expr_compile(&text, span_all(&text), &r->scope, CHECK_SCALAR, NULL, &tree, &err)) {
		printf("# %s\n# %s: %*s^\n", text.p, err.what, (int)err.caret, "");
		CHECK(!"C takes it");
	}
	is_pure = tree->kind != TREE_LOAD;
	fprintf(f, "\tif ((unsigned long)(%s) != 0x%llxUL", text.p, eval(tree, r->words));
	if (is_pure)
		fprintf(f, " || !SAME(%s, %s)", c_type(tree->type), text.p);
	fprintf(f,
		")\n\t\tbad = printf(\"# %u: %%#lx, we: %s %#llx\\n# %%s\\n\", (unsigned "
		"long)(%s), \"",
		n, c_type(tree->type), eval(tree, r->words), text.p);
	for (const char *c = text.p; *c; c++)
		fprintf(f, *c == '\\' ? "\\\\" : "%c", *c);
	fputs("\");\n", f);
	str_release(&expr);
}

static u32 env_number(const char *name, u32 normal)
{
	const char *text = getenv(name);
	u64 v;

	return text && num_parse_dec(view_of(text), &v) ? (u32)v : normal;
}

#define PER_PROGRAM 500

static void compare(struct run *r, u32 n)
{
	char dir[] = "/tmp/bperf-exprc-XXXXXX";
	char *path, *command;
	FILE *f;
	int ret;

	CHECK(mkdtemp(dir));
	path = mem_printf("%s/x.c", dir);
	f = fopen(path, "w");
	CHECK(f);
	put_head(f, r);
	for (u32 i = 0; i < n; i++)
		put_check(f, r, i);
	fputs("\treturn bad != 0;\n}\n", f);
	CHECK(!fclose(f));
	/* -fsigned-char: the tracing side's char is signed, as x86-64's. */
	command = mem_printf("cc -w -O0 -std=gnu11 -fwrapv -fsigned-char -I. -o %s/x %s && %s/x",
			     dir, path, dir);
	ret = system(command);
	free(command);
	command = mem_printf("rm -r %s", dir);
	CHECK(!system(command));
	free(command);
	free(path);
	CHECK(!ret);
}

TEST(random_expressions_have_the_type_and_value_that_c_gives_them)
{
	u32 seed = env_number("EXPR_SEED", 1), n = env_number("EXPR_N", 1000);
	struct btf *btf;

	if (system("cc --version >/dev/null 2>&1"))
		SKIP("no C compiler");
	btf = fixture_btf();
	alarm(0); /* thousands of them take a compiler its time */
	for (u32 done = 0; done < n; done += PER_PROGRAM) {
		struct run r = { 0 };

		state = (u64)seed << 32 | done;
		open_run(&r, btf);
		compare(&r, n - done < PER_PROGRAM ? n - done : PER_PROGRAM);
		scope_release(&r.scope);
		types_release(&r.types);
		arena_release(&r.arena);
	}
	btf__free(btf);
}
