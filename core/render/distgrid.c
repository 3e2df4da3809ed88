// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/distgrid.h"

#include "model/column.h"
#include "render/units.h"

static void grid_keys(struct grid *g, const struct dist_row *row, u32 from, u32 to)
{
	for (u32 i = from; i < to; i++)
		grid_add(g, view_of(row->key ? row->key[i] : i ? "" : DIST_OTHER));
}

void dist_grid_keys(struct grid *g, const struct dist *d, const struct dist_row *row)
{
	grid_keys(g, row, 0, d->n_keys);
}

static void grid_number(struct grid *g, u64 value, bool is_signed)
{
	if (is_signed)
		grid_addf(g, "%lld", (s64)value);
	else
		grid_addf(g, "%llu", value);
}

/* ---- statistics --------------------------------------------------------------------------- */

static u32 statistics_head(struct grid *g, const struct dist *d)
{
	grid_addf(g, "COUNT");
	grid_addf(g, "SUM");
	grid_addf(g, "MEAN");
	grid_addf(g, "MIN");
	for (u32 i = 0; i < d->n_percentiles; i++)
		grid_addf(g, "P%g", d->percentiles[i]);
	grid_addf(g, "MAX");
	return 5 + d->n_percentiles;
}

static void grid_percentile(struct grid *g, const struct dist *d, const struct dist_row *row,
			    double percent)
{
	double value = dist_percentile(d, row, percent);
	u64 exact;

	if (dist_is_extreme(d, row, value, &exact))
		grid_number(g, exact, d->is_signed);
	else
		grid_addf(g, "%.0f", value);
}

static void statistics_row(struct grid *g, const struct dist *d, const struct dist_row *row)
{
	grid_addf(g, "%llu", row->count);
	if (dist_is_sum_known(d, row)) {
		grid_number(g, row->sum, d->is_signed);
		grid_addf(g, "%.1f", dist_mean(d, row));
	} else {
		grid_addf(g, "-");
		grid_addf(g, "-");
	}
	grid_number(g, row->least, d->is_signed);
	for (u32 i = 0; i < d->n_percentiles; i++)
		grid_percentile(g, d, row, d->percentiles[i]);
	grid_number(g, row->greatest, d->is_signed);
}

/* ---- tables ------------------------------------------------------------------------------- */

static u32 table_head(struct grid *g, const struct dist *d)
{
	u32 n = 0;

	for (u32 i = 0; i < d->n_columns + d->n_derived; i++) {
		const char *name =
			i < d->n_columns ? d->columns[i].name : d->derived_names[i - d->n_columns];

		if (column_is_hidden(name))
			continue;
		grid_add(g, view_of(name));
		n++;
	}
	return n;
}

static void grid_cell(struct grid *g, const struct dist_column *c, const struct dist_cell *cell)
{
	if (c->fn == DIST_FN_COUNT)
		grid_addf(g, "%llu", cell->count);
	else if (!cell->count && c->fn != DIST_FN_SUM)
		grid_addf(g, "-");
	else if (c->fn == DIST_FN_AVG)
		grid_addf(g, "%.1f", dist_cell_number(c, cell));
	else
		grid_number(g, cell->value, c->is_signed);
}

static void grid_derived(struct grid *g, double value)
{
	struct str text = { 0 };

	units_add_real(&text, value);
	grid_add(g, str_view(&text));
	str_release(&text);
}

static void table_row(struct grid *g, const struct dist *d, const struct dist_row *row)
{
	for (u32 i = 0; i < d->n_columns; i++)
		if (!column_is_hidden(d->columns[i].name))
			grid_cell(g, &d->columns[i], &row->cells[i]);
	for (u32 i = 0; i < d->n_derived; i++)
		if (!column_is_hidden(d->derived_names[i]))
			grid_derived(g, row->derived[i]);
}

/* ---- both --------------------------------------------------------------------------------- */

void dist_grid_head(struct grid *g, const struct dist *d)
{
	u32 n;

	if (g->n_first > d->n_keys)
		g->n_first = d->n_keys;
	for (u32 i = 0; i < g->n_first; i++)
		grid_add(g, view_of(d->key_names[i]));
	n = d->kind == DIST_TABLE ? table_head(g, d) : statistics_head(g, d);
	for (u32 i = g->n_first; i < d->n_keys; i++)
		grid_add(g, view_of(d->key_names[i]));
	g->n_left = d->n_keys - g->n_first;
	g->n_columns = n + d->n_keys;
}

void dist_grid_row(struct grid *g, const struct dist *d, const struct dist_row *row)
{
	grid_keys(g, row, 0, g->n_first);
	if (d->kind == DIST_TABLE)
		table_row(g, d, row);
	else
		statistics_row(g, d, row);
	grid_keys(g, row, g->n_first, d->n_keys);
}

/* ---- buckets ------------------------------------------------------------------------------ */

static void add_number(struct str *out, u64 value, bool is_signed)
{
	if (is_signed)
		str_addf(out, "%lld", (s64)value);
	else
		str_addf(out, "%llu", value);
}

void dist_get_ends(const struct dist *d, u32 bucket, struct str *from, struct str *last)
{
	struct dist_bucket b = dist_bucket_at(&d->scale, d->is_signed, bucket);

	str_clear(from);
	str_clear(last);
	if (b.is_first)
		str_adds(from, "...");
	else
		add_number(from, b.from, d->is_signed);
	if (b.is_end)
		str_adds(last, "...");
	else if (b.is_first || b.from != b.last)
		add_number(last, b.last, d->is_signed);
}
