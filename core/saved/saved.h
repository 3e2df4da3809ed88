/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads saved reports into the model: bperf's own JSON, folded stacks, pprof and `perf script`
 * text, each plain or gzipped.  Knows files and formats; must not know how the reports are used.
 *
 *	struct saved s;
 *
 *	saved_init(&s);
 *	ret = saved_read(&s, paths, n, &opts, &err);
 *	... s.reports, or saved_total(&s, &report, &err) and report_release(&report) ...
 *	saved_release(&s);
 *
 * Every file is hostile: sizes are bounded, and stacks for which mem_is_over() leaves no room
 * become "[other stacks]", as in a run.  Counts, distributions and events without room are an
 *error.
 */
#ifndef SAVED_SAVED_H
#define SAVED_SAVED_H

#include "base/err.h"
#include "base/intern.h"
#include "model/report.h"

enum saved_format {
	SAVED_ANY, /* by content */
	SAVED_JSON,
	SAVED_FOLDED,
	SAVED_PPROF,
	SAVED_PERF,
	SAVED_N_FORMATS,
};

/* For --from; NULL-terminated. */
extern const char *const saved_format_names[SAVED_N_FORMATS + 1];

struct saved_opts {
	enum saved_format format;
	const char *value;  /* pprof: the type of value; perf: the event; NULL: the default one */
	bool label_files;   /* the file's name replaces the root frame */
	bool keeps_samples; /* perf: with their times */
};

struct saved_file {
	const char *name; /* as given; "-": standard input */
	enum saved_format format;
	u64 realtime_ns;    /* start of its run; 0: unknown */
	u32 first, n;	    /* its reports */
	size_t n_events;    /* trace has events in place of reports */
	bool has_events;    /* it is a file of trace, even if there are none */
	bool is_whole;	    /* false: its end is missing */
	struct run_end end; /* JSON; otherwise only what the reader counted */
};

struct saved_warning {
	const char *code, *message;
	u32 report;   /* index of the report that it came before */
	size_t event; /* index of the event that it came before */
};

/* Strings and tables are owned and live until saved_release(); `reports` point to them and to
 * `run`, so the struct must not be moved after reading. */
struct saved {
	/* The first file's run.  Facts that a file does not contain are NULL or 0: `kernel` and
	 * `host` of a file without a host, `realtime_ns` of one without a time. */
	struct run_info run;
	VEC(struct report) reports;   /* file after file, snapshots included */
	VEC(struct event_row) events; /* file after file */
	u32 event_columns;	      /* enum event_columns, and what is above them in place of */
	const char *heading;	      /* PID to FUNC; NULL: those.  The first file's */
	VEC(struct saved_file) files;
	VEC(struct saved_warning) warnings; /* those that the runs printed; JSON only */
	u32 kinds;			    /* enum report_kind: all that reports have, or events */
	bool is_heat;			    /* the first file's histograms are a heat map */
	bool is_folded;			    /* out of memory: some stacks are "[other stacks]" */
	bool has_annotations;		    /* folded: _[k] and _[j] after names */
	bool has_offsets, has_addresses;    /* frames have them */
	bool has_samples;		    /* perf: single samples, with keeps_samples */
	bool has_bins;			    /* JSON: samples in bins of time (--timeline) */

	/* Private to the room. */
	struct intern strings;
	struct saved_tables *tables;
};

void saved_init(struct saved *s);

/*
 * Read files in order.  An error names the file and the line or the byte.  A file whose end is
 * missing is read as far as possible, with a log_warn().  Files with different units, or with
 * different kinds of reports, are an error.
 */
int saved_read(struct saved *s, char *const *paths, size_t n, const struct saved_opts *opts,
	       struct err *err);

/*
 * All reports except snapshots as one, in `out`, which the caller releases with report_release()
 * before saved_release(): stacks, or functions that are added by name, states by task, counts and
 * distributions by key.  Its window is as long as the time that at least one file covers:
 * simultaneous runs on several hosts are as long as one of them, consecutive runs as long as all
 * together.  It is an error if reports of this kind cannot be added up.
 */
int saved_total(const struct saved *s, struct report *out, struct err *err);

/* Make a report point to the tables, which move when more is read. */
void saved_point(const struct saved *s, struct report *r);

/* Add a report of a run to the sum of those before, which begins as an empty report and is released
 * with report_release().  false: it has replaced the sum, because it includes those before
 * (run/engine.h), or cannot be added to them (columns of --col, a first report). */
bool saved_add(const struct saved *s, struct report *sum, const struct report *r);

/* All files' events in the order of time, since the start of the first run.  An error if a file
 * does not tell when it was, or if events were counted. */
int saved_merge_events(struct saved *s, struct err *err);

/* The sum of the files' ledgers and times, for output_end(). */
struct run_end saved_end(const struct saved *s);

void saved_release(struct saved *s);

#endif
