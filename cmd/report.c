// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bperf report FILE...: saved reports once more, in any format. */
#include <signal.h>
#include <string.h>

#include "base/memlimit.h"
#include "cmd/command.h"
#include "cmd/live.h"
#include "opt/output.h"
#include "opt/target.h"
#include "render/render.h"
#include "saved/saved.h"
#include "saved/view.h"
#include "sym/demangle.h"

#define EVENTS_AT_ONCE 1024
#define NAMES_AS_SAVED 3 /* not in enum name_style: --names was not given */

struct report_conf {
	struct output_conf output;
	u32 from; /* enum saved_format */
	const char *value;
	bool total, timeline;
	u32 by; /* enum saved_by */
	bool user_only, kernel_only;
	bool delimited, annotate, addresses, offsets, timestamp;
	bool functions, heat, whole_window;
	const char *callers;
	struct opt_strings comms;
	struct u32_list pids;
	char *const *paths;
	size_t n_paths;
};

static const char *const from_names[] = { "any", "json", "folded", "pprof", "perf", NULL };
static const char *const by_names[] = {
	[SAVED_BY_FILES] = "saved", [SAVED_BY_PID] = "pid",	  [SAVED_BY_TID] = "tid",
	[SAVED_BY_COMM] = "comm",   [SAVED_BY_CGROUP] = "cgroup", [SAVED_BY_CPU] = "cpu",
	[SAVED_BY_FILE] = "file",   [SAVED_BY_NONE] = "none",	  NULL,
};

#define S struct report_conf

static const struct opt report_opts[] = {
	OPT_HEADING("Files"),
	OPT_CHOICE(0, "from", S, from, from_names, "FORMAT",
		   "the files are json, folded, pprof or perf (any: detected from their content)"),
	OPT_STRING(0, "value", S, value, "NAME",
		   "pprof: the type of value; perf script: the event (the default one; the first)"),
	OPT_FLAG(0, "total", S, total, "one report of all intervals"),
	OPT_FLAG(0, "timeline", S, timeline, "perf script: samples over time too (html, json)",
		 .conflicts = "total functions"),
	OPT_CALL('p', "pid", S, pids, target_parse_pids, "PID,...", "only these processes",
		 .is_repeatable = true),
	OPT_STRINGS(0, "comm", S, comms, "NAME", "only processes with this name (a glob)"),
	OPT_HEADING("Stacks"),
	OPT_FLAG('U', "user-stacks-only", S, user_only, "no kernel frames", .conflicts = "K"),
	OPT_FLAG('K', "kernel-stacks-only", S, kernel_only, "no user frames", .conflicts = "U"),
	OPT_FLAG('d', "delimited", S, delimited, "a delimiter between kernel and user frames"),
	OPT_FLAG('a', "annotations", S, annotate, "_[k] after kernel frames, _[j] after JIT ones"),
	OPT_CHOICE(0, "by", S, by, by_names, "WHAT",
		   "root frames: pid, tid, comm, cgroup, cpu, file or none (saved: as they are)"),
	OPT_FLAG(0, "functions", S, functions, "a table of functions by self and total",
		 .conflicts = "callers by"),
	OPT_STRING(0, "callers", S, callers, "NAME", "only stacks that call function NAME"),
	OPT_FLAG(0, "whole-window", S, whole_window,
		 "list waits that lasted through the whole window, too"),
	OPT_FLAG(0, "heat", S, heat, "histograms as a heat map, a line or a column per interval",
		 .conflicts = "functions callers total"),
	OPT_FLAG('s', "offset", S, offsets, "offsets after names, if they were saved (-A)"),
	OPT_FLAG('A', "address", S, addresses, "raw addresses too, if they were saved (-A)"),
	OPT_FLAG('T', "timestamp", S, timestamp, "a line with the time before each report"),
	OPT_LETTER('f', "folded"),
	OPT_INCLUDE(S, output, output_opts),
	OPT_INCLUDE(S, output, output_live_opts),
	OPT_INCLUDE(S, output, output_single_opts),
	OPT_INCLUDE(S, output, output_unit_opts),
	OPT_END,
};

#undef S

static void report_defaults(void *p)
{
	struct report_conf *conf = p;

	output_defaults(&conf->output);
	conf->output.names = NAMES_AS_SAVED;
}

/* A run that goes on comes from a pipe; a file is shown when it was read. */
static bool is_input(const struct report_conf *conf)
{
	return conf->n_paths == 1 && !strcmp(conf->paths[0], "-");
}

/* Options for which all must have been read. */
static bool has_changes(const struct report_conf *conf)
{
	return conf->from > SAVED_JSON || conf->value || conf->by || conf->pids.v.n ||
	       conf->comms.v.n || conf->user_only || conf->kernel_only || conf->callers ||
	       conf->functions || conf->whole_window || conf->output.names != NAMES_AS_SAVED;
}

static int check_live(const struct report_conf *conf, struct err *err)
{
	if (!conf->output.live || !is_input(conf) || !has_changes(conf))
		return 0;
	err_set(err, ERR_USAGE,
		"--live: standard input is shown as it comes: no other format, no filter, no change");
	return err_hint(err, "a file can be changed: write standard input to one first");
}

static int report_check(void *p, const struct opt_rest *rest, struct err *err)
{
	struct report_conf *conf = p;

	log_set_level(output_log_level(&conf->output));
	mem_limit_set(conf->output.max_memory);
	if (rest->program) {
		err_set(err, ERR_USAGE, "report: runs no program");
		return err_hint(err, "bperf profile -o FILE.json -- program makes a file");
	}
	if (!rest->n_args) {
		err_set(err, ERR_USAGE, "report: needs a file");
		return err_hint(err, "- is standard input: perf script | bperf report -");
	}
	if (conf->output.cost)
		return err_set(err, ERR_USAGE, "--cost: nothing is measured here");
	conf->paths = rest->args;
	conf->n_paths = rest->n_args;
	return check_live(conf, err);
}

static void report_release_conf(void *p)
{
	struct report_conf *conf = p;

	output_release(&conf->output);
	opt_strings_release(&conf->comms);
	vec_release(&conf->pids.v);
}

/* ---- warnings from before there is an output ---- */

struct early_warning {
	char *code, *message;
};

struct reporting {
	const struct report_conf *conf;
	struct saved saved;
	struct report total;
	struct output *out;
	VEC(struct early_warning) early;
};

static void on_warning(void *ctx, const char *code, const char *message)
{
	struct reporting *g = ctx;

	if (g->out)
		output_warn(g->out, code, message);
	else
		vec_push(&g->early,
			 (struct early_warning){ mem_strdup(code), mem_strdup(message) });
}

/* ---- what is shown ---- */

static void make_name(void *ctx, const char *symbol, struct str *out)
{
	const struct report_conf *conf = ctx;

	demangle(symbol, (enum names_style)conf->output.names, out);
}

static void rename_frames(struct reporting *g)
{
	struct report_conf conf = *g->conf;

	if (conf.output.names == NAMES_AS_SAVED)
		return;
	if (!saved_rename(&g->saved, make_name, &conf))
		log_warn(
			"names-unknown",
			"--names: the files have no names as symbol tables have them, only names to "
			"read");
}

static bool is_heat(const struct reporting *g)
{
	return g->conf->heat || g->saved.is_heat;
}

static bool has_events(const struct reporting *g)
{
	return g->saved.kinds & REPORT_EVENTS;
}

static u32 kind_of(const struct reporting *g)
{
	if (has_events(g))
		return REPORT_EVENTS;
	if (is_heat(g))
		return REPORT_HEAT;
	return g->saved.reports.n ? g->saved.reports.items[0].kind : REPORT_STACKS;
}

/* Only histograms have cells. */
static int check_heat(const struct reporting *g, struct err *err)
{
	const struct report *r;
	const struct dist *d;

	if (!is_heat(g))
		return 0;
	if (has_events(g))
		return err_set(err, ERR_FAIL, "--heat: the file has events, and no histograms");
	vec_for_each(r, &g->saved.reports) {
		if (r->kind != REPORT_DISTS)
			return err_set(err, ERR_FAIL, "--heat: the file has no histograms");
		vec_for_each(d, &r->dists)
			if (d->kind != DIST_HISTOGRAM)
				return err_set(err, ERR_FAIL,
					       "--heat: the file has more than histograms");
	}
	return 0;
}

static int check_addresses(const struct reporting *g, struct err *err)
{
	const struct report_conf *conf = g->conf;
	/* Events have offsets in any case. */
	bool has_them =
		has_events(g) && conf->addresses ? g->saved.has_addresses : g->saved.has_offsets;

	if ((!conf->offsets && !conf->addresses) || has_them)
		return 0;
	err_set(err, ERR_FAIL, "%s: the files have no %s", conf->addresses ? "-A" : "-s",
		conf->addresses ? "addresses" : "offsets");
	return err_hint(err, "they are in JSON that was written with -A");
}

static int check_shape(const struct reporting *g, struct err *err)
{
	const char *option = g->conf->callers ? "--callers" : "--functions";
	u32 kind = kind_of(g);

	if ((!g->conf->callers && !g->conf->functions) ||
	    kind & (REPORT_STACKS | (g->conf->callers ? 0 : REPORT_FUNCS | REPORT_PATHS)) ||
	    (kind == REPORT_PATHS && g->conf->callers))
		return 0;
	return err_set(err, ERR_FAIL, "%s: the file has %s, and no stacks", option,
		       kind == REPORT_FUNCS		     ? "functions"
		       : kind == REPORT_COUNTS		     ? "counts"
		       : kind & (REPORT_DISTS | REPORT_HEAT) ? "distributions"
		       : kind == REPORT_EVENTS		     ? "events"
		       : kind == REPORT_THREADS		     ? "threads at one moment"
							     : "the states of processes");
}

static bool is_total(const struct reporting *g)
{
	return g->conf->total || g->saved.files.n > 1;
}

static int check_timeline(const struct reporting *g, struct err *err)
{
	if (!g->conf->timeline || g->saved.has_bins || (g->saved.has_samples && !is_total(g)))
		return 0;
	if (is_total(g))
		return err_set(err, ERR_USAGE, "--timeline: needs a single file");
	err_set(err, ERR_FAIL, "--timeline: %s has no samples with their time",
		g->saved.files.items[0].name);
	return err_hint(err, "perf script has them, and JSON of bperf profile --timeline");
}

/* Apply all options that change what the saved files contain. */
static int change(struct reporting *g, struct err *err)
{
	const struct report_conf *conf = g->conf;
	const struct saved_filter filter = {
		.comms = conf->comms.v.items,
		.n_comms = conf->comms.v.n,
		.pids = conf->pids.v.items,
		.n_pids = conf->pids.v.n,
	};
	int ret = check_addresses(g, err) ?: check_shape(g, err) ?: check_heat(g, err) ?: check_timeline(g, err) ?:
		  saved_keep(&g->saved, &filter, err) ?:
		  saved_group(&g->saved, (enum saved_by)conf->by, err) ?:
		  saved_merge_events(&g->saved, err);

	if (!ret && conf->user_only)
		ret = saved_drop_kernel(&g->saved, err);
	if (!ret && conf->kernel_only)
		ret = saved_drop_user(&g->saved, err);
	if (!ret)
		rename_frames(g);
	g->saved.run.opens_whole |= conf->whole_window;
	return ret;
}

static void shape(const struct report_conf *conf, struct report *r)
{
	if (conf->callers && !report_callers(r, conf->callers))
		log_warn("no-such-function", "no stack of this report calls '%s'", conf->callers);
	if (conf->functions && r->kind != REPORT_FUNCS)
		report_functions(r);
}

/* ---- writing ---- */

/* Where only messages are shown, there is no column for the time. */
static u32 event_columns(const struct reporting *g)
{
	u32 columns = g->saved.event_columns;

	return columns | (g->conf->timestamp && !(columns & EVENT_RAW) ? EVENT_COLUMN_WALL : 0);
}

static int open_output(struct reporting *g, struct err *err)
{
	const struct report_conf *conf = g->conf;
	const struct output_conf *o = &conf->output;
	const struct render_opts opts = {
		.top = o->top,
		.color = (enum color_when)o->color,
		.delimited = conf->delimited,
		.annotate = conf->annotate || g->saved.has_annotations,
		.addresses = conf->addresses,
		.offsets = conf->offsets,
		.inverted = o->icicle,
		.heat = is_heat(g),
		.timeline = conf->timeline || g->saved.has_bins,
		.has_samples = g->saved.has_samples && !is_total(g),
		.max_file = o->max_file,
		.timestamp = conf->timestamp,
		.unit = output_units[o->unit],
		.event_columns = event_columns(g),
		.heading = g->saved.heading,
	};

	return output_open(&g->out, output_stdout_format(o), o->format, o->files.v.items,
			   o->files.v.n, !is_total(g) && g->saved.reports.n > 1,
			   conf->functions ? REPORT_FUNCS : kind_of(g), &opts, err);
}

static void give_warnings(struct reporting *g, u32 report)
{
	const struct saved_warning *w;

	vec_for_each(w, &g->saved.warnings)
		if (w->report == report)
			output_warn(g->out, w->code, w->message);
}

static int write_all(struct reporting *g, struct err *err)
{
	int ret = 0;

	for (u32 i = 0; i < g->saved.reports.n && !output_is_broken(g->out); i++) {
		struct report *r = &g->saved.reports.items[i];

		give_warnings(g, i);
		shape(g->conf, r);
		ret = output_report(g->out, r, err) ?: ret;
	}
	give_warnings(g, (u32)g->saved.reports.n);
	return ret;
}

/* Warnings stand where they stood among the events. */
static int write_events(struct reporting *g, struct err *err)
{
	const struct saved_warning *w = g->saved.warnings.items, *end = w + g->saved.warnings.n;
	int ret = 0;

	for (size_t i = 0; !ret && i < g->saved.events.n && !output_is_broken(g->out); i++) {
		for (; w < end && w->event <= i; w++)
			output_warn(g->out, w->code, w->message);
		output_event(g->out, &g->saved.events.items[i]);
		if (i % EVENTS_AT_ONCE == 0)
			ret = output_flush(g->out, err);
	}
	for (; w < end; w++)
		output_warn(g->out, w->code, w->message);
	return ret ?: output_flush(g->out, err);
}

static int write_total(struct reporting *g, struct err *err)
{
	int ret = saved_total(&g->saved, &g->total, err);

	if (ret)
		return ret;
	for (u32 i = 0; i <= g->saved.reports.n; i++)
		give_warnings(g, i);
	shape(g->conf, &g->total);
	return output_report(g->out, &g->total, err);
}

static void check_losses(const struct reporting *g, const struct run_end *end, struct err *err)
{
	if (g->conf->output.strict && (ledger_total(&end->ledger) || output_has_left(g->out) ||
				       !strcmp(end->reason, "incomplete")))
		err_set(err, ERR_FAIL, "--strict: something was lost");
}

/* If one output fails, the others are written all the same. */
static int write_reports(struct reporting *g, struct err *err)
{
	struct run_end end = saved_end(&g->saved);
	struct run_info *run = &g->saved.run;
	int ret;

	if (g->conf->heat)
		run->title = "Heat map";
	if (is_total(g) && !has_events(g)) {
		run->interval_ns = run->count = 0;
		end.intervals = 1;
	}
	ret = output_begin(g->out, run, err);
	for (size_t i = 0; i < g->early.n; i++)
		output_warn(g->out, g->early.items[i].code, g->early.items[i].message);
	ret = (has_events(g) ? write_events(g, err)
	       : is_total(g) ? write_total(g, err)
			     : write_all(g, err))
		      ?: ret;
	check_losses(g, &end, err);
	return output_end(g->out, run, &end, err) ?: ret;
}

static int show_live(struct reporting *g, struct err *err)
{
	const struct saved_opts opts = { .format = (enum saved_format)g->conf->from,
					 .value = g->conf->value,
					 .label_files = g->conf->by == SAVED_BY_FILE };
	int ret;

	if (is_input(g->conf))
		return live_show_input(g->conf->delimited, err);
	ret = saved_read(&g->saved, g->conf->paths, g->conf->n_paths, &opts, err)
		      ?: change(g, err) ?: saved_total(&g->saved, &g->total, err);
	if (ret)
		return ret;
	if (has_events(g))
		return err_set(err, ERR_FAIL, "--live: the file has events, and no reports");
	shape(g->conf, &g->total);
	return live_show_saved(&g->saved, &g->total, g->conf->delimited, err);
}

static int read_and_write(struct reporting *g, int argc, char **argv, struct err *err)
{
	const struct output_conf *output = &g->conf->output;
	const struct saved_opts opts = {
		.format = (enum saved_format)g->conf->from,
		.value = g->conf->value,
		.label_files = g->conf->by == SAVED_BY_FILE,
		.keeps_samples = g->conf->timeline ||
				 output_needs_singles(output->format, output->files.v.items,
						      output->files.v.n),
	};
	int ret = mem_limit_begin(err) ?:
		  saved_read(&g->saved, g->conf->paths, g->conf->n_paths, &opts, err) ?:
		  change(g, err);

	g->saved.run.argc = argc;
	g->saved.run.argv = argv;
	ret = ret ?: open_output(g, err) ?: write_reports(g, err);
	return ret ? ret : err->code ? -err->code : 0;
}

static int report_run(void *p, int argc, char **argv, int *status, struct err *err)
{
	struct reporting g = { .conf = p };
	struct err later = { 0 };
	bool is_broken;
	int ret;

	(void)status;
	/* If the reader of stdout has exited, files are still written. */
	signal(SIGPIPE, SIG_IGN);
	saved_init(&g.saved);
	log_on_warn(on_warning, &g);
	ret = g.conf->output.live ? mem_limit_begin(err) ?: show_live(&g, err)
				  : read_and_write(&g, argc, argv, err);
	log_on_warn(NULL, NULL);
	if (output_close(g.out, &is_broken, ret ? &later : err))
		ret = ret ? ret : -err->code;
	report_release(&g.total);
	saved_release(&g.saved);
	for (size_t i = 0; i < g.early.n; i++) {
		free(g.early.items[i].code);
		free(g.early.items[i].message);
	}
	vec_release(&g.early);
	return ret;
}

static void report_complete(const char *word, FILE *f)
{
	(void)word;
	fputs(":file\n", f);
}

static struct live_part report_live(void *conf)
{
	return (struct live_part){ .output = &((struct report_conf *)conf)->output };
}

const struct command report_command = {
	.name = "report",
	.is_helper = true,
	.summary = "show saved reports again, in any format",
	.usage = "[options] FILE...",
	.about =
		"Reads saved files: bperf's JSON, folded stacks, pprof and the text of perf script, "
		"each plain or gzipped; - is standard input.  Writes any format that a run can write.  "
		"Several files are added up to one report, if their values have the same unit; --by "
		"file keeps them apart.",
	.examples = { { "report run.json", "as text again" },
		      { "report run.json -o run.svg -o run.pb.gz", "a flame graph, and pprof" },
		      { "report --functions run.json", "functions by self and total" },
		      { "report --by file db1.json db2.json -o all.svg",
			"two hosts in one picture" },
		      { "report --from perf - -o out.svg", "perf script | bperf report ..." } },
	.opts = report_opts,
	.conf_size = sizeof(struct report_conf),
	.defaults = report_defaults,
	.check = report_check,
	.run = report_run,
	.live = report_live,
	.release = report_release_conf,
	.complete = report_complete,
};
