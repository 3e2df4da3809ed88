// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/kfunctions.h"

#include <stdlib.h>

/* The kernels of distributions need a fifth of each. */
#define FUNCTIONS_MAX	(1u << 20)
#define NAMES_BYTES_MAX (16u << 20)

void kfunctions_release(struct kfunctions *k)
{
	vec_release(&k->list);
	str_release(&k->names);
	*k = (struct kfunctions){ 0 };
}

void kfunctions_begin(struct kfunctions *k, u64 modules)
{
	if (modules != k->modules)
		kfunctions_release(k);
	k->modules = modules;
}

bool kfunctions_want(struct kfunctions *k)
{
	return k->n_reads++ && !k->is_collected;
}

/* Symbols of data only mark where a function ends, so one of a row of them is enough. */
void kfunctions_add(struct kfunctions *k, const struct sym_entry *o)
{
	size_t n = k->list.n;

	if ((!o->rank && n && !k->list.items[n - 1].rank &&
	     o->start >= k->list.items[n - 1].start) ||
	    k->list.n >= FUNCTIONS_MAX || k->names.n >= NAMES_BYTES_MAX)
		return;
	vec_push(&k->list, (struct kfunction){ .start = o->start,
					       .name = (u32)k->names.n,
					       .n = (u32)o->name.n,
					       .rank = o->rank });
	if (o->name.n)
		str_add(&k->names, o->name.p, o->name.n);
}

/* Names of one address are in the order of the text, which is the order of `name`. */
static int function_cmp(const void *a, const void *b)
{
	const struct kfunction *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

void kfunctions_settle(struct kfunctions *k, bool is_whole)
{
	size_t n = 0;

	k->is_collected =
		is_whole && k->list.n && k->list.n < FUNCTIONS_MAX && k->names.n < NAMES_BYTES_MAX;
	if (!k->is_collected) {
		vec_release(&k->list);
		str_release(&k->names);
		return;
	}
	qsort(k->list.items, k->list.n, sizeof(*k->list.items), function_cmp);
	for (size_t i = 0; i < k->list.n; i++)
		if (!n || k->list.items[n - 1].start != k->list.items[i].start)
			k->list.items[n++] = k->list.items[i];
	k->list.n = n;
}

/* The last function that starts at or before `at`. */
static const struct kfunction *find(const struct kfunctions *k, u64 at)
{
	size_t low = 0, high = k->list.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (k->list.items[mid].start <= at)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &k->list.items[low - 1] : NULL;
}

void kfunctions_near(const struct kfunctions *k, struct wants *w)
{
	struct sym_query *want;

	vec_for_each(want, &w->list) {
		const struct kfunction *f = want->is_named ? NULL : find(k, want->at);

		if (f)
			want_near(want, &(struct sym_entry){
						.start = f->start,
						.rank = f->rank,
						.name = { str_text(&k->names) + f->name, f->n } });
	}
}
