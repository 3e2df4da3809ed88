// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Histograms over time: below the name of each histogram and its scale, a line for each window, the
 * newest first.  All lines of a histogram have one scale, so that they can be compared by eye:
 *
 *	r::vfs_read():u64:$latency  comm = dd
 *	$latency (ns)  512     8192    131072
 *	      12.000 s |  ::@@..                | 1,204
 */
#include <stdlib.h>

#include "live/live_int.h"
#include "render/heattext.h"
#include "render/units.h"

#define TIME_COLUMNS 14
#define CELL	     2 /* columns */
#define LABEL_CELLS  4
#define LINES_LEAST  6 /* each map has at least this many, if there are several */
#define LINES_AROUND 3 /* name, scale, a blank line */

/* From few events to most: from dark blue over green and yellow to red. */
static const struct rgb colors[HEAT_LEVELS] = {
	{ 0, 0, 95 },	 { 0, 0, 175 },	  { 0, 95, 175 }, { 0, 135, 175 }, { 95, 175, 0 },
	{ 175, 215, 0 }, { 255, 175, 0 }, { 255, 95, 0 }, { 255, 0, 0 },
};

static void clear_lines(struct heat_lines *h)
{
	for (size_t i = 0; i < h->v.n; i++) {
		free(h->v.items[i].text);
		free(h->v.items[i].levels);
	}
	h->v.n = 0;
}

void heat_lines_release(struct heat_lines *h)
{
	clear_lines(h);
	vec_release(&h->v);
}

static bool heat_fits(const struct live *l, const struct live_source *s)
{
	(void)l;
	return s->heat.maps.n;
}

/* ---- lines: they have all that is drawn, for the maps change with each window ---- */

struct range {
	u32 from, end; /* buckets */
};

/* The buckets that any map of the distribution has. */
static struct range range_of(const struct heat_maps *m, u32 of)
{
	struct range range = { UINT32_MAX, 0 };
	const struct heat_map *map;
	const struct heat_column *c;

	vec_for_each(map, &m->maps) {
		if (map->of != of)
			continue;
		vec_for_each(c, &map->columns) {
			if (!c->count)
				continue;
			if (c->buckets.from < range.from)
				range.from = c->buckets.from;
			if (c->buckets.from + c->buckets.n > range.end)
				range.end = c->buckets.from + c->buckets.n;
		}
	}
	return range.from < range.end ? range : (struct range){ 0, 0 };
}

static struct heat_line *add_line(struct live *l, struct str *text)
{
	vec_push(&l->heat.v, (struct heat_line){ .text = mem_strdup(str_text(text)) });
	str_clear(text);
	return &l->heat.v.items[l->heat.v.n - 1];
}

static void add_head(struct live *l, const struct dist *d, const struct heat_map *map,
		     struct range range)
{
	struct str text = { 0 }, label = { 0 };

	str_adds(&text, d->title ? d->title : "");
	if (map->key)
		str_addf(&text, "  %s", map->key);
	add_line(l, &text)->is_name = true;
	heat_add_name(&label, d);
	str_addf(&text, "%*s  ", TIME_COLUMNS, str_text(&label));
	for (u32 i = range.from; i < range.end; i += LABEL_CELLS) {
		str_clear(&label);
		heat_add_label(&label, d, i);
		str_addf(&text, "%-*s", CELL * LABEL_CELLS, str_text(&label));
	}
	add_line(l, &text);
	str_release(&text);
	str_release(&label);
}

static void set_levels(struct heat_line *line, const struct heat_column *c, struct range range)
{
	u64 most = 1;

	line->n_levels = range.end - range.from;
	line->levels = mem_alloc(line->n_levels + 1, sizeof(*line->levels));
	for (u32 i = 0; i < c->buckets.n; i++)
		most = c->buckets.v[i] > most ? c->buckets.v[i] : most;
	for (u32 i = 0; i < line->n_levels; i++)
		line->levels[i] = (u8)heat_level(sparse_at(&c->buckets, range.from + i), most);
}

/* `c`: NULL: the window has no events. */
static void add_window(struct live *l, u64 end_ns, const struct heat_column *c, struct range range)
{
	struct heat_line *line;
	struct str text = { 0 };

	str_addf(&text, "%*.3f s |%*s| ", TIME_COLUMNS - 2, (double)end_ns / (double)NS_PER_SEC,
		 CELL * (int)(range.end - range.from), "");
	units_add_grouped(&text, c ? c->count : 0);
	line = add_line(l, &text);
	if (c)
		set_levels(line, c, range);
	str_release(&text);
}

/* The newest `n` windows. */
static void add_map(struct live *l, const struct heat_maps *m, const struct heat_map *map, u32 n)
{
	const struct range range = range_of(m, map->of);
	size_t column = map->columns.n;
	struct str blank = { 0 };

	add_head(l, &m->dists.items[map->of], map, range);
	for (u32 i = 0; i < n; i++) {
		u32 window = m->n_windows - 1 - i;
		const struct heat_column *c = NULL;

		if (column && map->columns.items[column - 1].window == window)
			c = &map->columns.items[--column];
		add_window(l, m->windows[window].end_ns, c, range);
	}
	add_line(l, &blank);
}

static int map_cmp(const void *a, const void *b)
{
	const struct heat_map *x = *(const struct heat_map *const *)a;
	const struct heat_map *y = *(const struct heat_map *const *)b;

	if (x->of != y->of)
		return x->of < y->of ? -1 : 1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return (x > y) - (x < y);
}

/* Several maps share the screen. */
static u32 windows_of_each(const struct live *l, const struct heat_maps *m)
{
	u32 n = m->maps.n ? l->area.rows / (u32)m->maps.n : 0;

	if (m->maps.n <= 1)
		return m->n_windows;
	n = n > LINES_LEAST + LINES_AROUND ? n - LINES_AROUND : LINES_LEAST;
	return n < m->n_windows ? n : m->n_windows;
}

static void heat_prepare(struct live *l)
{
	const struct heat_maps *m = &current_source(l)->heat;
	const struct heat_map **order = mem_alloc(m->maps.n + 1, sizeof(*order));
	u32 n = windows_of_each(l, m);

	for (size_t i = 0; i < m->maps.n; i++)
		order[i] = &m->maps.items[i];
	qsort(order, m->maps.n, sizeof(*order), map_cmp);
	clear_lines(&l->heat);
	for (size_t i = 0; i < m->maps.n; i++)
		add_map(l, m, order[i], n);
	free(order);
	list_resize(&l->list, l->heat.v.n);
}

/* ---- drawing ---- */

static void draw_cells(struct live *l, u32 row, const struct heat_line *line)
{
	bool has_color = screen_has_many_colors(l->screen);

	for (u32 i = 0; i < line->n_levels; i++) {
		u32 level = line->levels[i];
		char cell[] = { heat_paper(level), heat_paper(level), '\0' };
		struct style style = { 0 };

		if (!level)
			continue;
		if (has_color) {
			style.has_back = true;
			style.back = colors[level - 1];
			cell[0] = '\0';
		}
		screen_put(l->screen, row, TIME_COLUMNS + 2 + CELL * i, CELL, view_of(cell), style);
	}
}

static void heat_draw(struct live *l, struct area area)
{
	list_resize(&l->list, l->heat.v.n);
	list_fit(&l->list, area.rows);
	for (u32 i = 0; i < area.rows && l->list.top + i < l->heat.v.n; i++) {
		const struct heat_line *line = &l->heat.v.items[l->list.top + i];

		screen_put(l->screen, area.row + i, 0, area.columns, view_of(line->text),
			   (struct style){ .is_bold = line->is_name });
		draw_cells(l, area.row + i, line);
	}
}

/* The next name that matches. */
static void heat_find(struct live *l, bool is_forward)
{
	size_t n = l->heat.v.n;

	for (size_t step = 1; step <= n; step++) {
		size_t i = (l->list.at + (is_forward ? step : n - step)) % n;
		const struct heat_line *line = &l->heat.v.items[i];

		if (line->is_name && live_matches(l, line->text)) {
			list_select(&l->list, i);
			return;
		}
	}
}

const struct live_view heat_view = {
	.name = "heat map",
	.fits = heat_fits,
	.prepare = heat_prepare,
	.draw = heat_draw,
	.key = lines_key,
	.find = heat_find,
};
