/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Prints reports: a table of renderers for one model.  Knows formats; must not know where the data
 * comes from.  Commands call output_*() and never print themselves.
 */
#ifndef RENDER_RENDER_H
#define RENDER_RENDER_H

#include "base/err.h"
#include "model/report.h"

enum color_when {
	COLOR_AUTO,
	COLOR_ALWAYS,
	COLOR_NEVER
};
enum name_style {
	NAMES_SHORT,
	NAMES_FULL,
	NAMES_MANGLED
};

/* Options of the output; a renderer uses those that apply to it. */
struct render_opts {
	u32 top;	       /* text: maximum number of rows; 0: all */
	bool delimited;	       /* -d: a separator between kernel and user part */
	bool annotate;	       /* -a: _[k], _[j] in folded output */
	bool addresses;	       /* -A: addresses and offsets, merged by address */
	bool offsets;	       /* -s: offsets after names, merged by offset */
	bool inverted;	       /* SVG: icicle graph */
	bool timestamp;	       /* text: the time of day before each report */
	bool heat;	       /* text: a line for each histogram */
	bool each_thread;      /* threads in text: those that look the same one by one */
	bool stacks;	       /* differences in text: stacks instead of functions */
	enum color_when color; /* text on a terminal */
	u32 event_columns;     /* text: enum event_columns */
	const char *heading;   /* text: above events, instead of PID to FUNC; NULL: those */
	bool timeline;	       /* json, html: samples over time (model/timeline.h) */
	bool has_samples;      /* the reports have single samples (report.samples) */
	bool has_waits;	       /* and single waits (report.waits) */
	u64 max_file;	       /* perf, pftrace: bytes, about; 0: no limit */
	bool is_in_place;      /* text: on a terminal a report replaces the previous one */
	u32 keys_first;	       /* tables in text: this many keys come before the numbers */
	bool greatest_first;   /* tables in text: otherwise the greatest row is the last */
	const char *unit;      /* unit of times: "us" (default), "ms", "s", "ns"; NULL: default */
};

/*
 * The outputs of a run: stdout in one format, and any number of files.  `specs` are the -o
 * arguments ("out.svg", "out.%i.pb.gz"); the extension selects the format unless `format` (-O) is
 * set; with `format`, "-" means stdout.  `stdout_format` is the name of a format, or NULL for no
 * result on stdout (if only files were requested).  Files are opened here, before anything is
 * attached, so that an unwritable one is an error at the start; they keep their content until there
 * is a result.  With many_reports, svg, html and pprof files need %i, the number of the interval,
 * in their names; in other formats it is optional, and makes each file a complete one.  opts is
 * copied.
 */
struct output;

/* True if one of these outputs shows single samples or waits, so that the reports must have them.
 */
bool output_needs_singles(const char *format, char *const *specs, size_t n_specs);

int output_open(struct output **out, const char *stdout_format, const char *format,
		char *const *specs, size_t n_specs, bool many_reports, u32 kinds,
		const struct render_opts *opts, struct err *err);
/* Write headers (JSON meta).  `run` must outlive `out`. */
int output_begin(struct output *out, const struct run_info *run, struct err *err);
/* Write a report to every output and flush, even if one of them fails.  In an svg, html or pprof
 * file, a later report replaces a snapshot. */
int output_report(struct output *out, const struct report *report, struct err *err);
/* Write an event to every output; output_flush sends it. */
void output_event(struct output *out, const struct event_row *event);
int output_flush(struct output *out, struct err *err);
/* output_is_full: so much data waits for the reader of an output that nothing should be added now.
 * output_wait: wait until the reader accepts data, at most `ms`. */
bool output_is_full(const struct output *out);
void output_wait(struct output *out, int ms);
/* A warning, for formats that have them (a hook for log_on_warn); kept until output_begin. */
void output_warn(struct output *out, const char *code, const char *message);
/* Write footers (JSON end), even if one output fails.  If there was a report, also write the ledger
 * line to stderr; with -q only if something was lost. */
int output_end(struct output *out, const struct run_info *run, const struct run_end *end,
	       struct err *err);
/* Flush, close and free, and return the first write error of any sink (ENOSPC on /dev/full).  EPIPE
 * on stdout is not an error, but sets *broken_pipe. */
int output_close(struct output *out, bool *broken_pipe, struct err *err);
/* true if an output lacks samples or waits that the others count: no room, or no time known. */
bool output_has_left(const struct output *out);
/* true once the reader of stdout has closed it: the run should end quietly. */
bool output_is_broken(const struct output *out);

#endif
