// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Distributions in a page: a table of bars for each histogram, a table for everything else. */
#include <stdlib.h>

#include "render/distgrid.h"
#include "render/heattext.h"
#include "render/html.h"
#include "render/htmltable.h"
#include "render/textwriter.h"
#include "render/units.h"
#include "render/xml.h"

struct dist_page {
	struct render *out;
	struct texts texts;
};

/* Leaf first, a line for each frame. */
static void add_stack(struct dist_page *p, const struct dist_row *row)
{
	const u32 leaves[] = { row->kernel, row->user };
	const struct report *r = p->texts.report;
	struct str *buf = &p->out->sink->buf;

	str_adds(buf, "<ol class=\"stack\">");
	for (size_t i = 0; i < ARRAY_SIZE(leaves); i++)
		for (u32 at = leaves[i]; at; at = r->nodes[at].parent) {
			str_adds(buf, "<li>");
			xml_add(buf, texts_get(&p->texts, r->nodes[at].frame));
			str_adds(buf, "</li>");
		}
	str_adds(buf, "</ol>");
}

/* ---- tables ------------------------------------------------------------------------------- */

/* How often each key occurred, with its share; without keys, the name of the event. */
static void count_head(struct grid *g, const struct dist *d)
{
	grid_addf(g, "COUNT");
	if (!d->n_keys)
		grid_addf(g, "EVENT");
	for (u32 i = 0; i < d->n_keys; i++)
		grid_add(g, view_of(d->key_names[i]));
	g->n_left = d->n_keys ? d->n_keys : 1;
	g->n_columns = g->n_left + 1;
}

static void count_row(struct grid *g, const struct dist *d, const struct dist_row *row)
{
	grid_addf(g, "%llu", row->count);
	if (d->n_keys)
		dist_grid_keys(g, d, row);
	else
		grid_add(g, view_of(d->event_name));
}

static void (*const head_of[DIST_N_KINDS])(struct grid *g, const struct dist *d) = {
	[DIST_COUNTS] = count_head,
	[DIST_STATISTICS] = dist_grid_head,
	[DIST_TABLE] = dist_grid_head,
};

static void (*const row_of[DIST_N_KINDS])(struct grid *g, const struct dist *d,
					  const struct dist_row *row) = {
	[DIST_COUNTS] = count_row,
	[DIST_STATISTICS] = dist_grid_row,
	[DIST_TABLE] = dist_grid_row,
};

/* The grid contains the headings, and after them one row at a time. */
static void add_head(struct dist_page *p, const struct dist *d, struct grid *g)
{
	struct str *buf = &p->out->sink->buf;

	head_of[d->kind](g, d);
	for (u32 i = 0; i < g->n_columns; i++) {
		enum html_column kind = i < g->n_columns - g->n_left ? HTML_NUMBERS : HTML_WORDS;

		html_heading(buf, d->kind == DIST_COUNTS && !i ? HTML_SORTED : kind,
			     g->cells.items[i]);
	}
	if (d->has_stacks)
		html_heading(buf, HTML_WORDS, "stack");
	grid_release(g);
}

static void add_row(struct dist_page *p, const struct dist *d, const struct dist_row *row,
		    struct grid *g)
{
	struct str *buf = &p->out->sink->buf;

	row_of[d->kind](g, d, row);
	html_row_start(buf);
	for (u32 i = 0; i < g->n_columns; i++) {
		bool is_number = i < g->n_columns - g->n_left;

		str_adds(buf, is_number ? "<td class=\"n\">" : "<td>");
		html_text(buf, g->cells.items[i]);
		str_adds(buf, "</td>");
	}
	if (d->has_stacks) {
		str_adds(buf, "<td>");
		add_stack(p, row);
		str_adds(buf, "</td>");
	}
	html_row_end(buf);
	grid_release(g);
	sink_spill(p->out->sink);
}

static void add_table(struct dist_page *p, const struct dist *d, const u32 *order)
{
	struct str *buf = &p->out->sink->buf;
	struct grid g = { 0 };

	html_table_start(buf, d->title ? d->title : "Table");
	add_head(p, d, &g);
	html_table_body(buf);
	for (size_t i = 0; i < d->rows.n; i++)
		add_row(p, d, &d->rows.items[order[i]], &g);
	html_table_end(buf);
}

/* ---- histograms --------------------------------------------------------------------------- */

static void add_bucket(struct dist_page *p, const struct dist *d, const struct dist_row *row, u32 i,
		       u64 most)
{
	struct str *buf = &p->out->sink->buf, from = { 0 }, last = { 0 };

	dist_get_ends(d, row->first + i, &from, &last);
	str_addf(buf, "<tr><td class=\"n\">%s%s%s</td>", str_text(&from),
		 last.n ? " \xe2\x86\x92 " : "", str_text(&last));
	html_number(buf, row->buckets[i]);
	str_addf(buf, "<td class=\"wide\" style=\"--p:%.1f%%\"></td></tr>\n",
		 units_percent(row->buckets[i], most));
	str_release(&from);
	str_release(&last);
}

static void add_histogram(struct dist_page *p, const struct dist *d, const struct dist_row *row)
{
	struct str *buf = &p->out->sink->buf, key = { 0 }, name = { 0 };
	u64 most = 0;

	for (u32 i = 0; i < row->n; i++)
		most = row->buckets[i] > most ? row->buckets[i] : most;
	text_add_key(&key, d, row);
	if (d->n_keys)
		html_element(buf, "h4", str_text(&key));
	if (d->has_stacks)
		add_stack(p, row);
	heat_add_name(&name, d);
	str_adds(buf, "<div class=\"scroll\"><table class=\"hist\"><thead><tr>");
	html_heading(buf, HTML_NUMBERS, str_text(&name));
	html_heading(buf, HTML_NUMBERS, "Count");
	html_heading(buf, HTML_PICTURE, "Distribution");
	html_table_body(buf);
	for (u32 i = 0; i < row->n; i++)
		add_bucket(p, d, row, i, most);
	html_table_end(buf);
	sink_spill(p->out->sink);
	str_release(&key);
	str_release(&name);
}

/* At most --top histograms: a reader of many keys does not look at all of them, and tables list
 * them. */
static void add_histograms(struct dist_page *p, const struct dist *d, const u32 *order)
{
	struct str *buf = &p->out->sink->buf;
	size_t shown = text_n_shown(p->out, d->rows.n);
	u64 rest = 0;

	for (size_t i = 0; i < shown; i++)
		add_histogram(p, d, &d->rows.items[order[i]]);
	if (shown == d->rows.n)
		return;
	for (size_t i = shown; i < d->rows.n; i++)
		rest += d->rows.items[order[i]].count;
	str_adds(buf, "<p class=\"note\">Not shown (--top): ");
	units_add_grouped(buf, d->rows.n - shown);
	str_adds(buf, d->rows.n - shown == 1 ? " key with " : " keys with ");
	units_add_grouped(buf, rest);
	str_adds(buf, " events.</p>\n");
}

/* ---- the whole ---------------------------------------------------------------------------- */

static void add_dist(struct dist_page *p, const struct dist *d)
{
	struct str *buf = &p->out->sink->buf, name = { 0 };
	u32 *order = dist_order(d);

	if (d->title)
		html_element(buf, "h3", d->title);
	if (d->kind == DIST_STATISTICS) {
		heat_add_name(&name, d);
		html_element(buf, "p class=\"note\"", str_text(&name));
	}
	if (!d->rows.n)
		html_element(buf, "p class=\"note\"", "Nothing was counted.");
	else if (d->kind == DIST_HISTOGRAM)
		add_histograms(p, d, order);
	else
		add_table(p, d, order);
	str_release(&name);
	free(order);
}

void html_dists(struct render *out, const struct report *r)
{
	struct dist_page p = { .out = out };
	const struct dist *d;

	if (r->kind != REPORT_DISTS)
		return;
	texts_init(&p.texts, r, out->opts, text_make_name);
	html_section_start(&out->sink->buf, "distributions", "Distributions");
	vec_for_each(d, &r->dists)
		add_dist(&p, d);
	html_section_end(&out->sink->buf);
	texts_release(&p.texts);
}
