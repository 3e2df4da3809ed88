// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/heatmap.h"

#include <string.h>

#include "base/str.h"
#include "render/textwriter.h"

#define OTHERS "[other]"

/* ---- columns ------------------------------------------------------------------------------ */

static void release_column(struct heat_column *c)
{
	sparse_release(&c->buckets);
	c->count = 0;
}

static void add_buckets(struct heat_column *c, u32 first, const u64 *buckets, u32 n)
{
	if (!n)
		return;
	sparse_cover(&c->buckets, first, first + n);
	for (u32 i = 0; i < n; i++) {
		c->buckets.v[first - c->buckets.from + i] += buckets[i];
		c->count += buckets[i];
	}
}

/* The column of the map for a window: the last one, or a new one. */
static struct heat_column *column_of(struct heat_map *map, u32 window)
{
	if (!map->columns.n || map->columns.items[map->columns.n - 1].window != window)
		vec_push(&map->columns, (struct heat_column){ .window = window });
	return &map->columns.items[map->columns.n - 1];
}

/* ---- windows ------------------------------------------------------------------------------ */

static void halve_map(const struct heat_maps *m, struct heat_map *map)
{
	struct heat_map to = *map;
	struct heat_column *c;

	memset(&to.columns, 0, sizeof(to.columns));
	vec_for_each(c, &map->columns) {
		struct heat_column *into = column_of(&to, c->window / 2);

		if (m->is_cumulative)
			release_column(into);
		add_buckets(into, c->buckets.from, c->buckets.v, c->buckets.n);
		release_column(c);
	}
	vec_release(&map->columns);
	*map = to;
}

/* Merge windows in pairs. */
static void halve(struct heat_maps *m)
{
	struct heat_window *w = m->windows;
	struct heat_map *map;

	for (size_t i = 0; i + 1 < HEAT_COLUMNS; i += 2)
		w[i / 2] = (struct heat_window){ w[i].start_ns, w[i + 1].end_ns,
						 w[i].n_reports + w[i + 1].n_reports };
	m->n_windows = HEAT_COLUMNS / 2;
	m->per_window *= 2;
	vec_for_each(map, &m->maps)
		halve_map(m, map);
}

/* The window that the report belongs to. */
static u32 window_of(struct heat_maps *m, const struct report *r)
{
	struct heat_window *last = m->n_windows ? &m->windows[m->n_windows - 1] : NULL;

	if (!last || last->n_reports == m->per_window) {
		struct heat_window next = { .start_ns = last ? last->end_ns : r->start_ns };

		if (last && m->n_windows == HEAT_COLUMNS)
			halve(m);
		last = &m->windows[m->n_windows++];
		*last = next;
	}
	last->end_ns = r->end_ns;
	last->n_reports++;
	return m->n_windows - 1;
}

/* ---- maps --------------------------------------------------------------------------------- */

static struct heat_map *find_map(struct heat_maps *m, u32 of, const char *key)
{
	struct heat_map *map;

	vec_for_each(map, &m->maps)
		if (map->of == of && (!key || !strcmp(map->key, key)))
			return map;
	return NULL;
}

static struct heat_map *map_of(struct heat_maps *m, u32 of, const char *key)
{
	struct heat_map *map = find_map(m, of, key);

	if (!map && key && m->maps.n >= HEAT_MAPS) {
		key = OTHERS;
		map = find_map(m, of, key);
	}
	if (map)
		return map;
	vec_push(&m->maps, (struct heat_map){ .of = of, .key = key ? mem_strdup(key) : NULL });
	return &m->maps.items[m->maps.n - 1];
}

static void add_row(struct heat_maps *m, u32 of, const struct dist *d, const struct dist_row *row,
		    u32 window)
{
	struct heat_column *c;
	struct heat_map *map;
	struct str key = { 0 };

	if (d->n_keys)
		text_add_key(&key, d, row);
	map = map_of(m, of, d->n_keys ? str_text(&key) : NULL);
	str_release(&key);
	c = column_of(map, window);
	map->total += row->count;
	add_buckets(c, row->first, row->buckets, row->n);
}

/* Drop the counts of the last window: each report of a cumulative run includes the one before. */
static void forget(struct heat_maps *m, u32 window)
{
	struct heat_map *map;

	m->total = 0;
	vec_for_each(map, &m->maps) {
		map->total = 0;
		if (map->columns.n && map->columns.items[map->columns.n - 1].window == window)
			release_column(&map->columns.items[map->columns.n - 1]);
	}
}

/* A histogram without keys gets a map even if it is empty. */
static void add_dist(struct heat_maps *m, u32 of, const struct dist *d, u32 window)
{
	u32 *order = dist_order(d);

	if (of == m->dists.n) {
		struct dist shown = *d;

		memset(&shown.rows, 0, sizeof(shown.rows));
		vec_push(&m->dists, shown);
	}
	if (!d->n_keys)
		map_of(m, of, NULL);
	for (size_t i = 0; i < d->rows.n; i++)
		add_row(m, of, d, &d->rows.items[order[i]], window);
	m->total += d->total;
	free(order);
}

void heat_maps_add(struct heat_maps *m, const struct report *r)
{
	u32 window;

	m->run = r->run;
	if (!m->per_window)
		m->per_window = 1;
	if (r->interval && !r->start_ns)
		m->is_cumulative = true;
	window = window_of(m, r);
	if (m->is_cumulative)
		forget(m, window);
	m->n_reports++;
	for (u32 i = 0; i < r->dists.n; i++)
		add_dist(m, i, &r->dists.items[i], window);
}

void heat_maps_release(struct heat_maps *m)
{
	struct heat_map *map;
	struct heat_column *c;

	vec_for_each(map, &m->maps) {
		vec_for_each(c, &map->columns)
			release_column(c);
		vec_release(&map->columns);
		free(map->key);
	}
	vec_release(&m->maps);
	vec_release(&m->dists);
}
