// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The outputs of a run: which renderer writes to which sink, and when.  Must not know any format.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "render/render.h"
#include "render/renderer.h"
#include "render/summary.h"
#include "render/units.h"

/* One output.  A name with %i is a pattern: a file is opened for each report. */
struct channel {
	const struct renderer *renderer;
	struct sink sink;
	struct render render;
	const char *pattern; /* NULL: a single file, or stdout */
	u32 number;	     /* number of the open file of the pattern */
	bool is_open;
};

struct warning {
	char *code, *message;
};

struct output {
	struct render_opts opts;
	const struct run_info *run; /* NULL: output_begin() was not called yet */
	VEC(struct channel) channels;
	VEC(struct warning) early; /* warnings from before the headers were written */
	u64 total;		   /* sum over all reports except snapshots */
	u64 whole, left_ns;	   /* the same for waits that are separate or left out */
	u64 n_open;		   /* number in the last report */
	u64 n_rows;		   /* rows of the last report, as the first output counts them */
	size_t n_reports;
	u64 n_events;
	u32 kinds;
	bool is_broken; /* the reader of stdout has closed it */
};

#define channel_for_each(c, out) vec_for_each(c, &(out)->channels)

/* ---- the terminal ---- */

static u32 terminal_columns(int fd)
{
	struct winsize size;

	if (!isatty(fd))
		return 0;
	return !ioctl(fd, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : 80;
}

static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && value[0];
}

/* NO_COLOR counts only if it is not empty (no-color.org).  It overrides CLICOLOR_FORCE, which
 * applies to pipes, not to files. */
static bool wants_color(enum color_when when, const struct sink *sink)
{
	const char *term = getenv("TERM"), *force = getenv("CLICOLOR_FORCE");

	if (when != COLOR_AUTO)
		return when == COLOR_ALWAYS;
	if (is_set("NO_COLOR"))
		return false;
	if (!sink->path && force && force[0] && strcmp(force, "0") != 0)
		return true;
	return isatty(sink->fd) && term && strcmp(term, "dumb") != 0;
}

/* ---- opening ---- */

static int check_single(const struct channel *c, bool many_reports, u32 kinds, const char *what,
			struct err *err)
{
	/* A heat map shows all reports in one picture. */
	if (!many_reports || !c->renderer->is_single || c->pattern || kinds & REPORT_HEAT)
		return 0;
	err_set(err, ERR_USAGE, "%s: a file of format %s holds one report, and there will be more",
		what, c->renderer->name);
	return err_hint(err, "put %%i, the number of the interval, in its name");
}

static int check_samples(const struct output *out, const struct renderer *r, struct err *err)
{
	if (!r->needs_samples || out->opts.has_samples || (r->takes_waits && out->opts.has_waits))
		return 0;
	err_set(err, ERR_USAGE,
		"%s needs single samples%s with their time, and there are none here", r->name,
		r->takes_waits ? " or waits" : "");
	return err_hint(err, r->takes_waits ? "profile, offcpu, wakeup, offwake and chain have them"
					    : "bperf profile has them");
}

static int open_stdout(struct output *out, const char *format, bool many_reports, u32 kinds,
		       struct err *err)
{
	struct channel c = { .renderer = renderer_find(format), .is_open = true };
	int ret;

	if (!c.renderer)
		return err_set(err, ERR_USAGE, "'%s' is not a format", format);
	ret = renderer_check_kinds(c.renderer, kinds, err) ?: check_samples(out, c.renderer, err);
	if (!ret)
		ret = check_single(&c, many_reports, kinds, "standard output", err);
	if (!ret)
		ret = sink_open_stdout(&c.sink, err);
	if (!ret && c.renderer->is_binary && isatty(STDOUT_FILENO))
		ret = err_set(err, ERR_USAGE, "%s cannot be shown on a terminal; use -o FILE",
			      format);
	if (!ret)
		vec_push(&out->channels, c);
	return ret;
}

/* The name for a number: from "out.%i.svg" and 3, "out.3.svg". */
static char *name_of(const char *pattern, u32 number)
{
	const char *at = strstr(pattern, "%i");

	return mem_printf("%.*s%u%s", (int)(at - pattern), pattern, number, at + 2);
}

static int open_numbered(struct channel *c, u32 number, struct err *err)
{
	_cleanup_(free_p) char *path = name_of(c->pattern, number);
	int ret = sink_open_file(&c->sink, path, err);

	c->is_open = !ret;
	c->number = number;
	return ret;
}

static int open_file(struct output *out, const char *path, const char *format, bool many_reports,
		     u32 kinds, struct err *err)
{
	struct channel c = { .pattern = strstr(path, "%i") ? path : NULL };
	int ret;

	c.renderer = format ? renderer_find(format) : renderer_for_file(path, err);
	if (!c.renderer)
		return err_set(err, ERR_USAGE, "'%s' is not a format", format ? format : path);
	ret = renderer_check_kinds(c.renderer, kinds, err) ?: check_samples(out, c.renderer, err);
	if (!ret)
		ret = check_single(&c, many_reports, kinds, path, err);
	if (!ret && c.pattern)
		ret = open_numbered(&c, 0, err);
	else if (!ret)
		ret = sink_open_file(&c.sink, path, err);
	if (ret)
		return ret;
	c.is_open = true;
	vec_push(&out->channels, c);
	return 0;
}

bool output_needs_singles(const char *format, char *const *specs, size_t n_specs)
{
	struct err ignored = { 0 };
	const struct renderer *r = format ? renderer_find(format) : NULL;

	if (format)
		return r && r->needs_samples;
	for (size_t i = 0; i < n_specs; i++) {
		r = renderer_for_file(specs[i], &ignored);
		err_clear(&ignored);
		if (r && r->needs_samples)
			return true;
	}
	return false;
}

int output_open(struct output **outp, const char *stdout_format, const char *format,
		char *const *specs, size_t n_specs, bool many_reports, u32 kinds,
		const struct render_opts *opts, struct err *err)
{
	struct output *out = mem_alloc(1, sizeof(*out));
	int ret = 0;

	out->opts = *opts;
	out->kinds = kinds;
	if (stdout_format)
		ret = open_stdout(out, stdout_format, many_reports, kinds, err);
	for (size_t i = 0; i < n_specs && !ret; i++)
		ret = format && !strcmp(specs[i], "-")
			      ? open_stdout(out, format, many_reports, kinds, err)
			      : open_file(out, specs[i], format, many_reports, kinds, err);
	if (ret) {
		struct err ignored = { 0 };
		bool is_broken;

		output_close(out, &is_broken, &ignored);
		out = NULL;
	}
	*outp = out;
	return ret;
}

/* ---- writing ---- */

/* Flush, and return the sink's error, unless it only means that the reader is gone. */
static int check_sink(struct output *out, struct channel *c, struct err *err)
{
	sink_flush(&c->sink);
	if (!c->sink.error)
		return 0;
	if (sink_is_broken(&c->sink)) {
		out->is_broken |= !c->sink.path;
		return 0;
	}
	return sink_explain(&c->sink, err);
}

static void release_channel(struct channel *c)
{
	if (c->renderer->release)
		c->renderer->release(&c->render);
}

static void begin_channel(struct output *out, struct channel *c)
{
	release_channel(c);
	c->render = (struct render){
		.sink = &c->sink,
		.opts = &out->opts,
		.run = out->run,
		.columns = terminal_columns(c->sink.fd),
		.has_color = wants_color(out->opts.color, &c->sink),
	};
	if (c->renderer->begin)
		c->renderer->begin(&c->render);
	if (c->renderer->begin_events && out->kinds & REPORT_EVENTS)
		c->renderer->begin_events(&c->render);
}

int output_begin(struct output *out, const struct run_info *run, struct err *err)
{
	struct channel *c;
	int ret = 0;

	out->run = run;
	channel_for_each(c, out) {
		if (c->pattern)
			continue;
		begin_channel(out, c);
		ret = check_sink(out, c, err) ?: ret;
	}
	for (size_t i = 0; i < out->early.n; i++)
		output_warn(out, out->early.items[i].code, out->early.items[i].message);
	return ret;
}

/* Write a complete file for this report, with header and footer. */
static int write_numbered(struct output *out, struct channel *c, const struct report *r,
			  struct err *err)
{
	struct run_end end = {
		.reason = "interval",
		.elapsed_ns = r->end_ns,
		.intervals = 1,
		.ledger = r->ledger,
	};
	int ret = 0;

	if (c->is_open && c->number != r->interval)
		ret = sink_close(&c->sink, err);
	if (!ret && (!c->is_open || c->number != r->interval))
		ret = open_numbered(c, r->interval, err);
	if (ret)
		return ret;
	sink_restart(&c->sink);
	begin_channel(out, c);
	c->renderer->report(&c->render, r);
	if (c->renderer->end)
		c->renderer->end(&c->render, &end);
	c->is_open = false;
	return sink_close(&c->sink, err);
}

static int write_report(struct output *out, struct channel *c, const struct report *r,
			struct err *err)
{
	if (c->pattern)
		return write_numbered(out, c, r, err);
	if (c->renderer->is_single || !c->sink.has_written)
		sink_restart(&c->sink);
	c->renderer->report(&c->render, r);
	c->render.n_reports++;
	return check_sink(out, c, err);
}

/* The formats merge rows differently, so use the first output's number, which is stdout's if there
 * is one. */
static u64 rows_shown(const struct output *out)
{
	return out->channels.n ? out->channels.items[0].render.n_rows : 0;
}

int output_report(struct output *out, const struct report *report, struct err *err)
{
	struct channel *c;
	int ret = 0;

	channel_for_each(c, out)
		ret = write_report(out, c, report, err) ?: ret;
	if (report->is_snapshot)
		return ret;
	/* A report that starts at 0 includes those before it. */
	if (!report->start_ns)
		out->total = out->whole = out->left_ns = 0;
	out->total += report->total;
	out->whole += report->whole.value;
	out->left_ns += report->left_ns;
	out->n_open = report->n_open;
	out->n_rows = report->kind == REPORT_COUNTS ? report->counts.n : rows_shown(out);
	out->n_reports++;
	return ret;
}

void output_event(struct output *out, const struct event_row *event)
{
	struct channel *c;

	channel_for_each(c, out) {
		if (c->pattern)
			continue;
		if (!c->sink.has_written)
			sink_restart(&c->sink);
		c->renderer->event(&c->render, event);
	}
	out->n_events++;
	out->total += event->count ? event->count : 1;
}

int output_flush(struct output *out, struct err *err)
{
	struct channel *c;
	int ret = 0;

	channel_for_each(c, out)
		if (!c->pattern)
			ret = check_sink(out, c, err) ?: ret;
	return ret;
}

bool output_has_left(const struct output *out)
{
	const struct channel *c;

	channel_for_each(c, out)
		if (c->render.has_left)
			return true;
	return false;
}

bool output_is_full(const struct output *out)
{
	const struct channel *c;

	channel_for_each(c, out)
		if (c->is_open && sink_is_full(&c->sink))
			return true;
	return false;
}

void output_wait(struct output *out, int ms)
{
	struct channel *c;

	channel_for_each(c, out)
		if (c->is_open && sink_is_full(&c->sink)) {
			sink_wait(&c->sink, ms);
			return;
		}
}

void output_warn(struct output *out, const char *code, const char *message)
{
	struct channel *c;

	if (!out->run) {
		vec_push(&out->early, (struct warning){ mem_strdup(code), mem_strdup(message) });
		return;
	}
	channel_for_each(c, out)
		if (c->renderer->warn && !c->pattern)
			c->renderer->warn(&c->render, code, message);
}

/* The unit of the totals: that of the text if the report is text. */
static void add_totals(struct str *line, const struct output *out)
{
	const struct run_info *run = out->run;
	struct unit_info unit = units_shown(run, &out->opts);
	bool is_text = false;
	const struct channel *c;

	channel_for_each(c, out)
		is_text |= c->renderer == &text_renderer;
	if (run->unit != UNIT_NS || !is_text) {
		units_add_total(line, run, out->total);
		about_apart(line, NULL, out->whole, out->total, out->left_ns);
		return;
	}
	if (out->kinds & REPORT_STATES && !out->opts.unit)
		unit = (struct unit_info){ "s", NS_PER_MS, .has_decimals = true };
	units_add_time_in(line, unit, out->total);
	about_apart(line, &unit, out->whole, out->total, out->left_ns);
}

#define MIN_FOLDED 20 /* columns: a narrower terminal folds the line itself */

/* On a terminal, the ledger continues below its start, with whole words. */
static void print_folded(struct view text)
{
	size_t width = terminal_columns(STDERR_FILENO);
	const char *indent = "";

	while (width > MIN_FOLDED && text.n > width - strlen(indent)) {
		size_t n = width - strlen(indent);

		while (n && text.p[n] != ' ')
			n--;
		if (!n)
			break;
		fprintf(stderr, "%s%.*s\n", indent, (int)n, text.p);
		text = (struct view){ text.p + n + 1, text.n - n - 1 };
		indent = "  ";
	}
	fprintf(stderr, "%s%.*s\n", indent, (int)text.n, text.p);
}

/* Print counts and losses for people; with -q only if there are losses. */
static void say_ledger(const struct output *out, const struct run_end *end)
{
	struct str line = { 0 };

	add_totals(&line, out);
	if (out->n_reports == 1 && out->n_rows) {
		str_adds(&line, ", ");
		units_add_grouped(&line, out->n_rows);
		str_adds(&line, out->kinds & REPORT_COUNTS ? " row" : " stack");
		if (out->n_rows != 1)
			str_addc(&line, 's');
	}
	if (out->n_open) {
		str_adds(&line, ", ");
		units_add_grouped(&line, out->n_open);
		str_adds(&line, out->n_open == 1 ? " wait not over" : " waits not over");
	}
	/* 0: a saved file that does not contain it. */
	if (end->elapsed_ns) {
		str_adds(&line, ", watched for ");
		units_add_time(&line, end->elapsed_ns);
	}
	str_adds(&line, "; ");
	about_losses(&line, &end->ledger);
	log_progress_end();
	if ((log_level() > LOG_QUIET || ledger_total(&end->ledger)) && log_has_room())
		print_folded(str_view(&line));
	str_release(&line);
}

int output_end(struct output *out, const struct run_info *run, const struct run_end *end,
	       struct err *err)
{
	struct channel *c;
	int ret = 0;

	out->run = run;
	channel_for_each(c, out) {
		if (c->pattern)
			continue;
		if (c->renderer->end)
			c->renderer->end(&c->render, end);
		sink_finish(&c->sink);
		ret = check_sink(out, c, err) ?: ret;
	}
	/* The results of differences include the ledgers of both sides. */
	if (!out->is_broken && (out->n_reports || out->kinds & REPORT_EVENTS) &&
	    out->kinds != REPORT_DIFF)
		say_ledger(out, end);
	return ret;
}

bool output_is_broken(const struct output *out)
{
	return out->is_broken;
}

int output_close(struct output *out, bool *broken_pipe, struct err *err)
{
	struct channel *c;
	int ret = 0;

	*broken_pipe = false;
	if (!out)
		return 0;
	channel_for_each(c, out) {
		release_channel(c);
		if (!c->is_open)
			continue;
		sink_finish(&c->sink);
		*broken_pipe |= !c->sink.path && sink_is_broken(&c->sink);
		ret = sink_close(&c->sink, err) ?: ret;
	}
	for (size_t i = 0; i < out->early.n; i++) {
		free(out->early.items[i].code);
		free(out->early.items[i].message);
	}
	vec_release(&out->early);
	vec_release(&out->channels);
	free(out);
	return ret;
}
