// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Random expressions as expr/eval.c evaluates them.  The leaves, which are reads in a program, read
 * the inputs' memory; other addresses cannot be read, as in a program.
 */
#include <stdlib.h>

#include "expr/eval.h"
#include "tests/codegen/batch.h"

struct input {
	const unsigned long long *args;
	const struct memory *memory;
};

/* Returns how many bytes there are at the address, n at most. */
static size_t reach(const struct input *in, u64 address, size_t n)
{
	u64 from = (u64)(uintptr_t)in->memory, to = from + sizeof(*in->memory);

	if (address < from || address >= to)
		return 0;
	return n < to - address ? n : to - address;
}

/* The bits of the loaded number: the bit-field, or all. */
static u64 bits_of(u64 v, const struct tree *t)
{
	u32 unused = 64 - t->bit_size;

	if (!t->bit_size)
		return v;
	v <<= unused - t->bit_offset;
	return t->type->is_signed ? (u64)((s64)v >> unused) : v >> unused;
}

static struct eval_leaves leaves_of(const struct input *in);

/* Where a leaf, which is to be of that kind, is read; false: its address can't be. */
static bool address_of(const struct input *in, const struct tree *leaf, enum tree_kind kind,
		       u64 *address)
{
	const struct eval_leaves leaves = leaves_of(in);

	if (leaf->kind != kind) {
		printf("# a leaf of kind %d\n", leaf->kind);
		exit(2);
	}
	return eval_number(leaf->a, &leaves, address);
}

static bool number_of(const void *ctx, const struct tree *leaf, u64 *out)
{
	const struct input *in = ctx;
	u64 address;

	if (leaf->kind == TREE_CTX) {
		*out = in->args[leaf->offset / sizeof(*in->args)];
		return true;
	}
	if (!address_of(in, leaf, TREE_LOAD, &address))
		return false;
	address += leaf->offset;
	if (reach(in, address, leaf->type->size) < leaf->type->size)
		return false;
	*out = 0;
	memcpy(out, (const void *)(uintptr_t)address, leaf->type->size);
	*out = bits_of(*out, leaf);
	return true;
}

static bool string_of(const void *ctx, const struct tree *leaf, struct view *out)
{
	u64 address;

	if (!address_of(ctx, leaf, TREE_STRING, &address))
		return false;
	*out = (struct view){ (const char *)(uintptr_t)address,
			      reach(ctx, address, leaf->type->size - 1) };
	return reach(ctx, address, 1);
}

static struct eval_leaves leaves_of(const struct input *in)
{
	return (struct eval_leaves){ number_of, string_of, in };
}

void batch_evaluate(struct bench *b, struct batch *batch)
{
	for (u32 k = 0; k < N_INPUTS; k++) {
		const struct input in = { b->args[k], &b->memory[k] };
		const struct eval_leaves leaves = leaves_of(&in);

		for (u32 i = 0; i < batch->n_trees; i++) {
			u64 value;
			bool absent = !eval_number(batch->trees[i], &leaves, &value);

			batch_compare(b, batch, i, k, "eval", absent ? 0 : value, absent);
		}
	}
}
