// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Histograms over time stay bounded, and lose nothing by it. */
#include "render/heatmap.h"

#include <stdio.h>
#include <string.h>

#include "test.h"

static const char *const key_names[] = { "fd" };

static struct dist histogram(u32 n_keys)
{
	return (struct dist){ .kind = DIST_HISTOGRAM,
			      .title = "h",
			      .value_name = "v",
			      .key_names = key_names,
			      .n_keys = n_keys };
}

static void add_row(struct dist *d, const char *const *key, u32 bucket, u64 n)
{
	struct dist_row row = { .key = key, .first = bucket, .n = 1, .count = n };

	row.buckets = mem_alloc(1, sizeof(*row.buckets));
	row.buckets[0] = n;
	d->total += n;
	vec_push(&d->rows, row);
}

/* One report: `n` events in a bucket. */
static void add_report(struct heat_maps *m, u32 i, bool is_cumulative, u32 bucket, u64 n)
{
	struct report r = { .kind = REPORT_DISTS,
			    .interval = i,
			    .start_ns = is_cumulative ? 0 : i * NS_PER_SEC,
			    .end_ns = (i + 1) * NS_PER_SEC };
	struct dist d = histogram(0);

	if (n)
		add_row(&d, NULL, bucket, n);
	vec_push(&r.dists, d);
	heat_maps_add(m, &r);
	report_release(&r);
}

static u64 total_of(const struct heat_map *map)
{
	const struct heat_column *c;
	u64 sum = 0;

	vec_for_each(c, &map->columns) {
		u64 in_column = 0;

		for (u32 i = 0; i < c->buckets.n; i++)
			in_column += c->buckets.v[i];
		CHECK(in_column == c->count);
		sum += in_column;
	}
	return sum;
}

static void check_windows(const struct heat_maps *m, u32 n_reports)
{
	u64 reports = 0;

	CHECK(m->n_windows <= HEAT_COLUMNS);
	for (u32 i = 0; i < m->n_windows; i++) {
		const struct heat_window *w = &m->windows[i];

		CHECK(w->start_ns == reports * NS_PER_SEC);
		reports += w->n_reports;
		CHECK(w->end_ns == reports * NS_PER_SEC);
		CHECK(w->n_reports == m->per_window || i == m->n_windows - 1);
	}
	CHECK(reports == n_reports);
}

/* As many windows as there are columns, and more; every third report is empty. */
TEST(windows_become_wider)
{
	static const u32 counts[] = { 1, 2, 239, 240, 241, 242, 480, 481, 3000 };

	for (u32 i = 0; i < ARRAY_SIZE(counts); i++) {
		struct heat_maps m = { 0 };
		u64 sum = 0;

		for (u32 k = 0; k < counts[i]; k++) {
			add_report(&m, k, false, 60 + k % 7, k % 3);
			sum += k % 3;
		}
		check_windows(&m, counts[i]);
		CHECK(m.maps.n == 1 && m.dists.n == 1);
		CHECK(m.total == sum && m.maps.items[0].total == sum);
		CHECK(total_of(&m.maps.items[0]) == sum);
		heat_maps_release(&m);
	}
}

/* Reports that hold all since the start are not added up. */
TEST(cumulative_windows_keep_the_last)
{
	struct heat_maps m = { 0 };
	const struct heat_map *map;

	for (u32 k = 0; k < 500; k++)
		add_report(&m, k, true, 64, k + 1);
	check_windows(&m, 500);
	CHECK(m.per_window == 4 && m.total == 500);
	map = &m.maps.items[0];
	CHECK(map->total == 500 && map->columns.n == m.n_windows);
	for (u32 i = 0; i < map->columns.n; i++)
		CHECK(map->columns.items[i].count == (i + 1) * 4);
	heat_maps_release(&m);
}

/* Keys that arrive when there is no room share the last map. */
TEST(keys_without_room_are_others)
{
	struct heat_maps m = { 0 };
	u64 sum = 0;

	for (u32 i = 0; i < 3; i++) {
		struct report r = { .kind = REPORT_DISTS,
				    .interval = i,
				    .start_ns = i * NS_PER_SEC,
				    .end_ns = (i + 1) * NS_PER_SEC };
		struct dist d = histogram(1);
		const char *keys[50];
		char texts[50][8];

		for (u32 k = 0; k < 50; k++) {
			snprintf(texts[k], sizeof(texts[k]), "%u", k);
			keys[k] = texts[k];
			/* The largest come first. */
			add_row(&d, &keys[k], 64 + i, 100 - k);
		}
		vec_push(&r.dists, d);
		heat_maps_add(&m, &r);
		report_release(&r);
	}
	CHECK(m.maps.n == HEAT_MAPS + 1);
	CHECK_STR(m.maps.items[0].key, "fd = 0");
	CHECK_STR(m.maps.items[HEAT_MAPS].key, "[other]");
	for (u32 i = 0; i < m.maps.n; i++)
		sum += total_of(&m.maps.items[i]);
	CHECK(sum == m.total && sum == 3 * (50 * 100 - 49 * 50 / 2));
	heat_maps_release(&m);
}
