/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a format must be able to do; a row each in render.c. */
#ifndef RENDER_RENDERER_H
#define RENDER_RENDERER_H

#include "render/render.h"
#include "render/sink.h"

/* Of a histogram whose reports are lines: which buckets have a cell, and behind which line that was
 * last said. */
struct heat_scale {
	u32 first, end;
	u64 told;
};

/* One output: what its renderer is given. */
struct render {
	struct sink *sink;
	const struct render_opts *opts;
	const struct run_info *run;
	u32 columns; /* of the terminal; 0: no terminal, no limit */
	bool has_color;
	u32 n_reports; /* written before this one */
	u64 n_records; /* rows written, over all reports */
	u64 n_rows;    /* of the last report, those that look the same here counted once */
	VEC(struct heat_scale) heat; /* --heat in text: of each histogram */
	u64 n_heat_lines;
	struct heat_maps *maps; /* --heat in SVG, from the first report on */
};

struct renderer {
	const char *name;
	const char *const *extensions; /* with the dot; NULL-terminated */
	u32 kinds;		       /* enum report_kind, or'ed */
	bool is_single;		       /* a file holds one report */
	bool is_binary;		       /* nothing for a terminal */
	/* Any of these may be NULL. */
	void (*begin)(struct render *out);
	void (*report)(struct render *out, const struct report *r);
	void (*begin_events)(struct render *out); /* of a run that writes events */
	void (*event)(struct render *out, const struct event_row *e);
	void (*warn)(struct render *out, const char *code, const char *message);
	void (*end)(struct render *out, const struct run_end *end);
	void (*release)(struct render *out); /* what it keeps from report to report */
};

extern const struct renderer text_renderer, folded_renderer, json_renderer, pprof_renderer,
	svg_renderer;

/* By name, NULL when there is none. */
const struct renderer *renderer_find(const char *name);
/* By the file name's extension; NULL with an error that lists them. */
const struct renderer *renderer_for_file(const char *path, struct err *err);
/* An error unless the renderer can draw all kinds asked for. */
int renderer_check_kinds(const struct renderer *r, u32 kinds, struct err *err);

#endif
