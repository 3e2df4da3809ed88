// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The samples of a page over time: a column for each second, from bottom to top a cell for each
 * 50 ms of it.  A pattern that comes back every second is a horizontal line, a stall is a gap.
 *
 * The script shows the samples of a range in the flame graph.  It needs no stacks for that, only
 * how many samples each has in each bin, in the order in which the graph draws them: the edges of
 * every box are edges of stacks.
 */
#include <stdlib.h>

#include "model/timeline.h"
#include "render/flame.h"
#include "render/html.h"
#include "render/htmltable.h"
#include "render/svgpage.h"

#define CELL_HEIGHT  9
#define CELL_WIDEST  24
#define CELL_LOWEST  2	  /* narrowest column; a longer report scrolls */
#define PLOT_WIDTH   1080 /* all columns together, unless there are too many */
#define LEFT	     64	  /* labels of the vertical axis */
#define TOP	     4
#define BOTTOM	     22
#define LABEL_WIDTH  70 /* least distance of labels on the time axis */
#define LEVELS	     9	/* classes h0 ... h8 */
#define PLOT_HEIGHT  ((int)TIMELINE_PER_SECOND * CELL_HEIGHT)
#define COLUMNS_MOST 7200 /* two hours */

struct plot {
	struct str *out;
	u64 *totals;  /* samples in each bin, from `first` on */
	u32 first, n; /* bins; both are multiples of a second */
	u32 width;    /* one column */
	u64 most;     /* largest of the totals */
};

static u32 columns(const struct plot *p)
{
	return p->n / TIMELINE_PER_SECOND;
}

/* The seconds of the report's window, as far as they can be drawn. */
static void measure(struct plot *p, const struct report *r, const struct timeline *t)
{
	u64 first = r->start_ns / NS_PER_SEC, end = (r->end_ns + NS_PER_SEC - 1) / NS_PER_SEC;
	const struct timeline_bin *b;

	if (end <= first)
		end = first + 1;
	if (end - first > COLUMNS_MOST)
		end = first + COLUMNS_MOST;
	p->first = (u32)first * TIMELINE_PER_SECOND;
	p->n = (u32)(end - first) * TIMELINE_PER_SECOND;
	p->totals = mem_alloc(p->n, sizeof(*p->totals));
	vec_for_each(b, &t->bins) {
		u32 at = b->bin - p->first;

		if (b->bin < p->first || at >= p->n)
			continue;
		p->totals[at] += b->n;
		if (p->totals[at] > p->most)
			p->most = p->totals[at];
	}
	p->width = PLOT_WIDTH / columns(p);
	p->width = p->width > CELL_WIDEST ? CELL_WIDEST : p->width;
	p->width = p->width < CELL_LOWEST ? CELL_LOWEST : p->width;
}

static void add_cell(const struct plot *p, u32 i)
{
	u32 row = i % TIMELINE_PER_SECOND;
	u64 ms = (u64)(p->first + i) * (TIMELINE_BIN_NS / NS_PER_MS);

	if (!p->totals[i])
		return;
	str_addf(p->out,
		 "<rect class=\"h%llu\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%d\"><title>",
		 (p->totals[i] * LEVELS - 1) / p->most, i / TIMELINE_PER_SECOND * p->width,
		 (TIMELINE_PER_SECOND - 1 - row) * CELL_HEIGHT,
		 p->width > 4 ? p->width - 1 : p->width, CELL_HEIGHT - 1);
	str_addf(p->out, "%llu.%03llu s: %llu %s</title></rect>\n", ms / 1000, ms % 1000,
		 p->totals[i], p->totals[i] == 1 ? "sample" : "samples");
}

static void add_axes(const struct plot *p)
{
	static const u32 steps[] = { 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800 };
	u32 step = steps[ARRAY_SIZE(steps) - 1];

	for (size_t i = ARRAY_SIZE(steps); i-- > 0;)
		if (steps[i] * p->width >= LABEL_WIDTH)
			step = steps[i];
	for (u32 i = 0; i < columns(p); i++)
		if ((p->first / TIMELINE_PER_SECOND + i) % step == 0)
			str_addf(p->out, "<text x=\"%u\" y=\"%d\">%u s</text>\n", i * p->width,
				 PLOT_HEIGHT + 16, p->first / TIMELINE_PER_SECOND + i);
	for (u32 ms = 0; ms < 1000; ms += 250)
		str_addf(p->out, "<text class=\"scale\" x=\"-8\" y=\"%d\">+%u ms</text>\n",
			 PLOT_HEIGHT - (int)ms * PLOT_HEIGHT / 1000, ms);
}

static void add_plot(struct render *out, const struct plot *p)
{
	u32 width = columns(p) * p->width;

	str_addf(p->out,
		 "<div class=\"scroll\"><svg id=\"bins\" width=\"%u\" height=\"%d\" tabindex=\"0\" "
		 "role=\"application\" aria-label=\"Samples over time\" first=\"%u\" n=\"%u\" "
		 "bin=\"%llu\" column=\"%u\" cell=\"%d\" left=\"%d\" top=\"%d\">\n",
		 LEFT + width + LABEL_WIDTH, TOP + PLOT_HEIGHT + BOTTOM, p->first, p->n,
		 TIMELINE_BIN_NS / NS_PER_MS, p->width, CELL_HEIGHT, LEFT, TOP);
	str_addf(p->out,
		 "<g transform=\"translate(%d,%d)\"><rect class=\"plot\" width=\"%u\" "
		 "height=\"%d\"/>\n",
		 LEFT, TOP, width, PLOT_HEIGHT);
	for (u32 i = 0; i < p->n; i++) {
		add_cell(p, i);
		sink_spill(out->sink);
	}
	add_axes(p);
	str_adds(p->out, "</g>\n</svg></div>\n");
}

/* For each stack from left to right: [its samples, bin, samples in it, bin, ...]. */
static void add_data(struct render *out, const struct flame *f)
{
	const struct timeline_bin *b = f->timeline.bins.items, *end = b + f->timeline.bins.n;
	struct str *buf = &out->sink->buf;

	str_adds(buf, "<script type=\"application/json\" id=\"stacks-by-time\">[");
	for (u32 i = 0; i < f->values.n; i++) {
		str_addf(buf, "%s[%llu", i ? ",\n" : "", f->values.items[i]);
		for (; b < end && b->row == i; b++)
			str_addf(buf, ",%u,%llu", b->bin, b->n);
		str_addc(buf, ']');
		sink_spill(out->sink);
	}
	str_adds(buf, "]</script>\n");
}

void html_timeline(struct render *out, const struct report *r)
{
	struct plot p = { .out = &out->sink->buf, .most = 1 };
	struct flame flame;

	flame_layout(r, out->opts->delimited, 0, &flame);
	measure(&p, r, &flame.timeline);
	html_section_start(p.out, "timeline", "Timeline");
	str_addf(p.out, "<style>\n%s</style>\n", svg_scale_style);
	str_adds(p.out,
		 "<p class=\"note\">Samples per 50 ms: a column for each second, time goes up in "
		 "it.  Mark a range with the mouse, or with the arrow keys and Shift, to see only "
		 "its samples in the flame graph; Esc shows all again.</p>\n");
	add_plot(out, &p);
	str_adds(p.out, "<p class=\"note\"><output id=\"range\">All samples</output></p>\n");
	add_data(out, &flame);
	html_section_end(p.out);
	free(p.totals);
	flame_release(&flame);
}
