// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Distributions as text, in bcc's format, the most frequent last:
 *
 * p:c:malloc(size_t size):size_t:size
 * 	COUNT      EVENT
 * 	3          size = 16
 * 	120        size = 64
 *
 * r:c:read():int:$retval
 * fd = 3
 *      $retval : count    distribution
 *            0 : 1       |**                                      |
 * 512 -> 1023  : 20      |****************************************|
 *
 * p:c:malloc(size_t size):size_t:size
 * COUNT    SUM   MEAN  MIN  P50  P90  P99  MAX  KEY
 *   123  7,728   62.8   16   64   64   64   64  comm = sh
 *
 * A stack that is a key is printed in place of the key; in a table, in the last column:
 *
 * HITS  BYTES  comm  stack
 *    3   4096  sh    malloc
 *                    main
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "model/column.h"
#include "render/dist.h"
#include "render/distgrid.h"
#include "render/heattext.h"
#include "render/texttable.h"
#include "render/textwriter.h"
#include "render/units.h"

#define BAR_WIDTH 40 /* as in bcc; on a terminal, the remaining width */
#define BAR_LEAST 10
#define BAR_MOST  80

/* ---- keys --------------------------------------------------------------------------------- */

static u64 counted(const struct dist *d, const u32 *order, size_t from)
{
	u64 sum = 0;

	for (size_t i = from; i < d->rows.n; i++)
		sum += d->rows.items[order[i]].count;
	return sum;
}

static void add_rest(const struct render *out, const struct dist *d, const u32 *order, size_t shown)
{
	const struct text_rest rest = {
		.n = d->rows.n - shown,
		.what = "key",
		.part = counted(d, order, shown),
		.whole = d->total,
		.of = "events",
	};

	text_add_rest(out, &rest);
}

/* ---- counts ------------------------------------------------------------------------------- */

static void add_counts(struct render *out, struct texts *texts, const struct dist *d,
		       const u32 *order, size_t shown)
{
	struct str *buf = &out->sink->buf, key = { 0 };

	(void)texts;
	str_addf(buf, "\t%-10s %s\n", "COUNT", "EVENT");
	for (size_t i = shown; i-- > 0;) {
		const struct dist_row *row = &d->rows.items[order[i]];

		str_clear(&key);
		if (d->n_keys)
			text_add_key(&key, d, row);
		else
			str_adds(&key, d->event_name);
		str_addf(buf, "\t%-10llu ", row->count);
		utf8_add_clean(buf, str_view(&key));
		str_addc(buf, '\n');
		sink_spill(out->sink);
	}
	str_release(&key);
}

/* ---- histograms --------------------------------------------------------------------------- */

struct histogram {
	const struct dist *d;
	const struct dist_row *row;
	int from_width, last_width, count_width, bar_width;
	u64 most;
};

static int max_int(int a, int b)
{
	return a > b ? a : b;
}

/* Find the widths of the columns before the bars; on a terminal, bars use the remaining width. */
static void measure(const struct render *out, struct histogram *h)
{
	struct str from = { 0 }, last = { 0 };
	char digits[32];
	int used;

	for (u32 i = 0; i < h->row->n; i++) {
		dist_get_ends(h->d, h->row->first + i, &from, &last);
		h->from_width = max_int(h->from_width, (int)from.n);
		h->last_width = max_int(h->last_width, (int)last.n);
		if (h->row->buckets[i] > h->most)
			h->most = h->row->buckets[i];
	}
	h->count_width = max_int(8, snprintf(digits, sizeof(digits), "%llu", h->most));
	used = h->from_width + h->last_width + h->count_width + (int)sizeof(" ->  :  ||");
	h->bar_width = out->columns ? max_int(BAR_LEAST, (int)out->columns - used) : BAR_WIDTH;
	if (h->bar_width > BAR_MOST)
		h->bar_width = BAR_MOST;
	str_release(&from);
	str_release(&last);
}

/* A nonzero count has at least one star. */
static int stars(const struct histogram *h, u64 n)
{
	double share = h->most ? (double)n / (double)h->most : 0;
	int wide = (int)(share * h->bar_width + 0.5);

	return n && !wide ? 1 : wide;
}

static void add_bucket(struct render *out, const struct histogram *h, u32 i, struct str *from,
		       struct str *last)
{
	struct str *buf = &out->sink->buf;
	u64 n = h->row->buckets[i];
	int wide = stars(h, n);

	dist_get_ends(h->d, h->row->first + i, from, last);
	str_addf(buf, "%*s %s %-*s : %-*llu |", h->from_width, str_text(from),
		 last->n ? "->" : "  ", h->last_width, str_text(last), h->count_width, n);
	for (int at = 0; at < wide; at++)
		str_addc(buf, '*');
	str_addf(buf, "%*s|\n", h->bar_width - wide, "");
}

/* The heading of a histogram: its key and stack. */
static void add_whose(struct render *out, struct texts *texts, const struct dist *d,
		      const struct dist_row *row)
{
	struct str raw = { 0 }, key = { 0 };

	text_add_key(&raw, d, row);
	utf8_add_clean(&key, str_view(&raw));
	if (d->has_stacks)
		text_add_stack(out, texts, row->kernel, row->user, &key);
	else if (d->n_keys)
		str_addf(&out->sink->buf, "%s\n", str_text(&key));
	str_release(&raw);
	str_release(&key);
}

static void add_histogram(struct render *out, struct texts *texts, const struct dist *d,
			  const struct dist_row *row)
{
	struct histogram h = { .d = d, .row = row };
	struct str *buf = &out->sink->buf, from = { 0 }, last = { 0 }, name = { 0 };
	size_t used;
	int width;

	add_whose(out, texts, d, row);
	measure(out, &h);
	width = h.from_width + h.last_width + 4;
	utf8_add_clean(&name, view_of(d->label ?: d->value_name));
	if (d->unit)
		str_addf(&name, " (%s)", d->unit);
	used = utf8_columns(str_view(&name));
	str_addf(buf, "%*s%s : %-*s  distribution\n", (int)used < width ? width - (int)used : 0, "",
		 str_text(&name), h.count_width, "count");
	for (u32 i = 0; i < row->n; i++)
		add_bucket(out, &h, i, &from, &last);
	str_release(&name);
	str_release(&from);
	str_release(&last);
	sink_spill(out->sink);
}

static void add_histograms(struct render *out, struct texts *texts, const struct dist *d,
			   const u32 *order, size_t shown)
{
	for (size_t i = shown; i-- > 0;) {
		add_histogram(out, texts, d, &d->rows.items[order[i]]);
		if (i)
			str_addc(&out->sink->buf, '\n');
	}
}

/* ---- statistics --------------------------------------------------------------------------- */

/* The rows from the top to the bottom of a table. */
static const struct dist_row *nth_row(const struct render *out, const struct dist *d,
				      const u32 *order, size_t shown, size_t i)
{
	return &d->rows.items[order[out->opts->greatest_first ? i : shown - 1 - i]];
}

static void add_statistics(struct render *out, struct texts *texts, const struct dist *d,
			   const u32 *order, size_t shown)
{
	struct grid g = { .n_first = out->opts->keys_first };
	struct str *buf = &out->sink->buf;

	(void)texts;
	utf8_add_clean(buf, view_of(d->value_name));
	if (d->unit)
		str_addf(buf, " (%s)", d->unit);
	str_addc(buf, '\n');
	dist_grid_head(&g, d);
	for (size_t i = 0; i < shown; i++)
		dist_grid_row(&g, d, nth_row(out, d, order, shown, i));
	grid_print(&g, buf);
	grid_release(&g);
}

/* ---- tables ------------------------------------------------------------------------------- */

/* Print the stack downwards in the last column, starting with the leaf in the row's own line. */
static void grid_stack(struct grid *g, struct texts *texts, const struct dist *d,
		       const struct dist_row *row)
{
	const u32 leaves[] = { row->kernel, row->user };
	u32 n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(leaves); i++)
		for (u32 at = leaves[i]; at; at = texts->report->nodes[at].parent) {
			for (u32 blank = 0; n && blank + 1 < g->n_columns; blank++)
				grid_add(g, view_of(""));
			grid_add(g, texts_get(texts, texts->report->nodes[at].frame));
			n++;
		}
	if (!n)
		grid_add(g, view_of(row->key || d->n_keys ? "" : DIST_OTHER));
}

static void add_table(struct render *out, struct texts *texts, const struct dist *d,
		      const u32 *order, size_t shown)
{
	struct grid g = { .n_first = out->opts->keys_first };

	dist_grid_head(&g, d);
	if (d->has_stacks) {
		grid_add(&g, view_of("stack"));
		g.n_columns++;
		g.n_left++;
	}
	for (size_t i = 0; i < shown; i++) {
		const struct dist_row *row = nth_row(out, d, order, shown, i);

		dist_grid_row(&g, d, row);
		if (d->has_stacks)
			grid_stack(&g, texts, d, row);
	}
	grid_print(&g, &out->sink->buf);
	grid_release(&g);
}

/* ---- the whole ---------------------------------------------------------------------------- */

static void (*const add_kind[DIST_N_KINDS])(struct render *out, struct texts *texts,
					    const struct dist *d, const u32 *order,
					    size_t shown) = {
	[DIST_COUNTS] = add_counts,
	[DIST_HISTOGRAM] = add_histograms,
	[DIST_STATISTICS] = add_statistics,
	[DIST_TABLE] = add_table,
};

/* The label of a histogram says what its values are, so it is printed above them and not at the
 * top. */
static bool is_heading(const struct dist *d)
{
	return d->kind == DIST_HISTOGRAM && d->label;
}

static void add_dist(struct render *out, struct texts *texts, const struct dist *d)
{
	struct str *buf = &out->sink->buf;
	size_t shown = text_n_shown(out, d->rows.n);
	bool is_descending =
		out->opts->greatest_first && (d->kind == DIST_TABLE || d->kind == DIST_STATISTICS);
	u32 *order = dist_order(d);

	if (d->title && !is_heading(d)) {
		utf8_add_clean(buf, view_of(d->title));
		str_addc(buf, '\n');
	}
	/* The rows left out are told next to the least of those shown. */
	if (!is_descending)
		add_rest(out, d, order, shown);
	if (shown || d->kind == DIST_COUNTS)
		add_kind[d->kind](out, texts, d, order, shown);
	else
		str_adds(buf, "(nothing counted)\n");
	if (is_descending && shown < d->rows.n)
		add_rest(out, d, order, shown);
	else
		str_addc(buf, '\n');
	out->n_records += shown;
	free(order);
}

void dists_text(struct render *out, const struct report *r)
{
	const struct dist *d;
	struct texts texts;

	if (out->opts->heat) {
		heat_text(out, r);
		return;
	}
	texts_init(&texts, r, out->opts, text_make_name);
	vec_for_each(d, &r->dists)
		add_dist(out, &texts, d);
	texts_release(&texts);
}
