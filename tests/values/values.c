// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Random well-typed expressions over random inputs: has a compiled probe the value that the C
 * compiler gives?
 *
 *	values c SEED N            N expressions as a C program that prints what they are
 *	values check SEED N BTF FILE
 *	                           the same as BPF programs, run by BPF_PROG_TEST_RUN; FILE is what
 *	                           the C program has printed, BTF has struct thing
 *	values text SEED N         only the expressions
 *	values try BTF EXPRESSION  its code, and the verifier's answer
 *
 * Expression number i of a seed is the same everywhere.  tests/truth/expr-values.sh drives it.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/str.h"
#include "bpf/fixed.h"
#include "expr/check.h"
#include "expr/gen.h"
#include "expr/parse.h"
#include "run/generated.h"
#include "tests/values/memory.h"
#include "tests/values/random.h"

#define BATCH 16 /* expressions in a program */

#define SIGNATURE                                                                               \
	"char c, unsigned char uc, short s, unsigned short us, int i, unsigned int u, long l, " \
	"unsigned long ul, _Bool b, struct thing *t, struct thing *z, const char *p"

static u64 input_seed(u64 seed, u32 input)
{
	return seed * 7919 + input;
}

/* ---- as C ------------------------------------------------------------------------------------ */

static void write_c(u64 seed, u32 n)
{
	struct both o = { 0 };

	puts("#include \"oracle.h\"");
	for (u32 i = 0; i < n; i++) {
		random_expression(&o, seed, i);
		printf("static unsigned long long e%u(unsigned long long *a)\n{\n"
		       "\tchar c = (char)a[0];\n\tunsigned char uc = (unsigned char)a[1];\n"
		       "\tshort s = (short)a[2];\n\tunsigned short us = (unsigned short)a[3];\n"
		       "\tint i = (int)a[4];\n\tunsigned int u = (unsigned int)a[5];\n"
		       "\tlong l = (long)a[6];\n\tunsigned long ul = a[7];\n"
		       "\t_Bool b = (unsigned char)a[8];\n"
		       "\tstruct thing *t = (struct thing *)a[9];\n"
		       "\tconst char *p = (const char *)a[11];\n\n"
		       "\treturn (unsigned long long)(%s);\n}\n",
		       i, str_text(&o.c));
	}
	puts("static value_fn *const fns[] = {");
	for (u32 i = 0; i < n; i++)
		printf("\te%u,\n", i);
	puts("};\nint main(void)\n{\n\tunsigned long long args[N_INPUTS][N_ARGS];\n");
	for (u32 i = 0; i < N_INPUTS; i++)
		printf("\tfill_memory(&memory[%u], %lluULL, args[%u]);\n", i,
		       (unsigned long long)input_seed(seed, i), i);
	printf("\tfor (int k = 0; k < %u; k++)\n\t\ttell(fns[k], args);\n\treturn 0;\n}\n", n);
	str_release(&o.ours);
	str_release(&o.c);
}

static void write_text(u64 seed, u32 n)
{
	struct both o = { 0 };

	for (u32 i = 0; i < n; i++) {
		random_expression(&o, seed, i);
		puts(str_text(&o.ours));
	}
	str_release(&o.ours);
	str_release(&o.c);
}

/* ---- as programs ----------------------------------------------------------------------------- */

struct bench {
	struct btf *btf;
	u64 seed;
	struct memory memory[N_INPUTS];
	unsigned long long args[N_INPUTS][N_ARGS];
	FILE *want;
	u64 n_same, n_absent, n_wrong, n_refused, n_declined, n_insns;
};

/* What one program's expressions are made of. */
struct batch {
	u32 first, n;
	struct str text;
	struct span at[BATCH];
	struct arena arena;
	struct types types;
	struct scope scope;
	const struct tree *trees[BATCH]; /* of those that are no constant nonsense */
	u32 number[BATCH];		 /* which expression each is */
	u32 n_trees;
	struct text all;
};

static void complain(struct bench *b, const struct err *err, const char *what, const char *expr)
{
	b->n_refused++;
	printf("# %s: %s\n#   %s\n#   %s\n", what, expr, err->what, err->hint);
}

/* A quotient by a constant 0 is refused with a caret: nothing to compare. */
static bool is_declined(const struct err *err)
{
	return strstr(err->what, "division by zero");
}

static bool compile(struct bench *b, struct batch *batch, u32 i)
{
	struct check_opts opts = { 0 };
	struct err err = { 0 };

	if (!expr_compile(&batch->all, batch->at[i], &batch->scope, CHECK_SCALAR, &opts,
			  &batch->trees[batch->n_trees], &err)) {
		batch->number[batch->n_trees++] = i;
		return true;
	}
	if (is_declined(&err)) {
		b->n_declined++;
		return true;
	}
	complain(b, &err, "check", str_text(&batch->text) + batch->at[i].at);
	return false;
}

static bool prepare(struct bench *b, struct batch *batch)
{
	static const struct text sig_text = { SIGNATURE, sizeof(SIGNATURE) - 1 };
	struct both o = { 0 };
	struct ast_signature sig;
	struct err err = { 0 };
	bool is_good = true;

	for (u32 i = 0; i < batch->n; i++) {
		random_expression(&o, b->seed, batch->first + i);
		batch->at[i] = (struct span){ (u32)batch->text.n, (u32)o.ours.n };
		str_adds(&batch->text, str_text(&o.ours));
		str_adds(&batch->text, ", ");
	}
	batch->all = text_of(str_text(&batch->text));
	types_init(&batch->types, &batch->arena, 81);
	types_add_btf(&batch->types, b->btf);
	scope_init(&batch->scope, &batch->types, SCOPE_WORDS, SIDE_EVENT, "raw:test");
	batch->scope.space = SPACE_USER;
	scope_args(&batch->scope, N_ARGS);
	if (parse_signature(&batch->arena, &sig_text, span_all(&sig_text), &sig, &err) ||
	    scope_signature(&batch->scope, &sig_text, &sig, &err)) {
		complain(b, &err, "signature", SIGNATURE);
		is_good = false;
	}
	for (u32 i = 0; i < batch->n && is_good; i++)
		is_good = compile(b, batch, i);
	str_release(&o.ours);
	str_release(&o.c);
	return is_good;
}

static void finish(struct batch *batch)
{
	scope_release(&batch->scope);
	types_release(&batch->types);
	arena_release(&batch->arena);
	str_release(&batch->text);
}

/* The program's descriptor, or -1 with the reason told. */
static int load(struct bench *b, struct batch *batch, const struct gen_plan *plan)
{
	struct generated_opts opts = { .name = "values",
				       .prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT };
	struct insns in;
	struct err err = { 0 };
	int fd;

	insns_init(&in);
	if (gen_program(plan, &batch->all, &in, &err))
		fd = -1;
	else
		fd = generated_load(&in, NULL, &batch->all, &opts, &err);
	if (fd < 0)
		complain(b, &err, "load", str_text(&batch->text));
	else
		b->n_insns += in.code.n;
	insns_release(&in);
	return fd;
}

static bool read_want(struct bench *b, u64 *value, bool *is_absent)
{
	char line[64];

	if (!fgets(line, sizeof(line), b->want))
		return false;
	*is_absent = !strcmp(line, "absent\n");
	*value = *is_absent ? 0 : strtoull(line, NULL, 10);
	return true;
}

static void compare(struct bench *b, struct batch *batch, u32 tree, u32 input,
		    const struct scratch *got, u64 want, bool want_absent)
{
	u64 value;
	u32 i = batch->number[tree];
	bool absent = got->event.absent >> tree & 1;

	memcpy(&value, got->data + 8 * tree, sizeof(value));
	b->n_absent += want_absent;
	if (value == want && absent == want_absent) {
		b->n_same++;
		return;
	}
	if (b->n_wrong++ > 20)
		return;
	printf("# expression %u, input %u: %.*s\n#   C says %s%lld, the probe %s%lld\n",
	       batch->first + i, input, (int)batch->at[i].n,
	       str_text(&batch->text) + batch->at[i].at, want_absent ? "absent " : "",
	       (long long)want, absent ? "absent " : "", (long long)value);
}

static bool run(struct bench *b, int prog, int map, u32 input, struct scratch *out)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = b->args[input],
		    .ctx_size_in = sizeof(b->args[input]));
	u32 key = 0;
	int ret = bpf_prog_test_run_opts(prog, &opts);

	if (ret || bpf_map_lookup_elem(map, &key, out)) {
		printf("# test run: %s\n", strerror(errno));
		b->n_refused++;
		return false;
	}
	return true;
}

/* Each program has the first expression as predicate in a second one: what is wanted of it is its
 * truth. */
static void check_predicate(struct bench *b, struct batch *batch, u64 want[BATCH][N_INPUTS],
			    bool absent[BATCH][N_INPUTS], int map)
{
	struct gen_plan plan = { .action = GEN_NOTHING, .result_fd = map };
	int prog;

	if (!batch->n_trees || batch->number[0])
		return;
	plan.predicate = batch->trees[0];
	prog = load(b, batch, &plan);
	for (u32 k = 0; k < N_INPUTS && prog >= 0; k++) {
		LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = b->args[k],
			    .ctx_size_in = sizeof(b->args[k]));
		bool is_true = want[0][k] && !absent[0][k];

		if (bpf_prog_test_run_opts(prog, &opts) || opts.retval != is_true) {
			b->n_wrong++;
			printf("# predicate %u, input %u: %.*s is %u, want %d\n", batch->first, k,
			       (int)batch->at[0].n, str_text(&batch->text), opts.retval, is_true);
		}
	}
	if (prog >= 0)
		close(prog);
}

static void check_batch(struct bench *b, struct batch *batch)
{
	struct gen_plan plan = { .action = GEN_NOTHING };
	u64 want[BATCH][N_INPUTS];
	bool absent[BATCH][N_INPUTS];
	struct scratch *got;
	int map, prog;
	u32 bytes;

	for (u32 i = 0; i < batch->n; i++)
		for (u32 k = 0; k < N_INPUTS; k++)
			if (!read_want(b, &want[i][k], &absent[i][k]))
				exit(2);
	if (!prepare(b, batch))
		return;
	plan.values = batch->trees;
	plan.n_values = batch->n_trees;
	bytes = gen_scratch_bytes(&plan);
	map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "values", sizeof(u32), bytes, 1, NULL);
	plan.result_fd = map;
	prog = load(b, batch, &plan);
	got = calloc(1, bytes);
	for (u32 k = 0; k < N_INPUTS && prog >= 0; k++) {
		if (!run(b, prog, map, k, got))
			break;
		for (u32 i = 0; i < batch->n_trees; i++)
			compare(b, batch, i, k, got, want[batch->number[i]][k],
				absent[batch->number[i]][k]);
	}
	check_predicate(b, batch, want, absent, map);
	free(got);
	if (prog >= 0)
		close(prog);
	close(map);
}

static int check(u64 seed, u32 n, const char *btf, const char *file)
{
	struct bench b = { .seed = seed, .want = fopen(file, "r") };

	b.btf = btf__parse(btf, NULL);
	if (!b.want || !b.btf) {
		perror(b.want ? btf : file);
		return 2;
	}
	libbpf_set_print(NULL);
	for (u32 i = 0; i < N_INPUTS; i++)
		fill_memory(&b.memory[i], input_seed(seed, i), b.args[i]);
	for (u32 i = 0; i < n; i += BATCH) {
		struct batch batch = { .first = i, .n = n - i < BATCH ? n - i : BATCH };

		check_batch(&b, &batch);
		finish(&batch);
	}
	printf("%u expressions, %d inputs each: %llu values same (%llu absent), %llu wrong, "
	       "%llu refused, %llu constant quotients by 0; %llu instructions\n",
	       n, N_INPUTS, (unsigned long long)b.n_same, (unsigned long long)b.n_absent,
	       (unsigned long long)b.n_wrong, (unsigned long long)b.n_refused,
	       (unsigned long long)b.n_declined, (unsigned long long)b.n_insns);
	fclose(b.want);
	btf__free(b.btf);
	return b.n_wrong || b.n_refused;
}

/* One expression of the user's own: its code, and what the verifier says. */
static int try(const char *btf, const char *text)
{
	struct bench b = { .btf = btf__parse(btf, NULL) };
	struct batch batch = { .n = 0 };
	struct gen_plan plan = { .action = GEN_NOTHING, .n_values = 1 };
	struct check_opts opts = { 0 };
	struct str dump = { 0 };
	struct err err = { 0 };
	struct insns in;
	int prog;

	str_adds(&batch.text, text);
	prepare(&b, &batch);
	if (expr_compile(&batch.all, span_all(&batch.all), &batch.scope, CHECK_VALUE, &opts,
			 &batch.trees[0], &err)) {
		printf("%s\n", err.what);
		return 1;
	}
	plan.values = batch.trees;
	plan.result_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "values", sizeof(u32),
					gen_scratch_bytes(&plan), 1, NULL);
	insns_init(&in);
	if (!gen_program(&plan, &batch.all, &in, &err))
		insns_dump(&in, &batch.all, &dump);
	printf("%s", str_text(&dump));
	insns_release(&in);
	log_set_level(LOG_VERBOSE);
	prog = load(&b, &batch, &plan);
	str_release(&dump);
	finish(&batch);
	btf__free(b.btf);
	return prog < 0;
}

int main(int argc, char **argv)
{
	u64 seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	u32 n = argc > 3 ? (u32)strtoul(argv[3], NULL, 10) : 0;

	if (argc == 4 && !strcmp(argv[1], "c"))
		write_c(seed, n);
	else if (argc == 4 && !strcmp(argv[1], "text"))
		write_text(seed, n);
	else if (argc == 4 && !strcmp(argv[1], "try"))
		return try(argv[2], argv[3]);
	else if (argc == 6 && !strcmp(argv[1], "check"))
		return check(seed, n, argv[4], argv[5]);
	else
		return 2;
	return 0;
}
