// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "replay/compare.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/memlimit.h"
#include "render/render.h"
#include "saved/saved.h"

const char *const compare_levels[] = { "90", "95", "99", "99.9", NULL };
/* Quantiles of the normal distribution. */
static const double z_of_level[] = { 1.644854, 1.959964, 2.575829, 3.290527 };

/* One side: its files, and their sum. */
struct compare_side {
	struct saved saved;
	struct report total;
};

static int read_side(const struct compare_conf *conf, enum diff_when side, struct compare_side *in,
		     struct err *err)
{
	const struct saved_opts opts = { .format = (enum saved_format)conf->from };

	int ret = saved_read(&in->saved, conf->paths[side].items, conf->paths[side].n, &opts, err);

	if (ret)
		return ret;
	/* Stacks that were folded on one side only would look new or gone on the other. */
	if (in->saved.is_folded) {
		err_set(err, ERR_FAIL, "the files need more memory than --max-memory allows");
		return err_hint(
			err,
			"raise it, for example --max-memory 1G: parts of files can't be compared");
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
static void warn_of_unlike_runs(const struct compare_side *before, const struct compare_side *after)
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

static int check_rates(const struct compare_conf *conf, const struct diff *d, struct err *err)
{
	if (!conf->per_second || diff_has_rates(d))
		return 0;
	return err_set(err, ERR_FAIL, "--per-second: the files don't tell how long they measured");
}

/* ---- writing ---- */

static int write_diff(const struct compare_conf *conf, struct diff *d, struct output *out,
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

static int open_output(const struct compare_conf *conf, struct output **out, struct err *err)
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

static int compare(const struct compare_conf *conf, struct compare_side in[DIFF_N_SIDES], int argc,
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
		.level = compare_levels[conf->level],
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

int compare_run(const struct compare_conf *conf, int argc, char **argv, struct err *err)
{
	struct compare_side in[DIFF_N_SIDES] = { 0 };
	struct output *out = NULL;
	struct err later = { 0 };
	bool is_broken;
	int ret;

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
