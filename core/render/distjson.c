// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Distributions as JSON records: dist tells once how each is drawn, and count, hist, stats and
 * table are its rows.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "render/dist.h"
#include "render/jsonrecord.h"
#include "render/jsonw.h"
#include "render/units.h"

static void json_number(struct jsonw *w, const char *key, u64 value, bool is_signed)
{
	if (is_signed)
		json_s64(w, key, (s64)value);
	else
		json_u64(w, key, value);
}

static void json_real(struct jsonw *w, const char *key, double value)
{
	struct str text = { 0 };

	if (isnan(value) || isinf(value)) {
		json_none(w, key);
		return;
	}
	str_addf(&text, "%.3f", value);
	json_raw(w, key, str_view(&text));
	str_release(&text);
}

static void add_key(struct jsonw *w, const struct dist *d, const struct dist_row *row)
{
	if (!row->key && (d->n_keys || d->has_stacks)) {
		json_text(w, "key", "other");
		return;
	}
	if (!d->n_keys) {
		json_none(w, "key");
		return;
	}
	json_record_key(w, d->key_names, d->n_keys, row->key, row->marks);
}

/* ---- dist records ----------------------------------------------------------------- */

static void add_scale(struct jsonw *w, const struct dist_scaling *scale)
{
	json_text(w, "scale", dist_scale_names[scale->kind]);
	if (scale->kind == SCALE_LINEAR) {
		json_s64(w, "from", scale->min);
		json_s64(w, "step", scale->step);
		json_u64(w, "steps", scale->n);
	}
	if (scale->kind != SCALE_BOUNDS)
		return;
	json_open(w, "bounds", '[');
	for (u32 i = 0; i < scale->n; i++)
		json_s64(w, NULL, scale->bounds[i]);
	json_close(w, ']');
}

static void add_percentiles(struct jsonw *w, const struct dist *d)
{
	struct str text = { 0 };

	json_open(w, "percentiles", '[');
	for (u32 i = 0; i < d->n_percentiles; i++) {
		str_clear(&text);
		str_addf(&text, "%g", d->percentiles[i]);
		json_raw(w, NULL, str_view(&text));
	}
	json_close(w, ']');
	str_release(&text);
}

static void add_columns(struct jsonw *w, const struct dist *d)
{
	json_open(w, "columns", '[');
	for (u32 i = 0; i < d->n_columns; i++) {
		json_open(w, NULL, '{');
		json_text(w, "name", d->columns[i].name);
		json_text(w, "fn", dist_fn_names[d->columns[i].fn]);
		json_bool(w, "signed", d->columns[i].is_signed);
		json_close(w, '}');
	}
	for (u32 i = 0; i < d->n_derived; i++) {
		json_open(w, NULL, '{');
		json_text(w, "name", d->derived_names[i]);
		json_none(w, "fn");
		json_close(w, '}');
	}
	json_close(w, ']');
	json_text(w, "sort", d->sort);
}

/* Rows are numbers, and there may be none: this record has everything else that is shown. */
static void add_dist(struct render *out, const struct dist *d, u32 number)
{
	struct jsonw w = json_record_begin(out, "dist");

	json_u64(&w, "dist", number);
	json_text(&w, "kind", dist_kind_names[d->kind]);
	json_text(&w, "title", d->title);
	json_text(&w, "probe", d->probe);
	json_text(&w, "label", d->label);
	json_text(&w, "value", d->value_name);
	json_text(&w, "event", d->event_name);
	json_text(&w, "unit", d->unit);
	json_bool(&w, "signed", d->is_signed);
	json_open(&w, "keys", '[');
	for (u32 i = 0; i < d->n_keys; i++)
		json_text(&w, NULL, d->key_names[i]);
	json_close(&w, ']');
	json_bool(&w, "stacks", d->has_stacks);
	if (d->kind == DIST_HISTOGRAM)
		add_scale(&w, &d->scale);
	if (d->kind == DIST_STATISTICS)
		add_percentiles(&w, d);
	if (d->kind == DIST_TABLE)
		add_columns(&w, d);
	json_record_end(out, &w);
}

/* ---- rows --------------------------------------------------------------------------------- */

/* A row, and the context to write its record. */
struct record {
	struct render *out;
	struct texts *texts;
	const struct dist *d;
	u32 number; /* the distribution's */
	const struct dist_row *row;
};

static struct jsonw begin(const struct record *of, const char *type)
{
	const struct dist *d = of->d;
	const struct stack_row stack = { .kernel = of->row->kernel, .user = of->row->user };
	struct jsonw w = json_record_begin(of->out, type);

	json_u64(&w, "iv", of->texts->report->interval);
	json_u64(&w, "dist", of->number);
	if (d->kind != DIST_TABLE) {
		json_text(&w, "probe", d->probe);
		json_text(&w, "label", d->label);
	}
	add_key(&w, d, of->row);
	if (d->has_stacks)
		json_record_stack(&w, of->texts, &stack);
	return w;
}

/* ---- one row, by kind --------------------------------------------------------------------- */

static void add_count(const struct record *of)
{
	const struct report *r = of->texts->report;
	const struct dist_row *row = of->row;
	struct jsonw w = begin(of, "count");
	u64 ns = r->end_ns - r->start_ns;

	json_none(&w, "func");
	json_none(&w, "mod");
	json_u64(&w, "value", row->count);
	json_real(&w, "per_s", ns ? (double)row->count * (double)NS_PER_SEC / (double)ns : 0);
	json_record_end(of->out, &w);
}

/* `hi` is exclusive; null if there is no limit or it cannot be represented. */
static void add_bucket(struct jsonw *w, const struct dist *d, const struct dist_row *row, u32 i)
{
	struct dist_bucket b = dist_bucket_at(&d->scale, d->is_signed, row->first + i);
	bool is_last = b.is_end || b.last == (d->is_signed ? (u64)INT64_MAX : UINT64_MAX);

	json_open(w, NULL, '{');
	if (b.is_first)
		json_none(w, "lo");
	else
		json_number(w, "lo", b.from, d->is_signed);
	if (is_last)
		json_none(w, "hi");
	else
		json_number(w, "hi", b.last + 1, d->is_signed);
	json_u64(w, "n", row->buckets[i]);
	json_close(w, '}');
}

static void add_histogram(const struct record *of)
{
	const struct dist *d = of->d;
	const struct dist_row *row = of->row;
	struct jsonw w = begin(of, "hist");

	json_text(&w, "value", d->value_name);
	json_text(&w, "unit", d->unit);
	json_text(&w, "scale", dist_scale_names[d->scale.kind]);
	json_u64(&w, "count", row->count);
	json_open(&w, "buckets", '[');
	for (u32 i = 0; i < row->n; i++)
		add_bucket(&w, d, row, i);
	json_close(&w, ']');
	json_record_end(of->out, &w);
}

static void add_percentile(struct jsonw *w, const char *name, const struct dist *d,
			   const struct dist_row *row, double percent)
{
	double value = dist_percentile(d, row, percent);
	struct str text = { 0 };
	u64 exact;

	if (!dist_is_extreme(d, row, value, &exact)) {
		json_real(w, name, value);
		return;
	}
	str_addf(&text, d->is_signed ? "%lld.000" : "%llu.000", exact);
	json_raw(w, name, str_view(&text));
	str_release(&text);
}

/* Where percentiles are from: the number of values from each bound on up to the next bucket, in
 * eighths of a power of two. */
static void add_fine(struct jsonw *w, const struct dist *d, const struct dist_row *row)
{
	const struct dist_scaling fine = { .kind = SCALE_LOG_LINEAR };

	json_open(w, "buckets", '[');
	for (u32 i = 0; i < row->n; i++) {
		if (!row->buckets[i])
			continue;
		json_open(w, NULL, '[');
		json_number(w, NULL, dist_bucket_at(&fine, d->is_signed, row->first + i).from,
			    d->is_signed);
		json_u64(w, NULL, row->buckets[i]);
		json_close(w, ']');
	}
	json_close(w, ']');
}

static void add_statistics(const struct record *of)
{
	const struct dist *d = of->d;
	const struct dist_row *row = of->row;
	struct jsonw w = begin(of, "stats");
	struct str name = { 0 };

	json_text(&w, "value", d->value_name);
	json_text(&w, "unit", d->unit);
	json_u64(&w, "count", row->count);
	if (dist_is_sum_known(d, row))
		json_number(&w, "sum", row->sum, d->is_signed);
	else
		json_none(&w, "sum");
	json_real(&w, "mean", dist_mean(d, row));
	json_number(&w, "min", row->least, d->is_signed);
	json_number(&w, "max", row->greatest, d->is_signed);
	json_open(&w, "percentiles", '{');
	for (u32 i = 0; i < d->n_percentiles; i++) {
		str_clear(&name);
		str_addf(&name, "%g", d->percentiles[i]);
		add_percentile(&w, str_text(&name), d, row, d->percentiles[i]);
	}
	json_close(&w, '}');
	str_release(&name);
	add_fine(&w, d, row);
	if (!dist_is_sum_known(d, row))
		json_number(&w, "sum_mod_2_64", row->sum, d->is_signed);
	json_record_end(of->out, &w);
}

static void add_cell(struct jsonw *w, const struct dist_column *c, const struct dist_cell *cell)
{
	if (c->fn == DIST_FN_COUNT)
		json_u64(w, c->name, cell->count);
	else if (!cell->count && c->fn != DIST_FN_SUM)
		json_none(w, c->name);
	else if (c->fn == DIST_FN_AVG)
		json_real(w, c->name, dist_cell_number(c, cell));
	else
		json_number(w, c->name, cell->value, c->is_signed);
}

/* The count and sum of each average that has more than three decimals. */
static void add_averages(struct jsonw *w, const struct dist *d, const struct dist_row *row)
{
	bool is_open = false;

	for (u32 i = 0; i < d->n_columns; i++) {
		if (d->columns[i].fn != DIST_FN_AVG || !row->cells[i].count)
			continue;
		if (!is_open)
			json_open(w, "averages", '{');
		is_open = true;
		json_open(w, d->columns[i].name, '{');
		json_u64(w, "count", row->cells[i].count);
		json_number(w, "sum", row->cells[i].value, d->columns[i].is_signed);
		json_close(w, '}');
	}
	if (is_open)
		json_close(w, '}');
}

/* True if the value has three decimals at most, so that nothing is lost when it is printed. */
static bool is_exact(double value)
{
	char digits[400]; /* the greatest double has 309 before the point */

	if (!isfinite(value))
		return true;
	snprintf(digits, sizeof(digits), "%.3f", value);
	return strtod(digits, NULL) == value;
}

/* The computed columns that have more than three decimals, with all digits: rows are sorted by
 * them. */
static void add_exact(struct jsonw *w, const struct dist *d, const struct dist_row *row)
{
	bool is_open = false;

	for (u32 i = 0; i < d->n_derived; i++) {
		double value = row->derived[i];

		if (is_exact(value))
			continue;
		if (!is_open)
			json_open(w, "exact", '{');
		is_open = true;
		json_double(w, d->derived_names[i], value);
	}
	if (is_open)
		json_close(w, '}');
}

static void add_table_row(const struct record *of)
{
	const struct dist *d = of->d;
	const struct dist_row *row = of->row;
	struct jsonw w = begin(of, "table");

	json_open(&w, "columns", '{');
	for (u32 i = 0; i < d->n_columns; i++)
		add_cell(&w, &d->columns[i], &row->cells[i]);
	for (u32 i = 0; i < d->n_derived; i++)
		json_real(&w, d->derived_names[i], row->derived[i]);
	json_close(&w, '}');
	json_u64(&w, "count", row->count);
	add_averages(&w, d, row);
	add_exact(&w, d, row);
	json_record_end(of->out, &w);
}

static void (*const add_row[DIST_N_KINDS])(const struct record *of) = {
	[DIST_COUNTS] = add_count,
	[DIST_HISTOGRAM] = add_histogram,
	[DIST_STATISTICS] = add_statistics,
	[DIST_TABLE] = add_table_row,
};

static void add_rows(struct render *out, struct texts *texts, const struct dist *d, u32 number)
{
	u32 *order = dist_order(d);

	for (size_t i = 0; i < d->rows.n; i++)
		add_row[d->kind](
			&(struct record){ out, texts, d, number, &d->rows.items[order[i]] });
	out->n_records += d->rows.n;
	free(order);
}

void dists_json(struct render *out, const struct report *r)
{
	struct texts texts;

	texts_init(&texts, r, out->opts, json_record_frame);
	for (u32 i = 0; !out->n_reports && i < r->dists.n; i++)
		add_dist(out, &r->dists.items[i], i);
	for (u32 i = 0; i < r->dists.n; i++)
		add_rows(out, &texts, &r->dists.items[i], i);
	texts_release(&texts);
}
