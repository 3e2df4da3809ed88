// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Draws a flame graph in one SVG file.  The picture is complete without a script (in a README, in
 * an image viewer); a script makes it interactive in a browser.
 *
 * title                                             legend
 * command line
 * host, event, time
 * values counted, events lost
 * details . . . . . . . . . . . . . . . . tools (by the script)
 * -------------------------------------------------------------
 * boxes
 */
#include "render/svg.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "render/diff.h"
#include "render/flame.h"
#include "render/framelabel.h"
#include "render/heattext.h"
#include "render/ratio.h"
#include "render/renderer.h"
#include "render/summary.h"
#include "render/svgpage.h"
#include "render/units.h"
#include "render/xml.h"

#define TOOLS_HEIGHT 36
#define PITCH	     18 /* distance of rows */
#define BOX_HEIGHT   17
#define CHAR_WIDTH   6.95 /* monospace at 11.5 px */
#define MIN_PX	     0.1  /* narrower boxes are not drawn */
#define MARK_GAP     14

struct drawing {
	struct str *out;
	const struct report *report;
	const struct render_opts *opts;
	const struct palette *palette;
	struct flame flame;
	struct ratio_scale scale; /* if the report has ratios */
	struct str name;	  /* name of the current box */
	struct str mark;	  /* its change; empty: none, or no difference */
	u32 head, height;
};

static void add_xml(struct drawing *d, const struct str *text)
{
	xml_add(d->out, str_view(text));
}

/* ---- boxes ---- */

/* NULL: the picture is not one of differences. */
static const struct diff *diff_in(const struct drawing *d)
{
	return d->report->diff;
}

static bool has_ratios(const struct drawing *d)
{
	return report_has_ratios(d->report);
}

static bool has_shares(const struct drawing *d)
{
	return d->report->run->colors_off_cpu && !diff_in(d);
}

static const struct palette *palette_for(const struct report *r)
{
	if (r->diff)
		return palette_of_changes();
	return report_has_ratios(r) || r->run->colors_off_cpu ? palette_of_ratios()
							      : palette_of(r->run);
}

/* d->name must be that of the box. */
static struct ratio_mark box_color(const struct drawing *d, const struct flame_box *box)
{
	if (diff_in(d)) {
		struct diff_change c = diff_of_box(diff_in(d), box);

		return (struct ratio_mark){ diff_tint(&c), diff_shade(&c), "" };
	}
	if (has_ratios(d))
		return ratio_color(&box->ratio, &d->scale.whole);
	if (has_shares(d))
		return share_color(box);
	return (struct ratio_mark){ tint_of(d->palette, d->report, &box->step),
				    shade_of(str_text(&d->name)), "" };
}

static void get_mark(struct drawing *d, const struct flame_box *box)
{
	str_clear(&d->mark);
	if (diff_in(d)) {
		struct diff_change c = diff_of_box(diff_in(d), box);

		diff_add_mark(&d->mark, diff_in(d), &c);
	} else if (has_ratios(d) && box_color(d, box).tint != TINT_EVEN) {
		ratio_add_number(&d->mark, &d->scale, ratio_value(&box->ratio, &d->scale.whole).at);
	} else if (has_shares(d)) {
		str_addf(&d->mark, "%.0f %%", share_of_box(box) * 100);
	}
}

static void get_name(struct drawing *d, const struct flame_box *box)
{
	str_clear(&d->name);
	step_add_name(&d->name, d->report, &box->step);
	get_mark(d, box);
}

/* A saved report may have names of events that somebody else has chosen. */
static void add_tip(struct drawing *d, const struct flame_box *box)
{
	struct str tip = { 0 };

	ratio_add_tip(&tip, &d->scale, &box->ratio);
	xml_add(d->out, str_view(&tip));
	str_release(&tip);
}

/* Add "main (1,234 samples, 12.34 %)": shown as a tooltip, and the script's source of the name. */
static void add_title(struct drawing *d, const struct flame_box *box)
{
	/* As in text, waits that lasted through the whole window do not count in the percentages of
	 * others. */
	bool is_apart = box->left >= d->report->whole.value && box->depth;
	u64 of = d->flame.total - (is_apart ? d->report->whole.value : 0);

	str_adds(d->out, "<title>");
	add_xml(d, &d->name);
	str_adds(d->out, " (");
	if (diff_in(d)) {
		struct diff_change c = diff_of_box(diff_in(d), box);

		diff_add_tip(d->out, diff_in(d), box, &c);
		str_adds(d->out, ")</title>");
		return;
	}
	units_add_total(d->out, d->report->run, box->value);
	str_addf(d->out, ", %.2f %%", units_percent(box->value, of));
	if (has_ratios(d))
		add_tip(d, box);
	if (has_shares(d))
		str_addf(d->out, "; %.1f %% of it off the CPU", share_of_box(box) * 100);
	str_adds(d->out, ")</title>");
}

/* Add as much of the name as fits, and after it the change; add nothing if that is less than three
 * characters.  flame.js does the same. */
static void add_label(struct drawing *d, double x, double width)
{
	size_t room = width > 6 ? (size_t)((width - 6) / CHAR_WIDTH) : 0;
	size_t name = d->mark.n && room > d->mark.n + 3 ? room - d->mark.n - 1 : room;
	struct str label = { 0 };

	if (room < 3)
		return;
	label_add_fitting(&label, str_view(&d->name), name);
	if (name < room)
		str_addf(&label, " %s", str_text(&d->mark));
	str_addf(d->out, "<text x=\"%.1f\" y=\"12.5\">", x + 4);
	xml_add(d->out, str_view(&label));
	str_adds(d->out, "</text>");
	str_release(&label);
}

static void add_box(struct drawing *d, const struct flame_box *box)
{
	double x = SVG_MARGIN + units_percent(box->left, d->flame.total) / 100 * SVG_INNER;
	double width = units_percent(box->value, d->flame.total) / 100 * SVG_INNER;
	struct ratio_mark color;

	get_name(d, box);
	color = box_color(d, box);
	str_addf(d->out, "<g class=\"%c%u\" l=\"%llu\" v=\"%llu\"", tint_letter(color.tint),
		 color.shade, box->left, box->value);
	if (d->mark.n)
		str_addf(d->out, " m=\"%s\"", str_text(&d->mark));
	str_addc(d->out, '>');
	add_title(d, box);
	str_addf(d->out, "<rect x=\"%.1f\" width=\"%.1f\" height=\"%d\"%s/>", x,
		 width > 3 ? width - 0.8 : width, BOX_HEIGHT, width > 3 ? " rx=\"2\"" : "");
	add_label(d, x, width);
	str_adds(d->out, "</g>\n");
}

static u32 row_y(const struct drawing *d, u32 depth)
{
	u32 at = d->opts->inverted ? depth : d->flame.n_levels - 1 - depth;

	return d->head + at * PITCH;
}

static void add_boxes(struct drawing *d, struct sink *sink)
{
	const struct flame_box *box;
	u32 depth = UINT32_MAX;

	str_addf(
		d->out,
		"<g id=\"frames\" tabindex=\"0\" role=\"application\" aria-label=\"flame graph\" "
		"total=\"%llu\" whole=\"%llu\" top=\"%u\" pitch=\"%d\" margin=\"%d\" char=\"%.2f\" icicle=\"%d\">\n",
		d->flame.total, d->report->whole.value, d->head, PITCH, SVG_MARGIN, CHAR_WIDTH,
		d->opts->inverted);
	vec_for_each(box, &d->flame.boxes) {
		if (box->depth != depth)
			str_addf(d->out, "%s<g class=\"row\" transform=\"translate(0,%u)\">\n",
				 depth == UINT32_MAX ? "" : "</g>\n", row_y(d, box->depth));
		depth = box->depth;
		add_box(d, box);
		sink_spill(sink);
	}
	str_adds(d->out, depth == UINT32_MAX ? "</g>\n" : "</g>\n</g>\n");
}

/* ---- head ---- */

static void add_not_drawn(struct drawing *d, struct str *out, const char *before)
{
	if (d->flame.n_dropped) {
		str_adds(out, before);
		units_add_grouped(out, d->flame.n_dropped);
		str_adds(out, " boxes under 0.1 px not drawn");
	}
	if (d->flame.n_other) {
		str_adds(out, before);
		units_add_grouped(out, d->flame.n_other);
		if (diff_in(d))
			str_addf(out, " boxes only %s not drawn",
				 diff_side_names[diff_in(d)->opts.by_before ? DIFF_AFTER
									    : DIFF_BEFORE]);
		else
			str_addf(out, " boxes only with %s not drawn",
				 d->report->run->second_event);
	}
}

/* Losses are added only in a file: a page shows them elsewhere. */
static void add_counted(struct drawing *d, struct str *out, bool is_inline)
{
	units_add_total(out, d->report->run, d->flame.total);
	if (has_ratios(d)) {
		str_adds(out, ", ");
		ratio_add_about(out, &d->scale);
	}
	about_apart(out, NULL, d->report->whole.value, d->report->total, d->report->left_ns);
	str_adds(out, ", ");
	units_add_grouped(out, d->flame.n_stacks);
	str_adds(out, d->flame.n_stacks == 1 ? " stack" : " stacks");
	if (d->report->n_open) {
		str_adds(out, ", ");
		units_add_grouped(out, d->report->n_open);
		str_adds(out, d->report->n_open == 1 ? " wait not over" : " waits not over");
	}
	if (!is_inline) {
		str_adds(out, "  \xc2\xb7  ");
		about_losses(out, &d->report->ledger);
	}
	add_not_drawn(d, out, "  \xc2\xb7  ");
}

/* Describe both sides, in place of the lines about one report. */
static void add_sides(struct drawing *d, struct svg_page *page)
{
	for (int i = 0; i < DIFF_N_SIDES; i++) {
		struct str *line = &page->lines[1 + i];

		str_clear(line);
		str_addf(line, "%s: ", diff_side_names[i]);
		diff_add_side(line, diff_in(d), (enum diff_when)i);
	}
	add_not_drawn(d, &page->lines[2], "  \xc2\xb7  ");
}

static void add_to_legend(struct drawing *d, const struct ratio_mark *m, double x)
{
	struct rgb c = palette_shade(d->palette, m->tint, m->shade);

	str_addf(d->out,
		 "<rect x=\"%.1f\" y=\"%d\" width=\"12\" height=\"12\" rx=\"2\" "
		 "fill=\"#%02x%02x%02x\"/><text x=\"%.1f\" y=\"%d\">%s</text>\n",
		 x, SVG_TITLE_Y - 15, c.r, c.g, c.b, x + 17, SVG_TITLE_Y - 4, m->text);
}

/* Only the tints that the picture uses. */
static u32 used_tints(struct drawing *d, struct ratio_mark marks[TINT_N])
{
	bool is_used[TINT_N] = { false };
	const struct flame_box *box;
	u32 n = 0;

	vec_for_each(box, &d->flame.boxes)
		is_used[box_color(d, box).tint] = true;
	for (int t = 0; t < TINT_N; t++) {
		if (!is_used[t] || !tint_name((enum tint)t))
			continue;
		marks[n] = (struct ratio_mark){ (enum tint)t, TINT_SHADES / 2, "" };
		snprintf(marks[n].text, sizeof(marks[n].text), "%s", tint_name((enum tint)t));
		n++;
	}
	return n;
}

static double mark_width(const struct ratio_mark *m)
{
	return 7.6 * (double)utf8_columns(view_of(m->text)) + 17;
}

/* Draw the scale up to the right edge. */
static void add_scale(struct drawing *d, const struct ratio_mark *marks, u32 n)
{
	double x = MARK_GAP;

	for (u32 i = 0; i < n; i++)
		x -= mark_width(&marks[i]) + MARK_GAP;
	for (u32 i = 0; i < n; i++) {
		add_to_legend(d, &marks[i], x);
		x += mark_width(&marks[i]) + MARK_GAP;
	}
}

/* Draw tints from the right edge to the left. */
static void add_tints(struct drawing *d)
{
	struct ratio_mark marks[TINT_N];
	u32 n = used_tints(d, marks);
	double x = 0;

	while (n-- > 0) {
		x -= mark_width(&marks[n]);
		add_to_legend(d, &marks[n], x);
		x -= MARK_GAP;
	}
}

static void add_legend(struct drawing *d)
{
	struct ratio_mark marks[RATIO_MARKS_MAX];

	str_addf(d->out, "<g id=\"legend\" class=\"legend\" transform=\"translate(%d,0)\">\n",
		 SVG_WIDTH - SVG_MARGIN);
	if (has_ratios(d))
		add_scale(d, marks, ratio_marks(&d->scale, marks));
	else if (has_shares(d))
		add_scale(d, marks, share_marks(marks));
	else
		add_tints(d);
	str_adds(d->out, "</g>\n");
}

static const char *width_name(const struct run_info *run)
{
	switch (run->unit) {
	case UNIT_NS:
		return "time";
	case UNIT_EVENTS:
		return "events";
	case UNIT_VALUES:
		return "the sum of values";
	case UNIT_THREADS:
		return "threads";
	default:
		return "samples";
	}
}

static void add_hint(struct drawing *d, bool is_inline)
{
	const struct diff *diff = diff_in(d);

	if (has_ratios(d)) {
		struct str hint = { 0 };

		str_addf(&hint, "Width is samples of %s. Color is ", d->report->run->event);
		ratio_add_unit(&hint, &d->scale);
		str_addc(&hint, '.');
		xml_add(d->out, str_view(&hint));
		str_release(&hint);
		return;
	}
	if (has_shares(d)) {
		str_adds(d->out, "Width is time. Color is the share of it off the CPU.");
		return;
	}
	if (!diff) {
		str_addf(d->out, "Width is %s. Click a box to zoom in%s.",
			 width_name(d->report->run), is_inline ? "" : ", Ctrl-F to search");
		return;
	}
	str_addf(d->out, "Width is %s %s. The darker, the larger the ratio of after to before.",
		 width_name(d->report->run),
		 diff_side_names[diff->opts.by_before ? DIFF_BEFORE : DIFF_AFTER]);
}

static void add_head(struct drawing *d, const struct svg_page *page)
{
	u32 tools = d->head - TOOLS_HEIGHT;

	str_addf(d->out, "<g id=\"head\" tools=\"%u\">\n", tools);
	svg_page_head(page, d->head - 6);
	add_legend(d);
	str_addf(d->out,
		 "<text id=\"info\" class=\"about\" x=\"%d\" y=\"%u\" aria-live=\"polite\">",
		 SVG_MARGIN, tools + 16);
	add_hint(d, page->is_inline);
	str_adds(d->out, "</text>\n</g>\n");
}

/* ---- drawing ---- */

static void add_shade(struct drawing *d, enum tint t, u32 shade)
{
	struct rgb c = palette_shade(d->palette, t, shade);

	str_addf(d->out, ".%c%u rect{fill:#%02x%02x%02x}", tint_letter(t), shade, c.r, c.g, c.b);
}

static void add_style(struct drawing *d)
{
	str_adds(d->out, svg_flame_style);
	for (int t = 0; t < TINT_N; t++) {
		if (!palette_has(d->palette, (enum tint)t))
			continue;
		for (u32 i = 0; i < TINT_SHADES; i++)
			add_shade(d, (enum tint)t, i);
		str_addc(d->out, '\n');
	}
	str_adds(d->out, "</style>\n");
}

static void add_script(struct drawing *d)
{
	str_adds(d->out, "<script><![CDATA[\n");
	str_adds(d->out, svg_flame_script);
	str_adds(d->out, "]]></script>\n");
}

static void add_empty(struct drawing *d)
{
	str_addf(d->out, "<text x=\"%d\" y=\"%u\">Nothing was counted.</text>\n", SVG_MARGIN,
		 d->head + 24);
}

bool flames_draw(struct render *out, const struct report *r, bool is_inline)
{
	struct drawing d = {
		.out = &out->sink->buf, .report = r, .opts = out->opts, .palette = palette_for(r)
	};
	struct svg_page page;
	bool is_empty;

	if (has_ratios(&d))
		d.scale = ratio_scale_of(r);
	flame_layout(r, out->opts->delimited, (u64)((double)r->total * MIN_PX / SVG_INNER),
		     &d.flame);
	is_empty = !d.flame.total;
	svg_page_init(&page, d.out, r->run, "Flame graph", r->start_ns, r->end_ns, is_inline);
	if (diff_in(&d))
		add_sides(&d, &page);
	else
		add_counted(&d, &page.lines[2], is_inline);
	d.head = svg_page_head_height(&page) + TOOLS_HEIGHT;
	d.height = d.head + (d.flame.n_levels ? d.flame.n_levels : 2) * PITCH + SVG_MARGIN;
	svg_page_start(&page, d.height);
	add_style(&d);
	svg_page_ground(&page, d.height);
	if (!is_empty)
		add_boxes(&d, out->sink);
	add_head(&d, &page);
	if (is_empty)
		add_empty(&d);
	else if (!is_inline)
		add_script(&d);
	str_adds(d.out, "</svg>\n");
	out->n_rows = d.flame.n_stacks;
	out->n_records += d.flame.boxes.n;
	flame_release(&d.flame);
	str_release(&d.name);
	str_release(&d.mark);
	svg_page_release(&page);
	return !is_empty;
}

/* Distributions are drawn at the end, with a column for each report. */
static void svg_report(struct render *out, const struct report *r)
{
	if (r->kind == REPORT_DISTS)
		heat_svg_report(out, r);
	else
		flames_draw(out, r, false);
}

static const char *const extensions[] = { ".svg", NULL };

const struct renderer svg_renderer = {
	.name = "svg",
	.extensions = extensions,
	.kinds = REPORT_STACKS | REPORT_PATHS | REPORT_HEAT | REPORT_DIFF | REPORT_THREADS,
	.is_single = true,
	.report = svg_report,
	.end = heat_svg_end,
	.release = heat_svg_release,
};
