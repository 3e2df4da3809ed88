// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Prints counts in bcc's columns, followed by rate and share:
 *
 * FUNC                                    COUNT        PER_S       %
 * vfs_open                                   12          2.4   0.9 %
 *
 * With --wide, one line per report with a column for each row:
 *
 *         TIME         READ        WRITE        RATIO
 *        1.000         1204           12      100.333
 */
#include "render/counts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "model/column.h"
#include "render/jsonrecord.h"
#include "render/jsonw.h"
#include "render/textwriter.h"
#include "render/units.h"

#define NAME_WIDTH 36 /* as in bcc */
#define NAME_MAX   72 /* longer names push their numbers to the right */
#define KEY_WIDTH  12
#define CELL_WIDTH 12

#define OTHER "[other]"

/* ---- text --------------------------------------------------------------------------------- */

struct widths {
	u32 name, key[COUNT_MAX_KEYS];
};

static u32 width_of(const char *text, u32 least)
{
	size_t n = utf8_columns(view_of(text));

	if (n > NAME_MAX)
		n = NAME_MAX;
	return n > least ? (u32)n : least;
}

const char *counts_key(const struct count_row *row, u32 i)
{
	if (row->key)
		return row->key[i];
	return i ? "" : OTHER;
}

static void measure(const struct report *r, const u32 *order, size_t n, struct widths *out)
{
	const struct count_view *v = &r->count_view;

	out->name = NAME_WIDTH;
	for (u32 k = 0; k < v->n_keys; k++)
		out->key[k] = width_of(v->key_names[k], KEY_WIDTH);
	for (size_t i = 0; i < n; i++) {
		const struct count_row *row = &r->counts.items[order[i]];

		out->name = width_of(row->name, out->name);
		for (u32 k = 0; k < v->n_keys; k++)
			out->key[k] = width_of(counts_key(row, k), out->key[k]);
	}
}

static void add_padded(struct str *buf, const char *text, u32 width)
{
	size_t start = buf->n, used;

	utf8_add_clean(buf, view_of(text));
	used = utf8_columns((struct view){ buf->p + start, buf->n - start });
	str_addf(buf, "%*s ", used < width ? (int)(width - used) : 0, "");
}

static void add_head(struct render *out, const struct report *r, const struct widths *w)
{
	const struct count_view *v = &r->count_view;
	struct str *buf = &out->sink->buf;

	add_padded(buf, "FUNC", w->name);
	for (u32 k = 0; k < v->n_keys; k++)
		add_padded(buf, v->key_names[k], w->key[k]);
	str_addf(buf, "%*s %12s %7s", 8, "COUNT", "PER_S", "%");
	if (v->has_errors)
		str_addf(buf, " %10s", "ERRORS");
	if (v->has_times)
		str_addf(buf, " %14s %12s", "TOTAL_us", "MEAN_us");
	str_addc(buf, '\n');
}

double counts_per_second(const struct report *r, u64 value)
{
	u64 ns = r->end_ns - r->start_ns;

	return ns ? (double)value * (double)NS_PER_SEC / (double)ns : 0;
}

static void add_us(struct str *buf, u64 ns, int width)
{
	str_addf(buf, " %*llu.%03llu", width - 4, ns / NS_PER_US, ns % NS_PER_US);
}

static void add_row(struct render *out, const struct report *r, const struct count_row *row,
		    const struct widths *w)
{
	const struct count_view *v = &r->count_view;
	struct str *buf = &out->sink->buf;

	add_padded(buf, row->name, w->name);
	for (u32 k = 0; k < v->n_keys; k++)
		add_padded(buf, counts_key(row, k), w->key[k]);
	str_addf(buf, "%8llu %12.1f %5.1f %%", row->value, counts_per_second(r, row->value),
		 units_percent(row->value, r->total));
	if (v->has_errors)
		str_addf(buf, " %10llu", row->errors);
	if (v->has_times) {
		add_us(buf, row->time_ns, 14);
		add_us(buf, row->value ? row->time_ns / row->value : 0, 12);
	}
	str_addc(buf, '\n');
	sink_spill(out->sink);
}

static void add_table(struct render *out, const struct report *r)
{
	size_t shown = text_n_shown(out, r->counts.n);
	u32 *order = report_counts(r);
	struct widths w;
	u64 rest = 0;

	for (size_t i = shown; i < r->counts.n; i++)
		rest += r->counts.items[order[i]].value;
	text_add_rest(out, &(struct text_rest){ r->counts.n - shown, "row", rest, r->total, NULL });
	measure(r, order, shown, &w);
	add_head(out, r, &w);
	for (size_t i = shown; i-- > 0;)
		add_row(out, r, &r->counts.items[order[i]], &w);
	str_addc(&out->sink->buf, '\n');
	out->n_records += shown;
	free(order);
}

/* ---- text, one line ----------------------------------------------------------------------- */

static void add_cell_head(struct str *buf, const char *name)
{
	struct str clean = { 0 };
	size_t used;

	if (column_is_hidden(name))
		return;
	utf8_add_clean(&clean, view_of(name));
	used = utf8_columns(str_view(&clean));
	str_addf(buf, "%*s%s ", used < CELL_WIDTH ? (int)(CELL_WIDTH - used) : 0, "",
		 str_text(&clean));
	str_release(&clean);
}

/* Add the end of the line's window: time of day, or seconds since the start. */
static void add_line_time(struct render *out, const struct report *r)
{
	struct str *buf = &out->sink->buf;

	if (out->opts->timestamp)
		text_add_clock(buf, r);
	else
		str_addf(buf, "%*llu.%03llu", CELL_WIDTH - 4, r->end_ns / NS_PER_SEC,
			 r->end_ns % NS_PER_SEC / NS_PER_MS);
	str_addc(buf, ' ');
}

/* A cell is at least as wide as its heading. */
static int cell_width(const char *name)
{
	size_t n = utf8_columns(view_of(name));

	return n > CELL_WIDTH ? (int)n : CELL_WIDTH;
}

static void add_cell(struct str *buf, const struct count_row *row)
{
	if (!column_is_hidden(row->name))
		str_addf(buf, "%*llu ", cell_width(row->name), row->value);
}

static void add_derived(struct str *buf, const char *name, double value)
{
	struct str text = { 0 };

	if (column_is_hidden(name))
		return;
	units_add_real(&text, value);
	str_addf(buf, "%*s ", cell_width(name), str_text(&text));
	str_release(&text);
}

static void end_line(struct str *buf)
{
	while (buf->n && buf->p[buf->n - 1] == ' ')
		buf->n--;
	str_addc(buf, '\n');
}

static void add_wide(struct render *out, const struct report *r)
{
	const struct count_view *v = &r->count_view;
	struct str *buf = &out->sink->buf;
	const struct count_row *row;

	if (!out->n_reports) {
		str_addf(buf, out->opts->timestamp ? "%-8s " : "%12s ", "TIME");
		vec_for_each(row, &r->counts)
			add_cell_head(buf, row->name);
		for (u32 i = 0; i < v->n_columns; i++)
			add_cell_head(buf, v->columns[i]);
		end_line(buf);
	}
	add_line_time(out, r);
	vec_for_each(row, &r->counts)
		add_cell(buf, row);
	for (u32 i = 0; i < v->n_columns; i++)
		add_derived(buf, v->columns[i], v->derived[i]);
	end_line(buf);
	out->n_records++;
}

void counts_text(struct render *out, const struct report *r)
{
	if (r->count_view.is_wide)
		add_wide(out, r);
	else
		add_table(out, r);
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void json_number(struct jsonw *w, const char *key, double value)
{
	struct str text = { 0 };

	str_addf(&text, "%.3f", value);
	json_raw(w, key, str_view(&text));
	str_release(&text);
}

static void add_key(struct jsonw *w, const struct count_view *v, const struct count_row *row)
{
	if (!v->n_keys)
		json_none(w, "key");
	else if (!row->key)
		json_text(w, "key", "other");
	if (!v->n_keys || !row->key)
		return;
	json_record_key(w, v->key_names, v->n_keys, row->key, row->marks);
}

/* Add the name that text output shows, if it is neither the label nor the function. */
static void add_name(struct jsonw *w, const struct count_row *row)
{
	const char *implied = row->label ? row->label : row->func;

	if (!implied || strcmp(implied, row->name) != 0)
		json_text(w, "name", row->name);
}

static void json_row(struct render *out, const struct report *r, const struct count_row *row)
{
	const struct count_view *v = &r->count_view;
	struct jsonw w = json_record_begin(out, "count");

	json_u64(&w, "iv", r->interval);
	json_text(&w, "probe", row->probe);
	json_text(&w, "label", row->label);
	json_text(&w, "func", row->func);
	json_text(&w, "mod", row->mod);
	add_name(&w, row);
	add_key(&w, v, row);
	json_u64(&w, "value", row->value);
	json_number(&w, "per_s", counts_per_second(r, row->value));
	if (v->has_errors)
		json_u64(&w, "errors", row->errors);
	if (v->has_times) {
		json_number(&w, "total_us", (double)row->time_ns / NS_PER_US);
		json_number(&w, "mean_us",
			    row->value ? (double)row->time_ns / NS_PER_US / (double)row->value : 0);
	}
	json_record_end(out, &w);
	out->n_records++;
}

/* The values of the columns of --col. */
static void json_columns(struct render *out, const struct report *r)
{
	const struct count_view *v = &r->count_view;
	struct jsonw w;

	if (!v->n_columns)
		return;
	w = json_record_begin(out, "columns");
	json_u64(&w, "iv", r->interval);
	json_open(&w, "columns", '{');
	for (u32 i = 0; i < v->n_columns; i++)
		if (!isfinite(v->derived[i]))
			json_none(&w, v->columns[i]);
		else
			json_number(&w, v->columns[i], v->derived[i]);
	json_close(&w, '}');
	json_record_end(out, &w);
	out->n_records++;
}

void counts_json(struct render *out, const struct report *r)
{
	u32 *order = report_counts(r);

	for (size_t i = 0; i < r->counts.n; i++)
		json_row(out, r, &r->counts.items[order[i]]);
	json_columns(out, r);
	free(order);
}
