// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A report made again from its own JSON is the same, byte for byte: the golden JSON files are read,
 * and drawn in every format that has a golden file of the same report.
 */
#include "saved/saved.h"
#include "goldens.h"

#define TEXT	      (1u << IN_TEXT)
#define FOLDED	      (1u << IN_FOLDED)
#define JSON	      (1u << IN_JSON)
#define PPROF	      (1u << IN_PPROF)
#define SVG	      (1u << IN_SVG)
#define HTML	      (1u << IN_HTML)
/* Without -A, JSON has no addresses, which pprof has in any case. */
#define ALL_BUT_PPROF (TEXT | FOLDED | JSON | SVG)

static const struct render_opts all_options = { .top = 3,
						.color = COLOR_ALWAYS,
						.delimited = true,
						.annotate = true,
						.addresses = true,
						.inverted = true };

static void read_golden(struct saved *s, const char *name, const char *extension)
{
	const struct saved_opts opts = { 0 };
	struct err err = { 0 };
	char path[128], *paths[] = { path };

	snprintf(path, sizeof(path), DIR "/%s.%s", name, extension);
	saved_init(s);
	if (saved_read(s, paths, 1, &opts, &err))
		printf("# %s\n", err.what);
	CHECK(!err.code);
	CHECK(s->files.n == 1);
}

static void draw_again(const struct saved *s, const char *name, u32 in,
		       const struct render_opts *opts)
{
	const struct report *reports[8];
	struct drawing d = { .run = &s->run,
			     .kinds = opts->heat ? REPORT_HEAT : s->reports.items[0].kind,
			     .reports = reports,
			     .n_reports = s->reports.n,
			     .end = saved_end(s) };

	for (size_t i = 0; i < s->reports.n && i < ARRAY_SIZE(reports); i++)
		reports[i] = &s->reports.items[i];
	for (u32 i = 0; i < ARRAY_SIZE(formats); i++)
		if (in >> i & 1)
			check_drawing(name, &d, i, opts);
}

static void check_again(const char *name, u32 in, const struct render_opts *opts)
{
	struct saved s;

	read_golden(&s, name, "json");
	draw_again(&s, name, in, opts);
	saved_release(&s);
}

TEST(server)
{
	check_again("server", ALL_BUT_PPROF, &plain);
}

TEST(server_with_addresses)
{
	check_again("options", ALL_BUT_PPROF | PPROF, &all_options);
}

TEST(offcpu)
{
	check_again("offcpu", ALL_BUT_PPROF, &plain);
}

TEST(offwake)
{
	check_again("offwake", ALL_BUT_PPROF, &plain);
}

TEST(wakeup)
{
	check_again("wakeup", ALL_BUT_PPROF, &plain);
}

TEST(chain)
{
	check_again("chain", ALL_BUT_PPROF, &plain);
}

TEST(chain_with_addresses_in_milliseconds)
{
	struct render_opts opts = all_options;

	opts.unit = "ms";
	check_again("chain-options", ALL_BUT_PPROF | PPROF, &opts);
}

TEST(paths)
{
	check_again("paths", TEXT | FOLDED | JSON, &plain);
}

TEST(ratios)
{
	check_again("ratio", ALL_BUT_PPROF | HTML, &plain);
	check_again("ratio-time", ALL_BUT_PPROF | HTML, &plain);
	check_again("ratio-none", TEXT | JSON | SVG, &plain);
	check_again("ratio-functions", TEXT | JSON | HTML, &plain);
	check_again("share", JSON | SVG | HTML, &plain);
}

TEST(functions)
{
	check_again("functions", TEXT | JSON, &plain);
}

TEST(states)
{
	check_again("states", TEXT | JSON | HTML, &plain);
}

TEST(intervals)
{
	check_again("intervals", TEXT | FOLDED | JSON, &plain);
}

TEST(counts)
{
	check_again("counts", TEXT | JSON | HTML, &plain);
	check_again("counts-wide-names", TEXT | JSON | HTML, &plain);
}

TEST(distributions)
{
	const struct render_opts cut = { .top = 1, .color = COLOR_NEVER };

	check_again("distributions", TEXT | JSON | HTML, &plain);
	check_again("distributions-stacks", TEXT | JSON | HTML, &plain);
	check_again("distributions-cut", TEXT | JSON | HTML, &cut);
}

TEST(heat_maps)
{
	const struct render_opts opts = { .heat = true, .color = COLOR_NEVER },
				 two = { .heat = true, .top = 2, .color = COLOR_NEVER };

	check_again("distributions-heat", TEXT | JSON | SVG | HTML, &opts);
	check_again("distributions-heat-keys", TEXT | JSON | SVG | HTML, &two);
}

TEST(nothing)
{
	check_again("nothing", ALL_BUT_PPROF, &plain);
}

static void check_events_again(const char *name, u32 in, const struct render_opts *opts)
{
	struct drawing d = { .kinds = REPORT_EVENTS };
	struct saved s;

	read_golden(&s, name, "json");
	CHECK(s.kinds == REPORT_EVENTS && !s.reports.n);
	d.run = &s.run;
	d.events = s.events.items;
	d.n_events = s.events.n;
	d.end = saved_end(&s);
	for (u32 i = 0; i < ARRAY_SIZE(formats); i++)
		if (in >> i & 1)
			check_drawing(name, &d, i, opts);
	saved_release(&s);
}

TEST(events)
{
	const struct render_opts colored = { .color = COLOR_ALWAYS },
				 addresses = { .addresses = true };

	check_events_again("events", TEXT | JSON, &colored);
	check_events_again("events-stacks", JSON, &colored);
	check_events_again("events-options", JSON, &addresses);
	check_events_again("events-nothing", TEXT | JSON, &colored);
	check_events_again("hostile-events", JSON, &colored);
}

/* Names that are not UTF-8 are U+FFFD in JSON, and ? elsewhere. */
TEST(hostile_names)
{
	check_again("hostile", JSON, &plain);
	check_again("hostile-wakers", JSON, &plain);
}

/* Folded lines hold nothing but names and numbers, and come back as they were. */
static void check_folded(const char *name)
{
	struct saved s;

	read_golden(&s, name, "folded");
	draw_again(&s, name, FOLDED, &plain);
	saved_release(&s);
}

TEST(folded_stacks)
{
	check_folded("server");
	check_folded("intervals");
}

TEST(folded_waits_with_their_wakers)
{
	check_folded("chain");
	check_folded("wakeup");
	check_folded("hostile");
}
