// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Records of argdist: distributions, and their rows (render/distjson.c writes them). */
#include <math.h>
#include <string.h>

#include "saved/jsonfields.h"

/* Limits above those of the command line. */
#define DISTS_MAX	1024
#define LINEAR_MAX	1000
#define BOUNDS_MAX	64
#define PERCENTILES_MAX 16
#define COLUMNS_MAX	256

/* ---- descriptions of distributions ---- */

/* An array of at most `max`; its length in *n. */
static const json_t *take_list(struct reading *r, const json_t *o, const char *key, size_t max,
			       u32 *n)
{
	const json_t *list = field_array(r, o, key);

	*n = 0;
	if (!list || r->err->code)
		return NULL;
	if (json_array_size(list) > max) {
		reading_fail(r, "'%s' has more than %zu entries", key, max);
		return NULL;
	}
	*n = (u32)json_array_size(list);
	return list;
}

static void take_keys(struct reading *r, const json_t *o, struct dist *d)
{
	const json_t *list = take_list(r, o, "keys", DIST_MAX_KEYS, &d->n_keys);
	const char *names[DIST_MAX_KEYS];

	for (u32 i = 0; i < d->n_keys; i++) {
		const char *name = json_string_value(json_array_get(list, i));

		if (!name && !r->err->code)
			reading_fail(r, "the name of a key is not a text");
		names[i] = intern(&r->s->strings, name ? name : "");
	}
	d->key_names = saved_list(r->s, names, d->n_keys);
}

static void take_bounds(struct reading *r, const json_t *o, struct dist_scaling *scale)
{
	const json_t *list = take_list(r, o, "bounds", BOUNDS_MAX, &scale->n);
	s64 *bounds = saved_alloc(r->s, scale->n, sizeof(*bounds));

	for (u32 i = 0; i < scale->n; i++) {
		u64 bound = 0;

		if (!json_take_number(json_array_get(list, i), true, &bound) && !r->err->code)
			reading_fail(r, "a bound is not a whole number");
		bounds[i] = (s64)bound;
		if (i && bounds[i] <= bounds[i - 1] && !r->err->code)
			reading_fail(r, "a bound is not above the one before");
	}
	scale->bounds = bounds;
}

static void take_scale(struct reading *r, const json_t *o, struct dist_scaling *scale)
{
	scale->kind = (enum dist_scale)field_choice(r, o, "scale", dist_scale_names, SCALE_N_KINDS);
	if (scale->kind == SCALE_BOUNDS)
		take_bounds(r, o, scale);
	if (scale->kind != SCALE_LINEAR)
		return;
	scale->min = (s64)field_number(r, o, "from", true);
	scale->step = (s64)field_number(r, o, "step", true);
	scale->n = (u32)field_u64(r, o, "steps", 0);
	if ((scale->step <= 0 || field_u64(r, o, "steps", 0) > LINEAR_MAX) && !r->err->code)
		reading_fail(r, "the scale does not have at most %d steps, each above 0",
			     LINEAR_MAX);
}

static void take_percentiles(struct reading *r, const json_t *o, struct dist *d)
{
	const json_t *list = take_list(r, o, "percentiles", PERCENTILES_MAX, &d->n_percentiles);
	double *percentiles = saved_alloc(r->s, d->n_percentiles, sizeof(*percentiles));

	for (u32 i = 0; i < d->n_percentiles; i++) {
		percentiles[i] = json_number_value(json_array_get(list, i));
		if (!(percentiles[i] > 0 && percentiles[i] <= 100) && !r->err->code)
			reading_fail(r, "a percentile is not a number up to 100");
	}
	d->percentiles = percentiles;
}

/* Columns with a function are measured.  The others are computed from these, and come after them.
 */
static void take_columns(struct reading *r, const json_t *o, struct dist *d)
{
	u32 n;
	const json_t *list = take_list(r, o, "columns", COLUMNS_MAX, &n);
	struct dist_column *columns = saved_alloc(r->s, n, sizeof(*columns));
	const char **derived = saved_alloc(r->s, n, sizeof(*derived));

	for (u32 i = 0; i < n && !r->err->code; i++) {
		const json_t *c = json_array_get(list, i);
		const char *name = json_is_object(c) ? field_text(r, c, "name") : NULL;
		bool is_derived = json_is_null(json_object_get(c, "fn"));

		if (!name || (d->n_derived && !is_derived))
			reading_fail(r, "a column has no name, or is in the wrong place");
		else if (is_derived)
			derived[d->n_derived++] = name;
		else
			columns[d->n_columns++] = (struct dist_column){
				.name = name,
				.fn = (enum dist_fn)field_choice(r, c, "fn", dist_fn_names,
								 DIST_N_FNS),
				.is_signed = field_bool(r, c, "signed"),
			};
	}
	d->columns = columns;
	d->derived_names = derived;
	if (!d->n_columns && !r->err->code)
		reading_fail(r, "a table has no columns");
}

/* Renderers rely on these texts. */
static void check_texts(struct reading *r, const struct dist *d)
{
	bool has_values = d->kind == DIST_HISTOGRAM || d->kind == DIST_STATISTICS;

	if (r->err->code)
		return;
	if (has_values && (!d->title || !d->value_name))
		reading_fail(r, "a distribution has no 'title' or no 'value'");
	if (d->kind == DIST_COUNTS && !d->n_keys && !d->event_name)
		reading_fail(r, "a count has no 'event'");
}

void json_take_dist(struct reading *r, const json_t *o, struct report *report)
{
	struct dist d = {
		.kind = (enum dist_kind)field_choice(r, o, "kind", dist_kind_names, DIST_N_KINDS),
		.title = field_text(r, o, "title"),
		.probe = field_text(r, o, "probe"),
		.label = field_text(r, o, "label"),
		.value_name = field_text(r, o, "value"),
		.event_name = field_text(r, o, "event"),
		.unit = field_text(r, o, "unit"),
		.is_signed = field_bool(r, o, "signed"),
		.has_stacks = field_bool(r, o, "stacks"),
		.sort = field_text(r, o, "sort"),
	};

	take_keys(r, o, &d);
	if (d.kind == DIST_HISTOGRAM)
		take_scale(r, o, &d.scale);
	if (d.kind == DIST_STATISTICS)
		take_percentiles(r, o, &d);
	if (d.kind == DIST_TABLE)
		take_columns(r, o, &d);
	check_texts(r, &d);
	if (!r->err->code && (report->dists.n >= DISTS_MAX ||
			      field_u64(r, o, "dist", UINT64_MAX) != report->dists.n))
		reading_fail(r, "the distributions are not numbered from 0 to %d", DISTS_MAX - 1);
	if (!r->err->code)
		vec_push(&report->dists, d);
}

/* ---- rows ---- */

static void take_key(struct reading *r, const json_t *o, const struct dist *d, struct dist_row *row)
{
	const json_t *key = json_object_get(o, "key");
	const char *names[DIST_MAX_KEYS], *texts[DIST_MAX_KEYS];
	u32 n = 0;

	if (json_is_string(key) && !strcmp(json_string_value(key), "other"))
		return;
	if (json_is_object(key))
		n = json_take_key(r, o, DIST_MAX_KEYS, names, texts, &row->marks);
	if (!r->err->code &&
	    (n != d->n_keys || (n && memcmp(names, d->key_names, n * sizeof(*names)) != 0)))
		reading_fail(r, "a key is not of its distribution");
	row->key = saved_list(r->s, texts, n);
}

static void take_stack(struct reading *r, const json_t *o, struct dist_row *row)
{
	bool is_full = false;

	row->kernel = json_take_frames(r, o, "kernel", &is_full);
	row->user = json_take_frames(r, o, "user", &is_full);
	if (is_full && !r->err->code)
		reading_fail(r, "more stacks than --max-memory has room for");
}

/* ---- histograms ---- */

static u32 n_buckets(const struct dist_scaling *scale)
{
	switch (scale->kind) {
	case SCALE_LOG2:
		return DIST_LOG2_N;
	case SCALE_LINEAR:
		return scale->n + 2;
	case SCALE_BOUNDS:
		return scale->n + 1;
	case SCALE_LOG_LINEAR:
	case SCALE_N_KINDS:
		break;
	}
	return DIST_FINE_N;
}

/* Does bucket `i` begin at `lo`?  null: it has no limit. */
static bool is_bucket(const struct dist *d, u32 i, const json_t *lo)
{
	struct dist_bucket b;
	u64 from;

	if (i >= n_buckets(&d->scale))
		return false;
	b = dist_bucket_at(&d->scale, d->is_signed, i);
	if (b.is_first || json_is_null(lo))
		return b.is_first && json_is_null(lo);
	return json_take_number(lo, d->is_signed, &from) && from == b.from;
}

/* The first bucket that values of this sign can be in: half of some scales is for negative values.
 */
static u32 first_bucket(const struct dist *d)
{
	if (d->is_signed)
		return 0;
	return d->scale.kind == SCALE_LOG2	   ? DIST_LOG2_ZERO
	       : d->scale.kind == SCALE_LOG_LINEAR ? DIST_FINE_ZERO
						   : 0;
}

/* The bucket that begins at `lo`; the number of buckets if none does. */
static u32 find_bucket(const struct dist *d, const json_t *lo)
{
	u32 n = n_buckets(&d->scale), i = first_bucket(d);

	while (i < n && !is_bucket(d, i, lo))
		i++;
	return i;
}

static void add_bucket(struct reading *r, const struct dist *d, struct dist_row *row,
		       const json_t *o)
{
	u32 i = row->first + row->n;
	u64 n = json_is_object(o) ? field_number(r, o, "n", false) : 0;

	if (r->err->code)
		return;
	if (!is_bucket(d, i, json_object_get(o, "lo")))
		reading_fail(r, "a bucket is not of its scale");
	else if (__builtin_add_overflow(row->count, n, &row->count))
		reading_too_much(r);
	row->buckets[row->n++] = n;
}

static void take_histogram(struct reading *r, const json_t *o, const struct dist *d,
			   struct dist_row *row)
{
	u32 n;
	const json_t *list = take_list(r, o, "buckets", n_buckets(&d->scale), &n);

	row->buckets = mem_alloc(n + 1, sizeof(*row->buckets));
	if (n)
		row->first = find_bucket(d, json_object_get(json_array_get(list, 0), "lo"));
	for (u32 i = 0; i < n; i++)
		add_bucket(r, d, row, json_array_get(list, i));
	if (field_number(r, o, "count", false) != row->count && !r->err->code)
		reading_fail(r, "the buckets do not add up to the histogram's count");
}

/* ---- statistics ---- */

/* The bucket of a pair [lo, n]; UINT32_MAX: it is not one. */
static u32 take_pair(const json_t *pair, bool is_signed, u64 *n)
{
	const struct dist_scaling fine = { .kind = SCALE_LOG_LINEAR };
	u64 lo;
	u32 i;

	if (json_array_size(pair) != 2 ||
	    !json_take_number(json_array_get(pair, 0), is_signed, &lo) ||
	    !json_take_number(json_array_get(pair, 1), false, n))
		return UINT32_MAX;
	i = dist_fine_bucket(lo, is_signed);
	return i < DIST_FINE_N && dist_bucket_at(&fine, is_signed, i).from == lo ? i : UINT32_MAX;
}

/* The pairs are in the order of their buckets. */
static void take_fine(struct reading *r, const json_t *o, const struct dist *d,
		      struct dist_row *row)
{
	u32 n, end = 0;
	const json_t *list = take_list(r, o, "buckets", DIST_FINE_N, &n);
	u64 count = 0;

	row->first = n ? take_pair(json_array_get(list, 0), d->is_signed, &count) : 0;
	row->n = n ? take_pair(json_array_get(list, n - 1), d->is_signed, &count) : 0;
	row->n = n && row->n >= row->first && row->n < DIST_FINE_N ? row->n + 1 - row->first : 0;
	row->buckets = mem_alloc(row->n + 1, sizeof(*row->buckets));
	for (u32 i = 0; i < n && !r->err->code; i++) {
		u32 at = take_pair(json_array_get(list, i), d->is_signed, &count);

		if (at < row->first + end || at - row->first >= row->n) {
			reading_fail(r, "the buckets are not pairs of a bound and a number");
			return;
		}
		end = at - row->first + 1;
		row->buckets[end - 1] = count;
	}
}

static void take_statistics(struct reading *r, const json_t *o, const struct dist *d,
			    struct dist_row *row)
{
	bool is_known = !json_is_null(json_object_get(o, "sum"));

	row->count = field_number(r, o, "count", false);
	row->sum = field_number(r, o, is_known ? "sum" : "sum_mod_2_64", d->is_signed);
	row->least = field_number(r, o, "min", d->is_signed);
	row->greatest = field_number(r, o, "max", d->is_signed);
	take_fine(r, o, d, row);
}

/* ---- counts ---- */

static void take_count(struct reading *r, const json_t *o, const struct dist *d,
		       struct dist_row *row)
{
	(void)d;
	row->count = field_number(r, o, "value", false);
}

/* ---- tables ---- */

static struct dist_cell take_average(struct reading *r, const json_t *o,
				     const struct dist_column *c)
{
	const json_t *averages = field_object(r, o, "averages");
	const json_t *of = averages ? field_object(r, averages, c->name) : NULL;
	struct dist_cell cell = { 0 };

	if (of) {
		cell.count = field_number(r, of, "count", false);
		cell.value = field_number(r, of, "sum", c->is_signed);
	}
	if (!cell.count && !r->err->code)
		reading_fail(r, "the average '%s' has no count", c->name);
	return cell;
}

/* JSON does not contain how many values a sum or an extreme is of, and it is not shown: a count of
 * 1 stands for any number but 0. */
static struct dist_cell take_cell(struct reading *r, const json_t *o, const json_t *columns,
				  const struct dist_column *c)
{
	const json_t *v = json_object_get(columns, c->name);
	struct dist_cell cell = { 0 };

	if (!v && !r->err->code)
		reading_fail(r, "a row has no column '%s'", c->name);
	if (!v || json_is_null(v))
		return cell;
	if (c->fn == DIST_FN_AVG)
		return take_average(r, o, c);
	if (c->fn == DIST_FN_COUNT)
		cell.count = field_number(r, columns, c->name, false);
	else
		cell = (struct dist_cell){ 1, field_number(r, columns, c->name, c->is_signed) };
	return cell;
}

static double take_derived(struct reading *r, const json_t *o, const json_t *columns,
			   const char *name)
{
	const json_t *exact = field_object(r, o, "exact");
	const json_t *v = exact ? json_object_get(exact, name) : NULL;

	v = v ? v : json_object_get(columns, name);
	return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

static void take_table(struct reading *r, const json_t *o, const struct dist *d,
		       struct dist_row *row)
{
	const json_t *columns = field_object(r, o, "columns");

	row->count = field_number(r, o, "count", false);
	row->cells = mem_alloc(d->n_columns + 1, sizeof(*row->cells));
	row->derived = mem_alloc(d->n_derived + 1, sizeof(*row->derived));
	for (u32 i = 0; i < d->n_columns; i++)
		row->cells[i] = take_cell(r, o, columns, &d->columns[i]);
	for (u32 i = 0; i < d->n_derived; i++)
		row->derived[i] = take_derived(r, o, columns, d->derived_names[i]);
}

/* ---- the whole ---- */

static void (*const take_row[DIST_N_KINDS])(struct reading *r, const json_t *o,
					    const struct dist *d, struct dist_row *row) = {
	[DIST_COUNTS] = take_count,
	[DIST_HISTOGRAM] = take_histogram,
	[DIST_STATISTICS] = take_statistics,
	[DIST_TABLE] = take_table,
};

void json_take_row(struct reading *r, const json_t *o, enum dist_kind kind, struct report *report)
{
	u64 number = field_u64(r, o, "dist", UINT64_MAX);
	struct dist_row row = { 0 };
	struct dist *d;

	if (r->err->code)
		return;
	if (number >= report->dists.n || report->dists.items[number].kind != kind) {
		reading_fail(
			r, "a record '%s' comes without the record 'dist' that says how to show it",
			dist_kind_names[kind]);
		err_hint(r->err, "an earlier bperf wrote the file");
		return;
	}
	d = &report->dists.items[number];
	take_key(r, o, d, &row);
	if (d->has_stacks)
		take_stack(r, o, &row);
	take_row[kind](r, o, d, &row);
	vec_push(&d->rows, row);
	if (!r->err->code && (__builtin_add_overflow(d->total, row.count, &d->total) ||
			      __builtin_add_overflow(report->total, row.count, &report->total)))
		reading_too_much(r);
}
