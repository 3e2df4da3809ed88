// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "replay/replay_int.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memlimit.h"

#define EVENTS_AT_ONCE 1024

static void on_warning(void *ctx, const char *code, const char *message)
{
	struct replay *r = ctx;

	if (r->out)
		output_warn(r->out, code, message);
	else
		vec_push(&r->early,
			 (struct early_warning){ mem_strdup(code), mem_strdup(message) });
}

/* The columns, with one for the time if --timestamp was given, unless only messages are shown. */
static u32 event_columns(const struct replay *r)
{
	u32 columns = r->saved.event_columns;

	return columns | (r->conf->timestamp && !(columns & EVENT_RAW) ? EVENT_COLUMN_WALL : 0);
}

static int open_output(struct replay *r, struct err *err)
{
	const struct replay_conf *conf = r->conf;
	const struct output_conf *o = &conf->output;
	const struct render_opts opts = {
		.top = o->top,
		.color = (enum color_when)o->color,
		.delimited = conf->delimited,
		.annotate = conf->annotate || r->saved.has_annotations,
		.addresses = conf->addresses,
		.offsets = conf->offsets,
		.inverted = o->icicle,
		.heat = replay_is_heat(r),
		.timeline = conf->timeline || r->saved.has_bins,
		.has_samples = r->saved.has_samples && !replay_is_total(r),
		.max_file = o->max_file,
		.timestamp = conf->timestamp,
		.unit = output_units[o->unit],
		.event_columns = event_columns(r),
		.heading = r->saved.heading,
	};

	return output_open(&r->out, output_stdout_format(o), o->format, o->files.v.items,
			   o->files.v.n, !replay_is_total(r) && r->saved.reports.n > 1,
			   conf->functions ? REPORT_FUNCS : replay_kind(r), &opts, err);
}

static void give_warnings(struct replay *r, u32 report)
{
	const struct saved_warning *w;

	vec_for_each(w, &r->saved.warnings)
		if (w->report == report)
			output_warn(r->out, w->code, w->message);
}

static int write_all(struct replay *r, struct err *err)
{
	int ret = 0;

	for (u32 i = 0; i < r->saved.reports.n && !output_is_broken(r->out); i++) {
		struct report *report = &r->saved.reports.items[i];

		give_warnings(r, i);
		replay_shape(r->conf, report);
		ret = output_report(r->out, report, err) ?: ret;
	}
	give_warnings(r, (u32)r->saved.reports.n);
	return ret;
}

/* Warnings are written where they were among the events. */
static int write_events(struct replay *r, struct err *err)
{
	const struct saved_warning *w = r->saved.warnings.items, *end = w + r->saved.warnings.n;
	int ret = 0;

	for (size_t i = 0; !ret && i < r->saved.events.n && !output_is_broken(r->out); i++) {
		for (; w < end && w->event <= i; w++)
			output_warn(r->out, w->code, w->message);
		output_event(r->out, &r->saved.events.items[i]);
		if (i % EVENTS_AT_ONCE == 0)
			ret = output_flush(r->out, err);
	}
	for (; w < end; w++)
		output_warn(r->out, w->code, w->message);
	return ret ?: output_flush(r->out, err);
}

static int write_total(struct replay *r, struct err *err)
{
	int ret = saved_total(&r->saved, &r->total, err);

	if (ret)
		return ret;
	for (u32 i = 0; i <= r->saved.reports.n; i++)
		give_warnings(r, i);
	replay_shape(r->conf, &r->total);
	return output_report(r->out, &r->total, err);
}

static void check_losses(const struct replay *r, const struct run_end *end, struct err *err)
{
	if (r->conf->output.strict && (ledger_total(&end->ledger) || output_has_left(r->out) ||
				       !strcmp(end->reason, "incomplete")))
		err_set(err, ERR_FAIL, "--strict: something was lost");
}

/* If one output fails, the others are still written. */
static int write_reports(struct replay *r, struct err *err)
{
	struct run_end end = saved_end(&r->saved);
	struct run_info *run = &r->saved.run;
	int ret;

	if (r->conf->heat)
		run->title = "Heat map";
	if (replay_is_total(r) && !replay_has_events(r)) {
		run->interval_ns = run->count = 0;
		end.intervals = 1;
	}
	ret = output_begin(r->out, run, err);
	for (size_t i = 0; i < r->early.n; i++)
		output_warn(r->out, r->early.items[i].code, r->early.items[i].message);
	ret = (replay_has_events(r) ? write_events(r, err)
	       : replay_is_total(r) ? write_total(r, err)
				    : write_all(r, err))
		      ?: ret;
	check_losses(r, &end, err);
	return output_end(r->out, run, &end, err) ?: ret;
}

static int read_and_write(struct replay *r, int argc, char **argv, struct err *err)
{
	const struct output_conf *output = &r->conf->output;
	const struct saved_opts opts = {
		.format = (enum saved_format)r->conf->from,
		.value = r->conf->value,
		.label_files = r->conf->by == SAVED_BY_FILE,
		.keeps_samples = r->conf->timeline ||
				 output_needs_singles(output->format, output->files.v.items,
						      output->files.v.n),
	};
	int ret = mem_limit_begin(err) ?:
		  saved_read(&r->saved, r->conf->paths, r->conf->n_paths, &opts, err) ?:
		  replay_change(r, err);

	r->saved.run.argc = argc;
	r->saved.run.argv = argv;
	ret = ret ?: open_output(r, err) ?: write_reports(r, err);
	return ret ? ret : err->code ? -err->code : 0;
}

int replay_run(const struct replay_conf *conf, int argc, char **argv, struct err *err)
{
	struct replay r = { .conf = conf };
	struct err later = { 0 };
	bool is_broken;
	int ret;

	/* If the reader of stdout has exited, files are still written. */
	signal(SIGPIPE, SIG_IGN);
	saved_init(&r.saved);
	log_on_warn(on_warning, &r);
	ret = r.conf->output.live ? mem_limit_begin(err) ?: replay_show_live(&r, err)
				  : read_and_write(&r, argc, argv, err);
	log_on_warn(NULL, NULL);
	if (output_close(r.out, &is_broken, ret ? &later : err))
		ret = ret ? ret : -err->code;
	report_release(&r.total);
	saved_release(&r.saved);
	for (size_t i = 0; i < r.early.n; i++) {
		free(r.early.items[i].code);
		free(r.early.items[i].message);
	}
	vec_release(&r.early);
	return ret;
}
