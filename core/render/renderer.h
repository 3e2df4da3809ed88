/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The interface of a format; render.c has a table of them. */
#ifndef RENDER_RENDERER_H
#define RENDER_RENDERER_H

#include "render/render.h"
#include "render/sink.h"

/* The range of buckets that have a cell in the lines of a histogram, and the line of the last
 * printed scale. */
struct heat_scale {
	u32 first, end;
	u64 told;
};

/* One output, as passed to its renderer. */
struct render {
	struct sink *sink;
	const struct render_opts *opts;
	const struct run_info *run;
	u32 columns; /* width of the terminal; 0: no terminal, no limit */
	bool has_color;
	u32 n_reports;	     /* reports written before this one */
	u64 n_records;	     /* rows written, over all reports */
	u64 n_bytes, n_left; /* perf, pftrace: written to this file; samples and waits left out */
	u64 n_rows; /* rows of the last report, after merging those that look the same in this
		       format */
	VEC(struct heat_scale) heat; /* --heat in text: one for each histogram */
	u64 n_heat_lines;
	struct str names;	 /* events as CSV: the names above the last ones, as a line */
	struct heat_maps *maps;	 /* --heat in SVG and HTML; NULL before the first report */
	struct pftrace *pftrace; /* NULL before the first report */
	struct str warnings;	 /* HTML: those before the ledger, as list items */
	bool has_left;		 /* perf, pftrace: samples or waits are missing */
	bool has_page;		 /* HTML: a page was begun, and is not finished */
	bool has_graph;		 /* HTML: the page has a flame graph with boxes */
	bool has_timeline;	 /* HTML: and samples over time */
};

struct renderer {
	const char *name;
	const char *const *extensions; /* with the dot; NULL-terminated */
	u32 kinds;		       /* bits of enum report_kind */
	bool is_single;		       /* a file holds one report */
	bool is_binary;		       /* not printed on a terminal */
	bool needs_samples;	       /* single samples with their time (report.samples) */
	bool takes_waits;	       /* or single waits (report.waits) */
	/* All but report, or event for runs that print events, are optional. */
	void (*begin)(struct render *out);
	void (*report)(struct render *out, const struct report *r);
	void (*begin_events)(struct render *out); /* for runs that print events */
	void (*event)(struct render *out, const struct event_row *e);
	void (*warn)(struct render *out, const char *code, const char *message);
	void (*end)(struct render *out, const struct run_end *end);
	void (*release)(struct render *out); /* free data that is kept from report to report */
};

extern const struct renderer text_renderer, folded_renderer, json_renderer, pprof_renderer,
	svg_renderer, html_renderer, perf_renderer, pftrace_renderer;

/* Find a renderer by name; NULL: unknown. */
const struct renderer *renderer_find(const char *name);
/* Find a renderer by the extension of a file name; NULL: unknown, with an error that lists them. */
const struct renderer *renderer_for_file(const char *path, struct err *err);
/* Returns an error unless the renderer supports all the kinds. */
int renderer_check_kinds(const struct renderer *r, u32 kinds, struct err *err);

#endif
