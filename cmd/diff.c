// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bperf diff BEFORE AFTER: what changed between saved reports. */
#include <string.h>

#include "base/cleanup.h"
#include "base/memlimit.h"
#include "cmd/command.h"
#include "model/diff.h"
#include "opt/output.h"
#include "render/render.h"
#include "saved/saved.h"

#define LEVEL_DEFAULT 1 /* 95 % */

struct diff_conf {
	struct output_conf output;
	u32 from; /* enum saved_format */
	bool per_second, absolute;
	bool stacks;
	bool by_before;
	u32 sort;  /* 0: self, 1: total */
	u32 level; /* index into `levels` */
	struct {
		char **items;
		size_t n;
	} paths[DIFF_N_SIDES];
};

static const char *const from_names[] = { "any", "json", "folded", "pprof", "perf", NULL };
static const char *const sort_names[] = { "self", "total", NULL };
static const char *const levels[] = { "90", "95", "99", "99.9", NULL };
/* Quantiles of the normal distribution. */
static const double z_of_level[] = { 1.644854, 1.959964, 2.575829, 3.290527 };

#define S struct diff_conf

static const struct opt diff_opts[] = {
	OPT_HEADING("Comparison"),
	OPT_CHOICE(0, "from", S, from, from_names, "FORMAT",
		   "the files are json, folded, pprof or perf (any: detected from their content)"),
	OPT_FLAG(0, "per-second", S, per_second, "compare values per second instead of shares",
		 .conflicts = "absolute"),
	OPT_FLAG(0, "absolute", S, absolute, "compare values as they are",
		 .conflicts = "per-second"),
	OPT_CHOICE(0, "confidence", S, level, levels, "PERCENT",
		   "the confidence of the intervals: 90, 95, 99 or 99.9 (95)"),
	OPT_CHOICE(0, "sort", S, sort, sort_names, "WHAT",
		   "sort functions by the change of self or total (self)"),
	OPT_FLAG(0, "stacks", S, stacks, "text: stacks instead of functions"),
	OPT_FLAG(0, "by-before", S, by_before,
		 "svg: widths are the values before, which shows stacks that are gone"),
	OPT_LETTER('f', "folded"),
	OPT_INCLUDE(S, output, output_opts),
	OPT_END,
};

#undef S

static void diff_defaults(void *p)
{
	struct diff_conf *conf = p;

	output_defaults(&conf->output);
	conf->output.names = UINT32_MAX; /* --names was not given */
	conf->level = LEVEL_DEFAULT;
}

/* ---- words ---- */

static int take_paths(struct diff_conf *conf, const struct opt_rest *rest, struct err *err)
{
	size_t n_after = 0;

	while (rest->program && rest->program[n_after])
		n_after++;
	conf->paths[DIFF_BEFORE].items = rest->args;
	conf->paths[DIFF_BEFORE].n = rest->n_args;
	conf->paths[DIFF_AFTER].items = rest->program;
	conf->paths[DIFF_AFTER].n = n_after;
	if (rest->n_args && n_after)
		return 0;
	if (rest->has_dashes || rest->n_args != 2) {
		err_set(err, ERR_USAGE, "diff: needs two files, before and after");
		return err_hint(err, "several of each: bperf diff A1 A2 -- B1 B2");
	}
	conf->paths[DIFF_BEFORE].n = 1;
	conf->paths[DIFF_AFTER].items = rest->args + 1;
	conf->paths[DIFF_AFTER].n = 1;
	return 0;
}

static int check_stdin(const struct diff_conf *conf, struct err *err)
{
	size_t n = 0;

	for (int side = 0; side < DIFF_N_SIDES; side++)
		for (size_t i = 0; i < conf->paths[side].n; i++)
			n += !strcmp(conf->paths[side].items[i], "-");
	return n < 2 ? 0 : err_set(err, ERR_USAGE, "diff: only one file can be standard input");
}

static int diff_check_words(void *p, const struct opt_rest *rest, struct err *err)
{
	struct diff_conf *conf = p;
	int ret = take_paths(conf, rest, err) ?: check_stdin(conf, err);

	log_set_level(output_log_level(&conf->output));
	mem_limit_set(conf->output.max_memory);
	if (ret)
		return ret;
	if (conf->output.cost)
		return err_set(err, ERR_USAGE, "--cost: nothing is measured here");
	if (conf->output.names != UINT32_MAX)
		return err_set(err, ERR_USAGE, "--names: names are compared as they were saved");
	return 0;
}

static void diff_release_conf(void *p)
{
	struct diff_conf *conf = p;

	output_release(&conf->output);
}

/* ---- reading ---- */

/* One side: its files, and their sum. */
struct diff_input {
	struct saved saved;
	struct report total;
};

static int read_side(const struct diff_conf *conf, enum diff_when side, struct diff_input *in,
		     struct err *err)
{
	const struct saved_opts opts = { .format = (enum saved_format)conf->from };

	int ret = saved_read(&in->saved, conf->paths[side].items, conf->paths[side].n, &opts, err);

	if (ret)
		return ret;
	/* Stacks that were folded on one side only would look new or gone on the other. */
	if (in->saved.is_folded) {
		err_set(err, ERR_FAIL, "the files need more memory than --max-memory allows");
		return err_hint(err, "--max-memory 1G, say; a part can't be compared");
	}
	return saved_total(&in->saved, &in->total, err);
}

/* Only our JSON has a ledger. */
static bool is_accounted(const struct saved *s)
{
	const struct saved_file *f;

	vec_for_each(f, &s->files)
		if (f->format != SAVED_JSON)
			return false;
	return true;
}

/* Warn of differences between the runs that may explain differences of their values. */
static void warn_of_unlike_runs(const struct diff_input *before, const struct diff_input *after)
{
	const struct run_info *a = &before->saved.run, *b = &after->saved.run;

	if (before->saved.files.items[0].format != after->saved.files.items[0].format)
		log_warn("other-format",
			 "the files before and after have different formats: names and root frames "
			 "may differ for that reason alone");
	if (a->event && b->event && strcmp(a->event, b->event) != 0)
		log_warn("other-event", "sampled by %s before, by %s after", a->event, b->event);
	else if (a->freq_hz != b->freq_hz || a->period != b->period)
		log_warn("other-frequency",
			 "sampled at different frequencies: shares can be compared, values per "
			 "second and absolute ones can't");
}

static int check_rates(const struct diff_conf *conf, const struct diff *d, struct err *err)
{
	if (!conf->per_second || diff_has_rates(d))
		return 0;
	return err_set(err, ERR_FAIL, "--per-second: the files don't tell how long they measured");
}

/* ---- writing ---- */

static int write_diff(const struct diff_conf *conf, struct diff *d, struct output *out,
		      struct err *err)
{
	const struct run_end end = {
		.reason = "done",
		.elapsed_ns = d->joined.end_ns - d->joined.start_ns,
		.intervals = 1,
		.ledger = d->joined.ledger,
	};
	int ret = output_begin(out, &d->run, err) ?: output_report(out, &d->joined, err) ?:
		  output_end(out, &d->run, &end, err);

	if (!ret && conf->output.strict && ledger_total(&end.ledger))
		ret = err_set(err, ERR_FAIL, "--strict: something was lost");
	return ret;
}

static int open_output(const struct diff_conf *conf, struct output **out, struct err *err)
{
	const struct output_conf *o = &conf->output;
	const struct render_opts opts = {
		.top = o->top,
		.color = (enum color_when)o->color,
		.inverted = o->icicle,
		.stacks = conf->stacks,
	};

	return output_open(out, output_stdout_format(o), o->format, o->files.v.items, o->files.v.n,
			   false, REPORT_DIFF, &opts, err);
}

static int compare(const struct diff_conf *conf, struct diff_input in[DIFF_N_SIDES], int argc,
		   char **argv, struct output *out, struct err *err)
{
	const struct report *before = &in[DIFF_BEFORE].total, *after = &in[DIFF_AFTER].total;
	const struct diff_opts opts = {
		.basis = conf->per_second ? DIFF_PER_SECOND
			 : conf->absolute ? DIFF_ABSOLUTE
					  : DIFF_SHARE,
		.by_total = conf->sort == 1,
		.by_before = conf->by_before,
		.z = z_of_level[conf->level],
		.level = levels[conf->level],
	};
	_cleanup_(free_p) char *title = NULL;
	struct diff d;
	int ret = diff_check(before, after, err);

	if (ret)
		return ret;
	warn_of_unlike_runs(&in[DIFF_BEFORE], &in[DIFF_AFTER]);
	diff_make(&d, before, after, &opts);
	for (int side = 0; side < DIFF_N_SIDES; side++)
		d.side[side].is_unaccounted = !is_accounted(&in[side].saved);
	title = mem_printf("%s, before and after", d.run.title ?: "Flame graph");
	d.run.command = argv[0];
	d.run.title = title;
	d.run.argc = argc;
	d.run.argv = argv;
	d.run.version = BPERF_VERSION;
	d.run.interval_ns = d.run.count = 0;
	ret = check_rates(conf, &d, err) ?: write_diff(conf, &d, out, err);
	diff_release(&d);
	return ret;
}

static void on_warning(void *ctx, const char *code, const char *message)
{
	output_warn(ctx, code, message);
}

static int diff_run(void *p, int argc, char **argv, int *status, struct err *err)
{
	const struct diff_conf *conf = p;
	struct diff_input in[DIFF_N_SIDES] = { 0 };
	struct output *out = NULL;
	struct err later = { 0 };
	bool is_broken;
	int ret;

	(void)status;
	for (int side = 0; side < DIFF_N_SIDES; side++)
		saved_init(&in[side].saved);
	ret = mem_limit_begin(err) ?: open_output(conf, &out, err);
	if (!ret) {
		log_on_warn(on_warning, out);
		ret = read_side(conf, DIFF_BEFORE, &in[DIFF_BEFORE], err)
			      ?: read_side(conf, DIFF_AFTER, &in[DIFF_AFTER], err)
			      ?: compare(conf, in, argc, argv, out, err);
		log_on_warn(NULL, NULL);
	}
	if (output_close(out, &is_broken, ret ? &later : err))
		ret = ret ? ret : -err->code;
	for (int side = 0; side < DIFF_N_SIDES; side++) {
		report_release(&in[side].total);
		saved_release(&in[side].saved);
	}
	return ret;
}

const struct command diff_command = {
	.name = "diff",
	.is_helper = true,
	.summary = "compare saved reports: what changed, and what may be chance",
	.usage = "[options] BEFORE AFTER | BEFORE... -- AFTER...",
	.about =
		"Compares reports that were saved as JSON, folded stacks, pprof or perf script text: "
		"functions and stacks by the change of their share, with its confidence interval.  "
		"Functions are matched by name, so that two builds can be compared.  Writes text, "
		"JSON, a flame graph with the change as colour, and folded lines with two counts.",
	.examples = { { "diff old.json new.json", "functions, the largest change last" },
		      { "diff -o diff.svg old.json new.json", "orange: more, blue: less" },
		      { "diff --by-before -o gone.svg old.json new.json", "also what is gone" },
		      { "diff --stacks --top 5 old.folded new.folded", "five stacks" },
		      { "diff --per-second a1.json a2.json -- b1.json", "two files against one" } },
	.opts = diff_opts,
	.conf_size = sizeof(struct diff_conf),
	.defaults = diff_defaults,
	.check = diff_check_words,
	.run = diff_run,
	.release = diff_release_conf,
};
