/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Random expressions as typed trees, in batches, and the values that the C program has printed,
 * with which they are compared; differences are reported here.  The code that evaluates the trees
 * is elsewhere.
 */
#ifndef VALUES_BATCH_H
#define VALUES_BATCH_H

#include <bpf/btf.h>
#include <stdio.h>

#include "base/str.h"
#include "expr/check.h"
#include "tests/codegen/memory.h"

#define BATCH 16 /* expressions in a program */

struct bench {
	struct btf *btf;
	u64 seed;
	struct memory memory[N_INPUTS];
	unsigned long long args[N_INPUTS][N_ARGS];
	FILE *want;
	u64 n_same, n_absent, n_wrong, n_refused, n_declined, n_insns;
};

struct batch {
	u32 first, n;
	struct str text;
	struct text_range at[BATCH];
	struct arena arena;
	struct types types;
	struct scope scope;
	const struct tree *trees[BATCH]; /* those that are not constant nonsense */
	u32 number[BATCH];		 /* which expression each is */
	u32 n_trees;
	struct text all;
	/* The value in C of each expression for each input. */
	u64 want[BATCH][N_INPUTS];
	bool want_absent[BATCH][N_INPUTS];
};

u64 input_seed(u64 seed, u32 input);

/* Opens BTF and the C program's output, and makes the inputs.  False: an error was printed. */
bool bench_open(struct bench *b, const char *btf, const char *file);
/* Report the counts; are all equal? */
bool bench_close(struct bench *b, u32 n);

/* Reads and types expressions from `first` on, and reads their values in C.  False: one was
 * refused. */
bool batch_open(struct bench *b, struct batch *batch);
/* The same without the values in C. */
bool batch_prepare(struct bench *b, struct batch *batch);
void batch_close(struct batch *batch);

void batch_complain(struct bench *b, const struct err *err, const char *what, const char *expr);
/* Compare: `who` says that tree number `tree` has this value for this input. */
void batch_compare(struct bench *b, struct batch *batch, u32 tree, u32 input, const char *who,
		   u64 value, bool absent);

/* Evaluate by expr/eval.c, with the inputs' own memory. */
void batch_evaluate(struct bench *b, struct batch *batch);

#endif
