// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Histograms over time as an SVG picture, with a map for each histogram and key.  Time is on the
 * x axis, with a column for each report; values are on the y axis, with a row for each bucket.
 * Colors show the number of events in a cell on a logarithmic scale, the same for all maps of the
 * picture.  Hovering over a cell shows the exact numbers, without a script.
 *
 * title                                             legend
 * command line
 * host, time
 * events counted, events lost
 * -------------------------------------------------------------
 * r:syscall:read():u64:$latency
 * comm = bash
 * $latency (ns)
 *   4096 |     ##      #
 *   1024 |  ####################
 *        0 s        1 s        2 s
 */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "render/heatmap.h"
#include "render/heattext.h"
#include "render/summary.h"
#include "render/svgpage.h"
#include "render/units.h"
#include "render/xml.h"

#define HEAD_GAP      14 /* between the lines and the maps */
#define LEFT	      96 /* left edge of the plot, after the labels of buckets */
#define PLOT	      (SVG_WIDTH - LEFT - SVG_MARGIN)
#define ROWS_MAX      96 /* with more buckets, several share a row */
#define ROW_HIGHEST   16
#define PLOT_HEIGHT   480 /* with more rows, each row is smaller */
#define ROW_LOWEST    5
#define LABEL_MAX     1e11 /* 12 characters fit next to the plot */
#define LABEL_PITCH   15   /* minimum distance of bucket labels */
#define TICKS_MAX     10
#define HEADING_PITCH 26
#define LINE_PITCH    18
#define TEXT_MAX      150 /* characters that fit into a heading */
#define CHAR_WIDTH    7.7

struct picture {
	struct str *out;
	struct sink *sink;
	const struct heat_maps *maps;
	const struct heat_map **shown; /* in the order of drawing */
	size_t n_shown;
	u64 most;	       /* largest number of events in a cell */
	u64 hidden, n_hidden;  /* maps that are not drawn, and their events */
	u64 from[HEAT_LEVELS]; /* smallest number of events of each color */
};

/* The distribution of a map's buckets over its rows, lowest row first. */
struct rows {
	u32 first, end; /* range of buckets */
	u32 each;	/* buckets in a row */
	u32 n, height;
};

/* ---- selection and scale ------------------------------------------------------------------ */

static int by_rank(const void *a_, const void *b_)
{
	const struct heat_map *a = *(const struct heat_map *const *)a_,
			      *b = *(const struct heat_map *const *)b_;

	if (a->of != b->of)
		return a->of < b->of ? -1 : 1;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return a->key && b->key ? strcmp(a->key, b->key) : 0;
}

/* Select the `top` keys with the most events of each histogram. */
static void choose(struct picture *p, u32 top)
{
	size_t n = p->maps->maps.n, rank = 0;

	p->shown = mem_alloc(n + 1, sizeof(*p->shown));
	for (size_t i = 0; i < n; i++)
		p->shown[i] = &p->maps->maps.items[i];
	qsort(p->shown, n, sizeof(*p->shown), by_rank);
	for (size_t i = 0; i < n; i++) {
		const struct heat_map *map = p->shown[i];

		rank = i && p->shown[i - 1]->of == map->of ? rank + 1 : 0;
		if (!top || rank < top) {
			p->shown[p->n_shown++] = map;
			continue;
		}
		p->hidden += map->total;
		p->n_hidden++;
	}
}

static struct rows rows_of(const struct heat_map *map)
{
	struct rows rows = { 0 };
	const struct heat_column *c;
	u32 n;

	vec_for_each(c, &map->columns) {
		const struct sparse *w = &c->buckets;

		if (!w->n)
			continue;
		if (rows.first == rows.end || w->from < rows.first)
			rows.first = w->from;
		if (w->from + w->n > rows.end)
			rows.end = w->from + w->n;
	}
	n = rows.end - rows.first;
	rows.each = n > ROWS_MAX ? (n + ROWS_MAX - 1) / ROWS_MAX : 1;
	rows.n = (n + rows.each - 1) / rows.each;
	rows.height = rows.n ? PLOT_HEIGHT / rows.n : 0;
	if (rows.height > ROW_HIGHEST)
		rows.height = ROW_HIGHEST;
	if (rows.height < ROW_LOWEST)
		rows.height = ROW_LOWEST;
	return rows;
}

static u64 cell_count(const struct heat_column *c, const struct rows *rows, u32 row)
{
	u32 from = rows->first + row * rows->each;
	u64 sum = 0;

	for (u32 i = from; i < from + rows->each; i++)
		sum += sparse_at(&c->buckets, i);
	return sum;
}

/* Find the color levels: each is greater than the one before by the same factor, a power of two. */
static void measure(struct picture *p)
{
	const struct heat_column *c;
	u32 shift = 1;

	for (size_t i = 0; i < p->n_shown; i++) {
		struct rows rows = rows_of(p->shown[i]);

		vec_for_each(c, &p->shown[i]->columns)
			for (u32 row = 0; row < rows.n; row++) {
				u64 n = cell_count(c, &rows, row);

				p->most = n > p->most ? n : p->most;
			}
	}
	while (shift < 64 / HEAT_LEVELS && p->most >> (HEAT_LEVELS - 1) * shift > 1)
		shift++;
	for (u32 i = 0; i < HEAT_LEVELS; i++)
		p->from[i] = (p->most >> (HEAT_LEVELS - i) * shift) + 1;
	p->from[0] = 1;
}

static u32 level_of(const struct picture *p, u64 n)
{
	u32 level = HEAT_LEVELS - 1;

	while (level && n < p->from[level])
		level--;
	return level;
}

/* ---- text --------------------------------------------------------------------------------- */

static void add_clipped(struct picture *p, const char *text)
{
	struct str cut = { 0 };

	utf8_add_cut(&cut, view_of(text), TEXT_MAX);
	xml_add(p->out, str_view(&cut));
	str_release(&cut);
}

static void add_line(struct picture *p, const char *class, u32 y, const char *text)
{
	str_addf(p->out, "<text class=\"%s\" x=\"%d\" y=\"%u\">", class, SVG_MARGIN, y);
	add_clipped(p, text);
	str_adds(p->out, "</text>\n");
}

static void add_value(struct str *out, const struct dist *d, u64 value)
{
	if (d->is_signed)
		str_addf(out, "%lld", (s64)value);
	else
		str_addf(out, "%llu", value);
}

/* "1024 to 2047 ns", "below 0", "5", "1000 and more" */
static void add_range(struct str *out, const struct dist *d, const struct rows *rows, u32 row)
{
	u32 from = rows->first + row * rows->each, last = from + rows->each - 1;
	struct dist_bucket low, high;

	last = last < rows->end ? last : rows->end - 1;
	low = dist_bucket_at(&d->scale, d->is_signed, from);
	high = dist_bucket_at(&d->scale, d->is_signed, last);
	if (low.is_first) {
		str_adds(out, "up to ");
		add_value(out, d, high.last);
	} else {
		add_value(out, d, low.from);
		if (high.is_end) {
			str_adds(out, " and more");
		} else if (low.from != high.last) {
			str_adds(out, " to ");
			add_value(out, d, high.last);
		}
	}
	if (d->unit)
		str_addf(out, " %s", d->unit);
}

static void add_seconds(struct str *out, u64 ns)
{
	str_addf(out, "%llu.%03llu s", ns / NS_PER_SEC, ns % NS_PER_SEC / NS_PER_MS);
}

/* ---- plot --------------------------------------------------------------------------------- */

static u64 begin_ns(const struct picture *p)
{
	return p->maps->windows[0].start_ns;
}

static u64 end_ns(const struct picture *p)
{
	return p->maps->windows[p->maps->n_windows - 1].end_ns;
}

static double x_of(const struct picture *p, u64 ns)
{
	u64 whole = end_ns(p) - begin_ns(p);

	return LEFT + PLOT * (whole ? (double)(ns - begin_ns(p)) / (double)whole : 0);
}

static void add_cell(struct picture *p, const struct dist *d, const struct heat_column *c,
		     const struct rows *rows, u32 row)
{
	const struct heat_window *w = &p->maps->windows[c->window];
	double x = x_of(p, w->start_ns), width = x_of(p, w->end_ns) - x;
	u64 n = cell_count(c, rows, row);

	if (!n)
		return;
	str_addf(p->out, "<rect class=\"h%u\" x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%u\">",
		 level_of(p, n), x, (rows->n - 1 - row) * rows->height,
		 width > 4 ? width - 0.8 : width, rows->height - 1);
	str_adds(p->out, "<title>");
	add_seconds(p->out, w->start_ns);
	str_adds(p->out, " to ");
	add_seconds(p->out, w->end_ns);
	str_adds(p->out, ": ");
	add_range(p->out, d, rows, row);
	str_addf(p->out, ": %llu of %llu (%.2f %%)</title></rect>\n", n, c->count,
		 units_percent(n, c->count));
	sink_spill(p->sink);
}

/* The start of a bucket with all its digits, as all labels of an axis have the same unit; only
 * numbers that need too much room are rounded. */
static void add_bucket_label(struct str *out, const struct dist *d, u32 bucket)
{
	struct dist_bucket b = dist_bucket_at(&d->scale, d->is_signed, bucket);
	double value = dist_number(b.from, d->is_signed);

	if (!b.is_first && value > -LABEL_MAX && value < LABEL_MAX)
		add_value(out, d, b.from);
	else
		heat_add_label(out, d, bucket);
}

/* Label rows with the start of their first bucket, at their lower edges. */
static void add_scale(struct picture *p, const struct dist *d, const struct rows *rows)
{
	u32 step = (LABEL_PITCH + rows->height - 1) / rows->height;

	for (u32 row = 0; row < rows->n; row += step) {
		str_addf(p->out, "<text class=\"about scale\" x=\"%d\" y=\"%u\">", LEFT - 8,
			 (rows->n - row) * rows->height - 2);
		add_bucket_label(p->out, d, rows->first + row * rows->each);
		str_adds(p->out, "</text>\n");
	}
}

/* The smallest of 1, 2 or 5 times a power of ten that needs at most TICKS_MAX ticks. */
static u64 tick_step(u64 whole)
{
	static const u64 steps[] = { 1, 2, 5 };

	for (u64 unit = 1;; unit *= 10)
		for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
			if (whole / (unit * steps[i]) <= TICKS_MAX)
				return unit * steps[i];
}

static void add_ticks(struct picture *p, u32 height)
{
	u64 step = tick_step(end_ns(p) - begin_ns(p));

	str_addf(p->out, "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%u\" y2=\"%u\"/>\n", LEFT,
		 LEFT + PLOT, height, height);
	for (u64 ns = (begin_ns(p) + step - 1) / step * step; ns <= end_ns(p); ns += step) {
		double x = x_of(p, ns);

		/* Right-align a label that would extend beyond the edge. */
		str_addf(p->out,
			 "<line class=\"axis\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%u\" y2=\"%u\"/>"
			 "<text class=\"about %s\" x=\"%.1f\" y=\"%u\">%.9g s</text>\n",
			 x, x, height, height + 4,
			 x > SVG_WIDTH - 2 * SVG_MARGIN ? "scale" : "tick", x, height + 17,
			 (double)ns / NS_PER_SEC);
	}
}

/* ---- one map ------------------------------------------------------------------------------ */

static u32 map_head(const struct picture *p, size_t i)
{
	const struct heat_map *map = p->shown[i];
	bool is_new = !i || p->shown[i - 1]->of != map->of;

	return (is_new ? HEADING_PITCH : 0) + (map->key ? LINE_PITCH : 0) + LINE_PITCH + 6;
}

static u32 map_height(const struct picture *p, size_t i)
{
	struct rows rows = rows_of(p->shown[i]);

	return map_head(p, i) + rows.n * rows.height + (rows.n ? 2 * LINE_PITCH : 0) + 8;
}

static void add_plot(struct picture *p, const struct dist *d, const struct heat_map *map,
		     const struct rows *rows, u32 y)
{
	const struct heat_column *c;
	u32 height = rows->n * rows->height;

	str_addf(
		p->out,
		"<g transform=\"translate(0,%u)\">\n"
		"<rect class=\"plot\" x=\"%d\" width=\"%d\" height=\"%u\"/>\n<g class=\"cells\">\n",
		y, LEFT, PLOT, height);
	vec_for_each(c, &map->columns)
		for (u32 row = 0; row < rows->n; row++)
			add_cell(p, d, c, rows, row);
	str_adds(p->out, "</g>\n");
	add_scale(p, d, rows);
	add_ticks(p, height);
	str_adds(p->out, "</g>\n");
}

static void add_map(struct picture *p, size_t i, u32 y)
{
	const struct heat_map *map = p->shown[i];
	const struct dist *d = &p->maps->dists.items[map->of];
	struct rows rows = rows_of(map);
	struct str name = { 0 };
	u32 plot = y + map_head(p, i);

	if (!i || p->shown[i - 1]->of != map->of) {
		y += HEADING_PITCH;
		add_line(p, "heading", y - 4, d->title);
	}
	if (map->key) {
		y += LINE_PITCH;
		add_line(p, "key", y - 2, map->key);
	}
	heat_add_name(&name, d);
	add_line(p, "about", y + LINE_PITCH - 2, rows.n ? str_text(&name) : "Nothing was counted.");
	str_release(&name);
	if (rows.n)
		add_plot(p, d, map, &rows, plot);
}

/* ---- head --------------------------------------------------------------------------------- */

/* `lost`: NULL in a page, which shows the losses elsewhere. */
static void add_counted(struct picture *p, const struct ledger *lost, struct str *out)
{
	const struct heat_maps *m = p->maps;

	units_add_total(out, m->run, m->total);
	str_adds(out, ", ");
	units_add_grouped(out, m->n_reports);
	str_adds(out, m->n_reports == 1 ? " interval" : " intervals");
	if (m->per_window > 1)
		str_addf(out, ", %u in a column", m->per_window);
	if (p->n_hidden) {
		str_addf(out, ", %llu %s with ", p->n_hidden, p->n_hidden == 1 ? "key" : "keys");
		units_add_total(out, m->run, p->hidden);
		str_adds(out, " not drawn");
	}
	if (!lost)
		return;
	str_adds(out, "  \xc2\xb7  ");
	about_losses(out, lost);
}

/* The levels in use, from the right edge to the left. */
static void add_legend(struct picture *p)
{
	double x = SVG_WIDTH - SVG_MARGIN;
	u64 last = p->most;

	str_adds(p->out, "<g class=\"legend\">\n");
	for (u32 i = HEAT_LEVELS; i-- > 0;) {
		struct str label = { 0 };

		if (p->from[i] > last)
			continue;
		str_addf(&label, "%llu", p->from[i]);
		x -= CHAR_WIDTH * (double)label.n + 16;
		str_addf(p->out,
			 "<rect class=\"h%u\" x=\"%.1f\" y=\"%d\" width=\"12\" height=\"12\"/>"
			 "<text x=\"%.1f\" y=\"%d\">%s<title>%llu to %llu</title></text>\n",
			 i, x, SVG_TITLE_Y - 15, x + 16, SVG_TITLE_Y - 5, str_text(&label),
			 p->from[i], last);
		x -= 10;
		last = p->from[i] - 1;
		str_release(&label);
	}
	str_addf(p->out,
		 "<text class=\"scale\" x=\"%.1f\" y=\"%d\">events in a cell, at least</text>\n"
		 "</g>\n",
		 x, SVG_TITLE_Y - 5);
}

/* ---- drawing ------------------------------------------------------------------------------ */

static void add_maps(struct picture *p, u32 y)
{
	if (!p->n_shown)
		add_line(p, "about", y + LINE_PITCH, "Nothing was counted.");
	for (size_t i = 0; i < p->n_shown; i++) {
		add_map(p, i, y);
		y += map_height(p, i);
	}
}

static u32 maps_height(const struct picture *p)
{
	u32 height = p->n_shown ? 0 : LINE_PITCH;

	for (size_t i = 0; i < p->n_shown; i++)
		height += map_height(p, i);
	return height;
}

void heat_svg_draw(struct render *out, const struct ledger *lost, bool is_inline)
{
	struct picture p = { .out = &out->sink->buf, .sink = out->sink, .maps = out->maps };
	struct svg_page page;
	u32 head, height;

	if (!p.maps || !p.maps->n_windows)
		return;
	choose(&p, out->opts->top);
	measure(&p);
	svg_page_init(&page, p.out, p.maps->run, "Heat map", begin_ns(&p), end_ns(&p), is_inline);
	add_counted(&p, is_inline ? NULL : lost, &page.lines[2]);
	head = svg_page_head_height(&page) + HEAD_GAP;
	height = head + maps_height(&p) + SVG_MARGIN;
	svg_page_start(&page, height);
	str_adds(p.out, svg_heat_style);
	str_adds(p.out, svg_scale_style);
	str_adds(p.out, "</style>\n");
	svg_page_ground(&page, height);
	svg_page_head(&page, head - 6);
	if (p.most)
		add_legend(&p);
	add_maps(&p, head);
	str_adds(p.out, "</svg>\n");
	out->n_records += p.n_shown;
	svg_page_release(&page);
	free(p.shown);
}

void heat_svg_collect(struct render *out, const struct report *r)
{
	if (!out->maps)
		out->maps = mem_alloc(1, sizeof(*out->maps));
	if (!r->is_snapshot)
		heat_maps_add(out->maps, r);
}

void heat_svg_report(struct render *out, const struct report *r)
{
	heat_svg_collect(out, r);
	if (r->is_snapshot)
		heat_svg_draw(out, &r->ledger, false);
}

void heat_svg_end(struct render *out, const struct run_end *end)
{
	heat_svg_draw(out, &end->ledger, false);
}

void heat_svg_release(struct render *out)
{
	if (!out->maps)
		return;
	heat_maps_release(out->maps);
	free(out->maps);
	out->maps = NULL;
}
