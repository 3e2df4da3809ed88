// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Random well-typed expressions over random inputs: do a compiled probe and eval.c have the value
 * that the C compiler gives?
 *
 *	values c SEED N            N expressions as a C program that prints their values
 *	values check SEED N BTF FILE
 *	                           the same as BPF programs, run by BPF_PROG_TEST_RUN; FILE is what
 *	                           the C program has printed, BTF has struct thing
 *	values eval SEED N BTF FILE
 *	                           the same by expr/eval.c: no privileges
 *	values text SEED N         only the expressions
 *	values try BTF EXPRESSION  its code, and the verifier's answer
 *
 * Expression number i of a seed is the same everywhere.  tests/codegen/eval.sh and
 * tests/accuracy/expr-values.sh drive it.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "bpf/abi/fixed.h"
#include "gen/program.h"
#include "probe/progload.h"
#include "tests/codegen/batch.h"
#include "tests/codegen/random.h"

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

/* The program's descriptor, or -1 after the reason was printed. */
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
		batch_complain(b, &err, "load", str_text(&batch->text));
	else
		b->n_insns += in.code.n;
	insns_release(&in);
	return fd;
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

/* Each program has the first expression as predicate in a second one, of which only the truth is
 * compared. */
static void check_predicate(struct bench *b, struct batch *batch, int map)
{
	struct gen_plan plan = { .work.action = GEN_NOTHING, .maps.result = map };
	int prog;

	if (!batch->n_trees || batch->number[0])
		return;
	plan.predicate = batch->trees[0];
	prog = load(b, batch, &plan);
	for (u32 k = 0; k < N_INPUTS && prog >= 0; k++) {
		LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = b->args[k],
			    .ctx_size_in = sizeof(b->args[k]));
		bool is_true = batch->want[0][k] && !batch->want_absent[0][k];

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
	struct gen_plan plan = { .work.action = GEN_NOTHING };
	struct scratch *got;
	int map, prog;
	u32 bytes;

	plan.work.values = batch->trees;
	plan.work.n_values = batch->n_trees;
	bytes = gen_scratch_bytes(&plan);
	map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "values", sizeof(u32), bytes, 1, NULL);
	plan.maps.result = map;
	prog = load(b, batch, &plan);
	got = calloc(1, bytes);
	for (u32 k = 0; k < N_INPUTS && prog >= 0; k++) {
		if (!run(b, prog, map, k, got))
			break;
		for (u32 i = 0; i < batch->n_trees; i++) {
			u64 value;

			memcpy(&value, got->data + 8 * i, sizeof(value));
			batch_compare(b, batch, i, k, "the probe", value,
				      got->event.absent >> i & 1);
		}
	}
	check_predicate(b, batch, map);
	free(got);
	if (prog >= 0)
		close(prog);
	close(map);
}

typedef void check_fn(struct bench *b, struct batch *batch);

static int check(check_fn *fn, u64 seed, u32 n, const char *btf, const char *file)
{
	struct bench b = { .seed = seed };

	if (!bench_open(&b, btf, file))
		return 2;
	libbpf_set_print(NULL);
	for (u32 i = 0; i < n; i += BATCH) {
		struct batch batch = { .first = i, .n = n - i < BATCH ? n - i : BATCH };

		if (batch_open(&b, &batch))
			fn(&b, &batch);
		batch_close(&batch);
	}
	return !bench_close(&b, n);
}

/* One expression of the user's own: its code, and the verifier's answer. */
static int try(const char *btf, const char *text)
{
	struct bench b = { .btf = btf__parse(btf, NULL) };
	struct batch batch = { .n = 0 };
	struct gen_plan plan = { .work.action = GEN_NOTHING, .work.n_values = 1 };
	struct check_opts opts = { 0 };
	struct str dump = { 0 };
	struct err err = { 0 };
	struct insns in;
	int prog;

	str_adds(&batch.text, text);
	batch_prepare(&b, &batch);
	if (expr_compile(&batch.all, span_all(&batch.all), &batch.scope, CHECK_VALUE, &opts,
			 &batch.trees[0], &err)) {
		printf("%s\n", err.what);
		return 1;
	}
	plan.work.values = batch.trees;
	plan.maps.result = bpf_map_create(BPF_MAP_TYPE_ARRAY, "values", sizeof(u32),
					  gen_scratch_bytes(&plan), 1, NULL);
	insns_init(&in);
	if (!gen_program(&plan, &batch.all, &in, &err))
		insns_dump(&in, &batch.all, &dump);
	printf("%s", str_text(&dump));
	insns_release(&in);
	log_set_level(LOG_VERBOSE);
	prog = load(&b, &batch, &plan);
	str_release(&dump);
	batch_close(&batch);
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
		return check(check_batch, seed, n, argv[4], argv[5]);
	else if (argc == 6 && !strcmp(argv[1], "eval"))
		return check(batch_evaluate, seed, n, argv[4], argv[5]);
	else
		return 2;
	return 0;
}
