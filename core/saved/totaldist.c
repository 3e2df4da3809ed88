// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Distributions added up: rows of equal keys and stacks, bucket by bucket. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "saved/saved_int.h"

/* ---- what fits together ---- */

static bool is_same_scale(const struct dist_scaling *a, const struct dist_scaling *b)
{
	if (a->kind != b->kind || a->min != b->min || a->step != b->step || a->n != b->n)
		return false;
	return a->kind != SCALE_BOUNDS || !memcmp(a->bounds, b->bounds, a->n * sizeof(*a->bounds));
}

static bool is_same_keys(const struct dist *a, const struct dist *b)
{
	return a->n_keys == b->n_keys && a->has_stacks == b->has_stacks &&
	       !memcmp(a->key_names, b->key_names, a->n_keys * sizeof(*a->key_names));
}

static bool is_same_columns(const struct dist *a, const struct dist *b)
{
	if (a->n_columns != b->n_columns)
		return false;
	for (u32 i = 0; i < a->n_columns; i++)
		if (a->columns[i].name != b->columns[i].name ||
		    a->columns[i].fn != b->columns[i].fn ||
		    a->columns[i].is_signed != b->columns[i].is_signed)
			return false;
	return true;
}

/* Strings are interned: equal texts have equal addresses. */
static bool is_same_value(const struct dist *a, const struct dist *b)
{
	return a->kind == b->kind && a->title == b->title && a->value_name == b->value_name &&
	       a->unit == b->unit && a->is_signed == b->is_signed;
}

static int check_dist(const struct dist *a, const struct dist *b, struct err *err)
{
	const char *title = a->title ? a->title : "a table";

	if (!is_same_value(a, b))
		return err_set(err, ERR_FAIL, "%s and %s can't be added up", title,
			       b->title ? b->title : "a table");
	if (!is_same_scale(&a->scale, &b->scale))
		return err_set(err, ERR_FAIL, "%s: buckets of different scales can't be added up",
			       title);
	if (!is_same_keys(a, b))
		return err_set(err, ERR_FAIL, "%s: rows by different keys can't be added up",
			       title);
	if (!is_same_columns(a, b))
		return err_set(err, ERR_FAIL, "%s: different columns can't be added up", title);
	if (a->n_derived || b->n_derived)
		return err_set(err, ERR_FAIL, "%s: columns of --col can't be added up", title);
	return 0;
}

int saved_check_dists(const struct report *a, const struct report *b, struct err *err)
{
	if (a->dists.n != b->dists.n)
		return err_set(err, ERR_FAIL,
			       "different numbers of distributions can't be added up");
	for (size_t i = 0; i < a->dists.n; i++)
		if (check_dist(&a->dists.items[i], &b->dists.items[i], err))
			return -err->code;
	return 0;
}

/* ---- rows ---- */

/* Frames are stored once each, and so are equal stacks. */
static bool is_same_row(const struct dist_row *a, const struct dist_row *b, u32 n_keys)
{
	if (!key_marks_equal(a->marks, b->marks) || a->kernel != b->kernel || a->user != b->user)
		return false;
	if (!a->key || !b->key || !n_keys)
		return !a->key == !b->key;
	return !memcmp(a->key, b->key, n_keys * sizeof(*a->key));
}

static u64 row_hash(const struct dist_row *row, u32 n_keys, u32 number)
{
	u64 h = hash_mix(number, (u64)row->kernel << 32 | row->user);

	for (u32 i = 0; row->key && i < n_keys; i++)
		h = hash_mix(h, (uintptr_t)row->key[i]);
	return h;
}

static void *copy(const void *from, size_t n, size_t size)
{
	void *to = mem_alloc(n + 1, size);

	if (from)
		memcpy(to, from, n * size);
	return to;
}

static void push_copy(struct dist *d, const struct dist_row *row)
{
	struct dist_row own = *row;

	own.buckets = copy(row->buckets, row->n, sizeof(*row->buckets));
	own.cells = copy(row->cells, d->n_columns, sizeof(*row->cells));
	own.derived = copy(row->derived, d->n_derived, sizeof(*row->derived));
	vec_push(&d->rows, own);
}

static void add_buckets(struct dist_row *sum, const struct dist_row *row)
{
	u32 first = sum->n && sum->first < row->first ? sum->first : row->first;
	u32 end = row->first + row->n;
	u64 *buckets;

	if (!row->n)
		return;
	if (sum->n && sum->first + sum->n > end)
		end = sum->first + sum->n;
	buckets = mem_alloc(end - first + 1, sizeof(*buckets));
	for (u32 i = 0; i < sum->n; i++)
		buckets[sum->first - first + i] = sum->buckets[i];
	for (u32 i = 0; i < row->n; i++)
		buckets[row->first - first + i] += row->buckets[i];
	free(sum->buckets);
	sum->buckets = buckets;
	sum->first = first;
	sum->n = end - first;
}

static bool is_below(u64 a, u64 b, bool is_signed)
{
	return is_signed ? (s64)a < (s64)b : a < b;
}

static void add_cell(struct dist_cell *sum, const struct dist_cell *cell,
		     const struct dist_column *c)
{
	bool is_extreme = c->fn == DIST_FN_MIN || c->fn == DIST_FN_MAX;

	if (!cell->count)
		return;
	if (!is_extreme)
		sum->value += cell->value;
	else if (!sum->count ||
		 is_below(cell->value, sum->value, c->is_signed) == (c->fn == DIST_FN_MIN))
		sum->value = cell->value;
	sum->count += cell->count;
}

static void add_row(const struct dist *d, struct dist_row *sum, const struct dist_row *row)
{
	if (row->count && (!sum->count || is_below(row->least, sum->least, d->is_signed)))
		sum->least = row->least;
	if (row->count && (!sum->count || is_below(sum->greatest, row->greatest, d->is_signed)))
		sum->greatest = row->greatest;
	sum->count += row->count;
	sum->sum += row->sum;
	add_buckets(sum, row);
	for (u32 i = 0; i < d->n_columns; i++)
		add_cell(&sum->cells[i], &row->cells[i], &d->columns[i]);
}

static void find_row(struct dist *d, struct index *have, u32 number, const struct dist_row *row)
{
	u64 hash = row_hash(row, d->n_keys, number);
	size_t at = 0;
	u32 id;

	while (index_next(have, hash, &at, &id))
		if (id < d->rows.n && is_same_row(&d->rows.items[id], row, d->n_keys)) {
			add_row(d, &d->rows.items[id], row);
			return;
		}
	index_add(have, hash, (u32)d->rows.n);
	push_copy(d, row);
}

void saved_repeat_dists(const struct report *from, struct report *to)
{
	const struct dist *d;

	vec_for_each(d, &from->dists) {
		struct dist empty = *d;

		memset(&empty.rows, 0, sizeof(empty.rows));
		empty.total = 0;
		vec_push(&to->dists, empty);
	}
}

void saved_add_dists(struct report *out, struct index *have, const struct report *r)
{
	const struct dist_row *row;

	for (u32 i = 0; i < r->dists.n; i++) {
		struct dist *sum = &out->dists.items[i];

		vec_for_each(row, &r->dists.items[i].rows)
			find_row(sum, have, i, row);
		sum->total += r->dists.items[i].total;
	}
}
