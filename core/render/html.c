// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writes a report as one self-contained HTML page, which cannot access anything else: the
 * Content-Security-Policy forbids all loading, and allows only the scripts whose hashes it
 * contains, whatever a name in the report says.
 *
 * title, command line, host, time, losses
 * links to the sections
 * samples over time (--timeline)
 * the picture: a flame graph or a heat map, as in an SVG file
 * functions, wait states, counts or distributions: tables
 * ledger
 *
 * A page contains one report, as an SVG file does; with --heat it contains all of them, in one heat
 * map.
 */
#include "render/html.h"

#include "render/heatmap.h"
#include "render/heattext.h"
#include "render/htmltable.h"
#include "render/summary.h"
#include "render/svg.h"
#include "render/svgpage.h"
#include "scripthash.h"

#define WARNINGS_MAX 65536 /* bytes */

#define POLICY                                                                                \
	"default-src 'none'; script-src " HASH_OF_flame " " HASH_OF_html " " HASH_OF_timeline \
	"; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

#define HAS_TIMELINE (1U << 31) /* beside enum report_kind */

/* ---- head --------------------------------------------------------------------------------- */

static const struct {
	u32 kinds;
	const char *id, *title;
} links[] = {
	{ HAS_TIMELINE, "timeline", "Timeline" },
	{ REPORT_STACKS | REPORT_PATHS, "graph", "Flame graph" },
	{ REPORT_HEAT, "heat", "Heat map" },
	{ REPORT_STACKS | REPORT_PATHS | REPORT_FUNCS, "functions", "Functions" },
	{ REPORT_STATES, "states", "Wait states" },
	{ REPORT_COUNTS, "counts", "Counts" },
	{ REPORT_DISTS, "distributions", "Distributions" },
	{ ~HAS_TIMELINE, "ledger", "Ledger" },
};

static void add_links(struct str *buf, u32 kinds)
{
	str_adds(buf, "<nav aria-label=\"Sections\">");
	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		if (links[i].kinds & kinds)
			str_addf(buf, "<a href=\"#%s\">%s</a>\n", links[i].id, links[i].title);
	str_adds(buf, "</nav>\n");
}

static const char *title_of(const struct run_info *run)
{
	return run->title ? run->title : run->command;
}

static void add_document_head(struct render *out)
{
	struct str *buf = &out->sink->buf;
	const struct run_info *run = out->run;

	str_adds(buf, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		      "<meta http-equiv=\"Content-Security-Policy\" content=\"" POLICY "\">\n"
		      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
	html_text(buf, title_of(run));
	if (run->host) {
		str_adds(buf, " \xc2\xb7 ");
		html_text(buf, run->host);
	}
	str_adds(buf, "</title>\n<style>\n");
	str_adds(buf, html_style);
	str_adds(buf, "</style>\n</head>\n<body>\n");
}

/* Alarming if something was lost, except for the events that are always missed on a busy host (as
 * in the text); calm only if nothing is missing. */
static const char *losses_start(const struct ledger *l)
{
	u64 missed = l->lost[LOST_missed] == LOST_UNKNOWN ? 0 : l->lost[LOST_missed];
	double share = ledger_complete_share(l);

	if (ledger_total(l) > missed)
		return "p class=\"lost\"";
	return ledger_is_clean(l) && (share < 0 || share >= 1) ? "p class=\"kept\"" : "p";
}

static void add_about(struct render *out, u64 start_ns, u64 end_ns, const struct ledger *l)
{
	struct str *buf = &out->sink->buf, text = { 0 };
	const struct run_info *run = out->run;

	html_element(buf, "h1", title_of(run));
	about_command(&text, run);
	html_element(buf, "pre", str_text(&text));
	str_clear(&text);
	about_host(&text, run);
	if (run->event) {
		str_adds(&text, "  \xc2\xb7  ");
		about_event(&text, run);
	}
	str_adds(&text, "  \xc2\xb7  ");
	about_when(&text, run, start_ns, end_ns);
	html_element(buf, "p", str_text(&text));
	str_clear(&text);
	about_losses(&text, l);
	html_element(buf, losses_start(l), str_text(&text));
	str_release(&text);
}

static void start_page(struct render *out, u32 kinds, u64 start_ns, u64 end_ns,
		       const struct ledger *l)
{
	struct str *buf = &out->sink->buf;

	add_document_head(out);
	str_adds(buf, "<header>\n");
	add_about(out, start_ns, end_ns, l);
	add_links(buf, kinds);
	str_adds(buf, "</header>\n<main>\n");
	out->has_page = true;
}

/* ---- pictures ----------------------------------------------------------------------------- */

static bool add_graph(struct render *out, const struct report *r)
{
	struct str *buf = &out->sink->buf;
	bool has_boxes;

	if (!(r->kind & (REPORT_STACKS | REPORT_PATHS)))
		return false;
	str_adds(buf, "<section id=\"graph\" class=\"picture\">\n");
	has_boxes = flames_draw(out, r, true);
	html_section_end(buf);
	return has_boxes;
}

static void add_heat(struct render *out, const struct ledger *l)
{
	struct str *buf = &out->sink->buf;

	str_adds(buf, "<section id=\"heat\" class=\"picture\">\n");
	heat_svg_draw(out, l, true);
	html_section_end(buf);
}

/* ---- the page ----------------------------------------------------------------------------- */

static void add_script(struct str *buf, const char *script)
{
	str_adds(buf, "<script>");
	str_adds(buf, script);
	str_adds(buf, "</script>\n");
}

static void end_page(struct render *out, const struct ledger *l, const struct run_end *end)
{
	struct str *buf = &out->sink->buf;

	html_ledger(out, l, end);
	str_adds(buf, "</main>\n");
	if (out->has_graph)
		add_script(buf, svg_flame_script);
	if (out->has_timeline)
		add_script(buf, html_timeline_script);
	add_script(buf, html_script);
	str_adds(buf, "</body>\n</html>\n");
	out->has_page = false;
}

/* Draw the page of a heat map with all reports until now. */
static void draw_heat_page(struct render *out, const struct ledger *l, const struct run_end *end)
{
	const struct heat_maps *m = out->maps;

	if (!m || !m->n_windows)
		return;
	start_page(out, REPORT_HEAT, m->windows[0].start_ns, m->windows[m->n_windows - 1].end_ns,
		   l);
	add_heat(out, l);
	end_page(out, l, end);
}

static void report_heat(struct render *out, const struct report *r)
{
	heat_svg_collect(out, r);
	if (r->is_snapshot)
		draw_heat_page(out, &r->ledger, NULL);
}

static bool has_timeline(const struct render *out, const struct report *r)
{
	return out->opts->timeline && r->samples.n && r->kind == REPORT_STACKS;
}

/* The ledger is written at the end of the run; but the page of a snapshot is finished at once. */
static void html_report(struct render *out, const struct report *r)
{
	if (out->opts->heat) {
		report_heat(out, r);
		return;
	}
	start_page(out, r->kind | (has_timeline(out, r) ? HAS_TIMELINE : 0), r->start_ns, r->end_ns,
		   &r->ledger);
	out->has_timeline = has_timeline(out, r);
	if (out->has_timeline)
		html_timeline(out, r);
	out->has_graph = add_graph(out, r);
	html_functions(out, r, out->has_graph);
	html_states(out, r);
	html_counts(out, r);
	html_dists(out, r);
	if (r->is_snapshot)
		end_page(out, &r->ledger, NULL);
}

static void html_end(struct render *out, const struct run_end *end)
{
	if (out->opts->heat)
		draw_heat_page(out, &end->ledger, end);
	else if (out->has_page)
		end_page(out, &end->ledger, end);
}

static void html_warn(struct render *out, const char *code, const char *message)
{
	if (out->warnings.n > WARNINGS_MAX)
		return;
	(void)code;
	html_element(&out->warnings, "li", message);
}

static void html_release(struct render *out)
{
	str_release(&out->warnings);
	heat_svg_release(out);
}

static const char *const extensions[] = { ".html", ".htm", NULL };

const struct renderer html_renderer = {
	.name = "html",
	.extensions = extensions,
	.kinds = REPORT_STACKS | REPORT_FUNCS | REPORT_STATES | REPORT_PATHS | REPORT_COUNTS |
		 REPORT_DISTS | REPORT_HEAT,
	.is_single = true,
	.report = html_report,
	.warn = html_warn,
	.end = html_end,
	.release = html_release,
};
