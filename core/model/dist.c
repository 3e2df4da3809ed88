// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/dist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/order.h"

void dist_row_release(struct dist_row *row)
{
	free(row->buckets);
	free(row->cells);
	free(row->derived);
}

void dist_release(struct dist *d)
{
	struct dist_row *row;

	vec_for_each(row, &d->rows)
		dist_row_release(row);
	vec_release(&d->rows);
}

/* ---- numbers ------------------------------------------------------------------------------ */

double dist_number(u64 value, bool is_signed)
{
	return is_signed ? (double)(s64)value : (double)value;
}

double dist_cell_number(const struct dist_column *c, const struct dist_cell *cell)
{
	double value = dist_number(cell->value, c->is_signed);

	if (c->fn == DIST_FN_COUNT)
		return (double)cell->count;
	if (!cell->count)
		return c->fn == DIST_FN_SUM ? 0 : (double)NAN;
	return c->fn == DIST_FN_AVG ? value / (double)cell->count : value;
}

/* ---- order -------------------------------------------------------------------------------- */

struct order {
	const struct dist *d;
	s32 column; /* index of a table's sort column; -1 - i: derived column i */
};

static s32 column_of(const struct dist *d)
{
	for (u32 i = 0; d->sort && i < d->n_derived; i++)
		if (!strcmp(d->derived_names[i], d->sort))
			return -1 - (s32)i;
	for (u32 i = 0; d->sort && i < d->n_columns; i++)
		if (!strcmp(d->columns[i].name, d->sort))
			return (s32)i;
	return 0;
}

static double rank_of(const struct order *o, const struct dist_row *row)
{
	const struct dist *d = o->d;
	double value;

	if (d->kind == DIST_STATISTICS)
		return dist_number(row->sum, d->is_signed);
	if (d->kind != DIST_TABLE)
		return (double)row->count;
	value = o->column < 0 ? row->derived[-1 - o->column]
			      : dist_cell_number(&d->columns[o->column], &row->cells[o->column]);
	return isnan(value) ? -(double)INFINITY : value;
}

/* Compare numerically if both are decimal numbers: "9" before "10". */
static int key_cmp(const char *a, const char *b)
{
	size_t x = strspn(a, "0123456789"), y = strspn(b, "0123456789");

	if (!x || !y || a[x] || b[y])
		return text_cmp(a, b);
	return x == y ? text_cmp(a, b) : num_cmp(x, y);
}

static int row_cmp(const void *a, const void *b, void *order)
{
	const struct order *o = order;
	const struct dist_row *x = &o->d->rows.items[*(const u32 *)a];
	const struct dist_row *y = &o->d->rows.items[*(const u32 *)b];
	double p = rank_of(o, x), q = rank_of(o, y);
	int c = (p < q) - (p > q);

	for (u32 i = 0; !c && x->key && y->key && i < o->d->n_keys; i++)
		c = key_cmp(x->key[i], y->key[i]);
	c = c ? c : !x->key - !y->key;
	return c ? c : num_cmp(*(const u32 *)a, *(const u32 *)b);
}

u32 *dist_order(const struct dist *d)
{
	u32 *order = mem_alloc(d->rows.n + 1, sizeof(*order));
	struct order by = { d, column_of(d) };

	for (u32 i = 0; i < d->rows.n; i++)
		order[i] = i;
	qsort_r(order, d->rows.n, sizeof(*order), row_cmp, &by);
	return order;
}

/* ---- buckets ------------------------------------------------------------------------------ */

/* The bucket of the magnitudes least..greatest, mirrored for negative values. */
static struct dist_bucket sided(u64 least, u64 greatest, bool is_negative)
{
	struct dist_bucket b = { .from = least, .last = greatest };

	if (!is_negative)
		return b;
	b.from = 0 - greatest;
	b.last = 0 - least;
	/* -2^63 is the only s64 in this bucket. */
	if (least == 1ULL << 63)
		b.from = b.last;
	return b;
}

static struct dist_bucket log2_bucket(u32 i)
{
	u32 k = i > DIST_LOG2_ZERO ? i - DIST_LOG2_ZERO - 1 : DIST_LOG2_ZERO - 1 - i;

	if (i == DIST_LOG2_ZERO)
		return (struct dist_bucket){ 0 };
	return sided(1ULL << k, (1ULL << k) + ((1ULL << k) - 1), i < DIST_LOG2_ZERO);
}

/* Each magnitude below 8 has its own bucket; above, each power of two has eight. */
static struct dist_bucket fine_bucket(u32 i)
{
	bool is_negative = i < DIST_FINE_ZERO;
	u32 k = is_negative ? DIST_FINE_ZERO - 1 - i : i - DIST_FINE_ZERO;
	u64 width = k < 8 ? 1 : 1ULL << (k / 8 - 1);
	u64 least = k < 8 ? k : (8ULL + k % 8) << (k / 8 - 1);

	return sided(least, least + (width - 1), is_negative);
}

static struct dist_bucket linear_bucket(const struct dist_scaling *s, u32 i)
{
	u64 from = (u64)s->min + (u64)(i ? i - 1 : 0) * (u64)s->step;

	if (!i)
		return (struct dist_bucket){ .last = (u64)s->min - 1, .is_first = true };
	return (struct dist_bucket){
		.from = from,
		.last = from + (u64)s->step - 1,
		.is_end = i > s->n,
	};
}

static struct dist_bucket bounds_bucket(const struct dist_scaling *s, u32 i)
{
	return (struct dist_bucket){
		.from = i ? (u64)s->bounds[i - 1] : 0,
		.last = i < s->n ? (u64)s->bounds[i] - 1 : 0,
		.is_first = !i,
		.is_end = i >= s->n,
	};
}

struct dist_bucket dist_bucket_at(const struct dist_scaling *s, bool is_signed, u32 i)
{
	struct dist_bucket b = { 0 };

	switch (s->kind) {
	case SCALE_LOG2:
		b = log2_bucket(i);
		break;
	case SCALE_LINEAR:
		b = linear_bucket(s, i);
		break;
	case SCALE_BOUNDS:
		b = bounds_bucket(s, i);
		break;
	case SCALE_LOG_LINEAR:
		b = fine_bucket(i);
		break;
	case SCALE_N_KINDS:
		break;
	}
	/* A bucket of signed values ends at INT64_MAX at the latest. */
	if (is_signed && (s64)b.from >= 0 && (s64)b.last < 0 && !b.is_end && !b.is_first)
		b.last = INT64_MAX;
	return b;
}

u32 dist_fine_bucket(u64 value, bool is_signed)
{
	bool is_negative = is_signed && (s64)value < 0;
	u64 magnitude = is_negative ? 0 - value : value;
	u32 k = (u32)magnitude;

	if (magnitude >= 8) {
		u32 e = 63 - (u32)__builtin_clzll(magnitude);

		k = 8 * (e - 2) + (u32)(magnitude >> (e - 3) & 7);
	}
	return is_negative ? DIST_FINE_ZERO - 1 - k : DIST_FINE_ZERO + k;
}

/* ---- percentiles -------------------------------------------------------------------------- */

/* The midpoint of a bucket, off by at most half its width. */
static double middle_of(const struct dist_bucket *b, bool is_signed)
{
	return (dist_number(b->from, is_signed) + dist_number(b->last, is_signed)) / 2;
}

/* The nearest rank: the smallest number of values that is at least `percent` of n.  Computed in
 * thousandths of a percent, so that 99.9 % of 1000 is exactly 999. */
static u64 rank_of_percent(double percent, u64 n)
{
	u64 part = (u64)(percent * 1000 + 0.5), whole = 100000;
	u64 rank = n / whole * part + (n % whole * part + whole - 1) / whole;

	return rank ? rank : 1;
}

double dist_percentile(const struct dist *d, const struct dist_row *row, double percent)
{
	const struct dist_scaling fine = { .kind = SCALE_LOG_LINEAR };
	double least = dist_number(row->least, d->is_signed),
	       greatest = dist_number(row->greatest, d->is_signed), value;
	u64 rank = rank_of_percent(percent, row->count), seen = 0;
	struct dist_bucket b;
	u32 i;

	if (!row->count || !row->n)
		return (double)NAN;
	if (rank >= row->count)
		return greatest;
	for (i = 0; i + 1 < row->n; i++) {
		seen += row->buckets[i];
		if (seen >= rank)
			break;
	}
	b = dist_bucket_at(&fine, d->is_signed, row->first + i);
	value = middle_of(&b, d->is_signed);
	if (value < least)
		return least;
	return value > greatest ? greatest : value;
}

bool dist_is_extreme(const struct dist *d, const struct dist_row *row, double value, u64 *exact)
{
	if (value >= dist_number(row->greatest, d->is_signed))
		*exact = row->greatest;
	else if (value <= dist_number(row->least, d->is_signed))
		*exact = row->least;
	else
		return false;
	return true;
}

/* ---- sums --------------------------------------------------------------------------------- */

static __int128 wide(u64 value, bool is_signed)
{
	return is_signed ? (__int128)(s64)value : (__int128)value;
}

/* false: it overflows. */
static bool add_product(__int128 *sum, __int128 value, u64 n)
{
	__int128 product;

	return !__builtin_mul_overflow(value, (__int128)n, &product) &&
	       !__builtin_add_overflow(*sum, product, sum);
}

/*
 * BPF programs add 64-bit numbers without detecting overflow.  The buckets bound the true sum to
 * within an eighth, and a sum that overflowed lies outside these bounds.
 */
bool dist_is_sum_known(const struct dist *d, const struct dist_row *row)
{
	const struct dist_scaling fine = { .kind = SCALE_LOG_LINEAR };
	__int128 least = 0, greatest = 0, sum = wide(row->sum, d->is_signed);

	for (u32 i = 0; i < row->n; i++) {
		struct dist_bucket b = dist_bucket_at(&fine, d->is_signed, row->first + i);

		/* Only a saved file can have a count for which this fails. */
		if (!add_product(&least, wide(b.from, d->is_signed), row->buckets[i]) ||
		    !add_product(&greatest, wide(b.last, d->is_signed), row->buckets[i]))
			return false;
	}
	return !row->n || (sum >= least && sum <= greatest && greatest - least <= UINT64_MAX);
}

double dist_mean(const struct dist *d, const struct dist_row *row)
{
	if (!row->count || !dist_is_sum_known(d, row))
		return (double)NAN;
	return dist_number(row->sum, d->is_signed) / (double)row->count;
}
