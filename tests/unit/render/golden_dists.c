// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Distributions written by hand, in text and in JSON. */
#include <math.h>

#include "goldens.h"
#include "reports.h"

/* A row of a distribution: its key, its buckets. */
static void sample_row(struct dist *d, const char *const *key, u32 first, const u64 *buckets, u32 n)
{
	struct dist_row row = { .key = key, .first = first, .n = n };

	row.buckets = mem_alloc(n + 1, sizeof(*row.buckets));
	for (u32 i = 0; i < n; i++) {
		row.buckets[i] = buckets[i];
		row.count += buckets[i];
	}
	d->total += row.count;
	vec_push(&d->rows, row);
}

static const char *const sample_keys[] = { "comm", "fd" };
static const char *const sample_bash[] = { "bash", "3" }, *const sample_odd[] = { "o\x1b[2Jdd",
										  "-1" };

static struct dist sample_counts(void)
{
	struct dist d = { .kind = DIST_COUNTS,
			  .title = "p:c:write(int fd):int:fd",
			  .probe = "p:c:write",
			  .key_names = sample_keys,
			  .n_keys = 2 };

	vec_push(&d.rows, (struct dist_row){ .key = sample_bash, .count = 120 });
	vec_push(&d.rows, (struct dist_row){ .key = sample_odd, .count = 7 });
	vec_push(&d.rows, (struct dist_row){ .count = 2 });
	d.total = 129;
	return d;
}

static struct dist sample_calls(void)
{
	static const char *const none;
	struct dist d = { .kind = DIST_COUNTS,
			  .title = "fork calls",
			  .label = "fork calls",
			  .probe = "p:c:fork",
			  .event_name = "total calls" };

	vec_push(&d.rows, (struct dist_row){ .key = &none, .count = 3 });
	d.total = 3;
	return d;
}

static struct dist sample_histogram(enum dist_scale scale)
{
	static const s64 bounds[] = { 1000, 1000000 };
	static const u64 around_zero[] = { 1, 0, 3, 40 }, few[] = { 5, 0, 2 };
	struct dist d = { .kind = DIST_HISTOGRAM,
			  .title = "r:c:read():u64:$latency",
			  .probe = "r:c:read",
			  .value_name = "$latency",
			  .unit = "ns",
			  .is_signed = scale != SCALE_BOUNDS,
			  .scale = { .kind = scale, .min = -10, .step = 5, .n = 4 },
			  .key_names = sample_keys,
			  .n_keys = scale == SCALE_LOG2 ? 2 : 0 };

	if (scale == SCALE_BOUNDS) {
		d.scale.n = 2;
		d.scale.bounds = bounds;
	}
	if (scale == SCALE_LOG2) {
		sample_row(&d, sample_bash, DIST_LOG2_ZERO - 2, around_zero, 4);
		sample_row(&d, NULL, DIST_LOG2_ZERO + 10, few, 3);
	} else {
		sample_row(&d, sample_bash, 0, few, 3);
	}
	return d;
}

static struct dist sample_statistics(void)
{
	static const double percents[] = { 50, 90, 99.9 };
	static const u64 buckets[] = { 4, 0, 5, 1 };
	struct dist d = { .kind = DIST_STATISTICS,
			  .title = "p:c:malloc(size_t size):size_t:size",
			  .probe = "p:c:malloc",
			  .value_name = "size",
			  .is_signed = true,
			  .percentiles = percents,
			  .n_percentiles = 3,
			  .key_names = sample_keys,
			  .n_keys = 2 };
	struct dist_row *row;

	sample_row(&d, sample_bash, DIST_FINE_ZERO + 5, buckets, 4);
	row = &d.rows.items[0];
	row->sum = 63;
	row->least = 5;
	row->greatest = 8;
	sample_row(&d, sample_odd, DIST_FINE_ZERO - 3, buckets, 1);
	row = &d.rows.items[1];
	row->sum = (u64)-8;
	row->least = row->greatest = (u64)-2;
	return d;
}

static void sample_table_row(struct dist *d, const char *const *key, u64 hits, u64 sum, u64 n)
{
	struct dist_row row = { .key = key, .count = hits + n };

	row.cells = mem_alloc(4, sizeof(*row.cells));
	row.cells[0] = (struct dist_cell){ .count = hits };
	row.cells[1] = (struct dist_cell){ .count = n, .value = sum };
	row.cells[2] = (struct dist_cell){ .count = n, .value = sum };
	row.cells[3] = (struct dist_cell){ .count = n, .value = (u64)-5 };
	row.derived = mem_alloc(2, sizeof(*row.derived));
	row.derived[0] = 1.25;
	row.derived[1] = n ? (double)hits / (double)n : (double)NAN;
	d->total += row.count;
	vec_push(&d->rows, row);
}

static struct dist sample_table(void)
{
	static const struct dist_column columns[] = { { "HITS", DIST_FN_COUNT, false },
						      { "BYTES", DIST_FN_SUM, false },
						      { "MEAN", DIST_FN_AVG, false },
						      { "LEAST", DIST_FN_MIN, true } };
	static const char *const derived[] = { "_HIDDEN", "RATIO" };
	struct dist d = { .kind = DIST_TABLE,
			  .key_names = sample_keys,
			  .n_keys = 2,
			  .columns = columns,
			  .n_columns = 4,
			  .derived_names = derived,
			  .n_derived = 2 };

	sample_table_row(&d, sample_bash, 3, 4096, 2);
	sample_table_row(&d, sample_odd, 17, 0, 0);
	return d;
}

static struct dist sample_heat(void)
{
	return (struct dist){ .kind = DIST_HISTOGRAM,
			      .title = "r:syscall:read():u64:$latency",
			      .probe = "r:syscall:read",
			      .value_name = "$latency",
			      .unit = "ns",
			      .scale = { .kind = SCALE_LOG2 } };
}

static struct report report_of(const struct run_info *run)
{
	return (struct report){ .run = run, .kind = REPORT_DISTS, .end_ns = 5 * NS_PER_SEC };
}

static void check_dists(const char *name, struct report *r, const struct render_opts *opts)
{
	const struct report *reports = r;

	check_in(name, &reports, 1, IN_TEXT, opts);
	check_in(name, &reports, 1, IN_JSON, opts);
	check_in(name, &reports, 1, IN_HTML, opts);
	report_release(r);
}

static void check_text_of(const char *name, const struct report *r, const struct render_opts *opts)
{
	check_in(name, &r, 1, IN_TEXT, opts);
}

TEST(distributions)
{
	struct sample s;
	struct report r;

	sample_init(&s, NULL, 0);
	s.run.unit = UNIT_EVENTS;
	r = report_of(&s.run);
	vec_push(&r.dists, sample_counts());
	vec_push(&r.dists, sample_calls());
	vec_push(&r.dists, sample_histogram(SCALE_LOG2));
	vec_push(&r.dists, sample_histogram(SCALE_LINEAR));
	vec_push(&r.dists, sample_histogram(SCALE_BOUNDS));
	vec_push(&r.dists, sample_statistics());
	vec_push(&r.dists, sample_table());
	check_dists("distributions", &r, &plain);
	sample_release(&s);
}

/* Keys with stacks: of the kernel and of the user; of the user alone, without another key. */
TEST(distributions_by_stack)
{
	static const struct frame frames[] = {
		{ .name = "vfs_write", .kind = FRAME_KERNEL },
		{ .name = "main", .module = "/bin/bash", .kind = FRAME_USER },
		{ .module = "/bin/bash", .off = 0x1234, .kind = FRAME_USER },
		{ .name = FRAME_MISSED_USER, .kind = FRAME_NOTE },
	};
	static const char *const none;
	struct dist hist = sample_histogram(SCALE_LOG2), alone = sample_histogram(SCALE_LINEAR),
		    table = sample_table();
	struct sample s;
	struct report r;

	sample_init(&s, frames, ARRAY_SIZE(frames));
	s.run.unit = UNIT_EVENTS;
	hist.has_stacks = alone.has_stacks = table.has_stacks = true;
	hist.rows.items[0].kernel = table.rows.items[0].kernel = sample_path(&s, PATH(0));
	hist.rows.items[0].user = table.rows.items[0].user = sample_path(&s, PATH(2, 1));
	alone.rows.items[0].key = &none;
	alone.rows.items[0].user = table.rows.items[1].user = sample_path(&s, PATH(3));
	sample_table_row(&table, NULL, 2, 1, 1);
	r = report_of(&s.run);
	r.frames = s.report.frames;
	r.n_frames = s.report.n_frames;
	r.nodes = s.nodes.items;
	r.n_nodes = s.nodes.n;
	vec_push(&r.dists, hist);
	vec_push(&r.dists, alone);
	vec_push(&r.dists, table);
	check_dists("distributions-stacks", &r, &plain);
	sample_release(&s);
}

TEST(distributions_cut)
{
	const struct render_opts opts = { .top = 1, .color = COLOR_NEVER };
	struct sample s;
	struct report r;

	sample_init(&s, NULL, 0);
	s.run.unit = UNIT_EVENTS;
	r = report_of(&s.run);
	vec_push(&r.dists, sample_counts());
	vec_push(&r.dists, sample_histogram(SCALE_LOG2));
	check_dists("distributions-cut", &r, &opts);
	sample_release(&s);
}

/* Tables as tools have them, with one key and with all of them before the numbers. */
TEST(distributions_ordered)
{
	struct render_opts opts = { .keys_first = 1, .greatest_first = true, .color = COLOR_NEVER };
	struct sample s;
	struct report r;

	sample_init(&s, NULL, 0);
	s.run.unit = UNIT_EVENTS;
	r = report_of(&s.run);
	vec_push(&r.dists, sample_histogram(SCALE_LOG2));
	vec_push(&r.dists, sample_statistics());
	vec_push(&r.dists, sample_table());
	sample_table_row(&r.dists.items[2], NULL, 2, 1, 1);
	check_text_of("distributions-ordered", &r, &opts);
	opts.keys_first = DIST_MAX_KEYS;
	opts.top = 1;
	check_text_of("distributions-keys-first", &r, &opts);
	report_release(&r);
	sample_release(&s);
}

/* Reports over time, as --heat asks for them. */
static void check_heat(const char *name, const struct report *reports, u32 n, u32 format,
		       const struct render_opts *opts)
{
	const struct report *list[4];
	const struct drawing d = {
		.run = reports[0].run,
		.kinds = REPORT_HEAT,
		.reports = list,
		.n_reports = n,
		.end = { .reason = "done",
			 .elapsed_ns = reports[n - 1].end_ns,
			 .intervals = n,
			 .ledger = reports[n - 1].ledger },
	};

	CHECK(n <= ARRAY_SIZE(list));
	for (u32 i = 0; i < n; i++)
		list[i] = &reports[i];
	check_drawing(name, &d, format, opts);
}

static void heat_sample_init(struct sample *s)
{
	sample_init(s, NULL, 0);
	s->run.title = "Heat map";
	s->run.event = NULL;
	s->run.unit = UNIT_EVENTS;
	s->run.interval_ns = NS_PER_SEC;
}

static struct report heat_report(const struct run_info *run, u32 i)
{
	struct report r = report_of(run);

	r.interval = i;
	r.start_ns = i ? i * NS_PER_SEC + (i - 1) * NS_PER_MS : 0;
	r.end_ns = (i + 1) * NS_PER_SEC + i * NS_PER_MS;
	return r;
}

/* A histogram that grows to both sides, an empty window, then one of a single bucket. */
TEST(distributions_heat)
{
	static const u64 first[] = { 1, 0, 30, 400, 12 }, wider[] = { 9, 1, 0, 2, 900, 3, 0, 0, 5 },
			 single[] = { 7 };
	const struct render_opts opts = { .heat = true, .color = COLOR_NEVER },
				 colored = { .heat = true, .color = COLOR_ALWAYS };
	struct report r[4];
	struct sample s;

	heat_sample_init(&s);
	for (u32 i = 0; i < 4; i++) {
		struct dist d = sample_heat();

		r[i] = heat_report(&s.run, i);
		if (i == 0)
			sample_row(&d, NULL, DIST_LOG2_ZERO + 11, first, 5);
		else if (i == 1)
			sample_row(&d, NULL, DIST_LOG2_ZERO + 9, wider, 9);
		else if (i == 3)
			sample_row(&d, NULL, DIST_LOG2_ZERO + 12, single, 1);
		vec_push(&r[i].dists, d);
	}
	check_heat("distributions-heat", r, 4, IN_TEXT, &opts);
	check_heat("distributions-heat", r, 4, IN_JSON, &opts);
	check_heat("distributions-heat", r, 4, IN_SVG, &opts);
	check_heat("distributions-heat", r, 4, IN_HTML, &opts);
	check_heat("distributions-hot", r, 4, IN_TEXT, &colored);
	for (u32 i = 0; i < 4; i++)
		report_release(&r[i]);
	sample_release(&s);
}

/* Keys of hostile bytes, one of which is not drawn; negative values; a scale whose first and last
 * buckets hold values beyond it; a histogram without events. */
TEST(distributions_heat_keys)
{
	static const char *const nasty[] = { "</title><script>alert(1)</script>\x1b[2J\xff]]>&\"'",
					     "7" };
	static const u64 around_zero[] = { 1, 0, 3, 40 };
	const struct render_opts opts = { .heat = true, .top = 2, .color = COLOR_NEVER };
	struct report r[3];
	struct sample s;

	heat_sample_init(&s);
	for (u32 i = 0; i < 3; i++) {
		struct dist keyed = sample_histogram(SCALE_LOG2), empty = sample_heat();

		r[i] = heat_report(&s.run, i);
		r[i].ledger.lost[LOST_map_full] = i;
		if (i)
			sample_row(&keyed, nasty, DIST_LOG2_ZERO - 1, around_zero, 4);
		vec_push(&r[i].dists, keyed);
		vec_push(&r[i].dists, sample_histogram(SCALE_LINEAR));
		vec_push(&r[i].dists, sample_histogram(SCALE_BOUNDS));
		vec_push(&r[i].dists, empty);
	}
	check_heat("distributions-heat-keys", r, 3, IN_TEXT, &opts);
	check_heat("distributions-heat-keys", r, 3, IN_JSON, &opts);
	check_heat("distributions-heat-keys", r, 3, IN_SVG, &opts);
	check_heat("distributions-heat-keys", r, 3, IN_HTML, &opts);
	for (u32 i = 0; i < 3; i++)
		report_release(&r[i]);
	sample_release(&s);
}
