/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reports to bytes: a table of renderers over one model.  Knows formats; must not know where the
 * data came from.  Commands call output_*(), and never print.
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

/* How a report is shown; every renderer takes what applies to it. */
struct render_opts {
	u32 top;	       /* text: rows shown, 0: all */
	bool delimited;	       /* -d: a line between kernel and user part */
	bool annotate;	       /* -a: _[k], _[j] in folded output */
	bool addresses;	       /* -A: addresses and offsets, merged by address */
	bool offsets;	       /* -s: offsets behind names, merged by them */
	bool inverted;	       /* SVG: icicle */
	bool timestamp;	       /* text: a wall-clock line before each report */
	bool heat;	       /* text: a line for each histogram */
	enum color_when color; /* text on a terminal */
	u32 event_columns;     /* text: enum event_columns */
	const char *unit;      /* "us" (default), "ms", "s", "ns" for times; NULL: default */
};

/*
 * The outputs of a run: stdout in one format, and any number of files.  `specs` are the -o
 * arguments ("out.svg", "out.%i.pb.gz"), format by extension unless `format` (-O) is set, with
 * which "-" is stdout; `stdout_format` is any format's name, or NULL for no result on stdout (when
 * only files were asked for).  Files are opened here, before anything is attached, so that an
 * unwritable one is an error at the start; they keep what they held until there is a result.
 * With many_reports, svg and pprof files need %i, the number of the interval, in their name; other
 * formats may have it, and then each file is whole.  opts is copied.
 */
struct output;

int output_open(struct output **out, const char *stdout_format, const char *format,
		char *const *specs, size_t n_specs, bool many_reports, u32 kinds,
		const struct render_opts *opts, struct err *err);
/* Header of the run (JSON meta).  `run` must outlive `out`. */
int output_begin(struct output *out, const struct run_info *run, struct err *err);
/* One report to every output, flushed; also to the others when one fails.  A later one replaces
 * a snapshot in an svg or pprof file. */
int output_report(struct output *out, const struct report *report, struct err *err);
/* One event to every output; what was written so far goes out with output_flush. */
void output_event(struct output *out, const struct event_row *event);
int output_flush(struct output *out, struct err *err);
/* A warning, for formats that carry them (log_on_warn's hook); before output_begin it waits. */
void output_warn(struct output *out, const char *code, const char *message);
/* Footer (JSON end), also to the others when one fails, and after a report the ledger line on
 * stderr; with -q only when something was lost. */
int output_end(struct output *out, const struct run_info *run, const struct run_end *end,
	       struct err *err);
/* Flush, close, free, and report the first write error of any sink (ENOSPC on /dev/full); EPIPE on
 * stdout is not an error: *out_broken_pipe says so. */
int output_close(struct output *out, bool *broken_pipe, struct err *err);
/* True once a reader of stdout has gone away: the run should end quietly. */
bool output_is_broken(const struct output *out);

/* Names of the formats, for --help, completion and messages; NULL-terminated. */
extern const char *const render_format_names[];

#endif
