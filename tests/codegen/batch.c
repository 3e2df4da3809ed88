// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tests/codegen/batch.h"

#include <stdlib.h>

#include "syntax/parse.h"
#include "tests/codegen/random.h"

#define SIGNATURE                                                                               \
	"char c, unsigned char uc, short s, unsigned short us, int i, unsigned int u, long l, " \
	"unsigned long ul, _Bool b, struct thing *t, struct thing *z, const char *p"

u64 input_seed(u64 seed, u32 input)
{
	return seed * 7919 + input;
}

bool bench_open(struct bench *b, const char *btf, const char *file)
{
	b->want = fopen(file, "r");
	b->btf = btf__parse(btf, NULL);
	if (!b->want || !b->btf) {
		perror(b->want ? btf : file);
		return false;
	}
	for (u32 i = 0; i < N_INPUTS; i++)
		fill_memory(&b->memory[i], input_seed(b->seed, i), b->args[i]);
	return true;
}

bool bench_close(struct bench *b, u32 n)
{
	printf("%u expressions, %d inputs each: %llu values same (%llu absent), %llu wrong, "
	       "%llu refused, %llu constant quotients by 0; %llu instructions\n",
	       n, N_INPUTS, (unsigned long long)b->n_same, (unsigned long long)b->n_absent,
	       (unsigned long long)b->n_wrong, (unsigned long long)b->n_refused,
	       (unsigned long long)b->n_declined, (unsigned long long)b->n_insns);
	fclose(b->want);
	btf__free(b->btf);
	return !b->n_wrong && !b->n_refused;
}

void batch_complain(struct bench *b, const struct err *err, const char *what, const char *expr)
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
	batch_complain(b, &err, "check", str_text(&batch->text) + batch->at[i].at);
	return false;
}

bool batch_prepare(struct bench *b, struct batch *batch)
{
	static const struct text sig_text = { SIGNATURE, sizeof(SIGNATURE) - 1 };
	struct both o = { 0 };
	struct ast_signature sig;
	struct err err = { 0 };
	bool is_good = true;

	for (u32 i = 0; i < batch->n; i++) {
		random_expression(&o, b->seed, batch->first + i);
		batch->at[i] = (struct text_range){ (u32)batch->text.n, (u32)o.ours.n };
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
		batch_complain(b, &err, "signature", SIGNATURE);
		is_good = false;
	}
	for (u32 i = 0; i < batch->n && is_good; i++)
		is_good = compile(b, batch, i);
	str_release(&o.ours);
	str_release(&o.c);
	return is_good;
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

bool batch_open(struct bench *b, struct batch *batch)
{
	for (u32 i = 0; i < batch->n; i++)
		for (u32 k = 0; k < N_INPUTS; k++)
			if (!read_want(b, &batch->want[i][k], &batch->want_absent[i][k]))
				exit(2);
	return batch_prepare(b, batch);
}

void batch_close(struct batch *batch)
{
	scope_release(&batch->scope);
	types_release(&batch->types);
	arena_release(&batch->arena);
	str_release(&batch->text);
}

void batch_compare(struct bench *b, struct batch *batch, u32 tree, u32 input, const char *who,
		   u64 value, bool absent)
{
	u32 i = batch->number[tree];
	bool want_absent = batch->want_absent[i][input];
	u64 want = batch->want[i][input];

	b->n_absent += want_absent;
	if (value == want && absent == want_absent) {
		b->n_same++;
		return;
	}
	if (b->n_wrong++ > 20)
		return;
	printf("# expression %u, input %u: %.*s\n#   C says %s%lld, %s %s%lld\n", batch->first + i,
	       input, (int)batch->at[i].n, str_text(&batch->text) + batch->at[i].at,
	       want_absent ? "absent " : "", (long long)want, who, absent ? "absent " : "",
	       (long long)value);
}
