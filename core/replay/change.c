// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The options that change what saved files contain: checks whether the files have what an option
 * needs, filters, root frames, names, functions. */
#include "base/log.h"
#include "replay/replay_int.h"
#include "sym/demangle.h"

static void make_name(void *ctx, const char *symbol, struct str *out)
{
	const struct replay_conf *conf = ctx;

	demangle(symbol, (enum names_style)conf->output.names, out);
}

static void rename_frames(struct replay *r)
{
	struct replay_conf conf = *r->conf;

	if (conf.output.names == REPLAY_NAMES_AS_SAVED)
		return;
	if (!saved_rename(&r->saved, make_name, &conf))
		log_warn(
			"names-unknown",
			"--names has no effect: the files contain only readable names, not those of "
			"symbol tables");
}

bool replay_is_heat(const struct replay *r)
{
	return r->conf->heat || r->saved.is_heat;
}

bool replay_has_events(const struct replay *r)
{
	return r->saved.kinds & REPORT_EVENTS;
}

u32 replay_kind(const struct replay *r)
{
	if (replay_has_events(r))
		return REPORT_EVENTS;
	if (replay_is_heat(r))
		return REPORT_HEAT;
	return r->saved.reports.n ? r->saved.reports.items[0].kind : REPORT_STACKS;
}

/* Only histograms have cells. */
static int check_heat(const struct replay *r, struct err *err)
{
	const struct report *report;
	const struct dist *d;

	if (!replay_is_heat(r))
		return 0;
	if (replay_has_events(r))
		return err_set(err, ERR_FAIL, "--heat: the file has events, and no histograms");
	vec_for_each(report, &r->saved.reports) {
		if (report->kind != REPORT_DISTS)
			return err_set(err, ERR_FAIL, "--heat: the file has no histograms");
		vec_for_each(d, &report->dists)
			if (d->kind != DIST_HISTOGRAM)
				return err_set(err, ERR_FAIL,
					       "--heat: the file has more than histograms");
	}
	return 0;
}

static int check_addresses(const struct replay *r, struct err *err)
{
	const struct replay_conf *conf = r->conf;
	/* Events have offsets in any case. */
	bool has_them = replay_has_events(r) && conf->addresses ? r->saved.has_addresses
								: r->saved.has_offsets;

	if ((!conf->offsets && !conf->addresses) || has_them)
		return 0;
	err_set(err, ERR_FAIL, "%s: the files have no %s", conf->addresses ? "-A" : "-s",
		conf->addresses ? "addresses" : "offsets");
	return err_hint(err, "they are in JSON that was written with -A");
}

static int check_shape(const struct replay *r, struct err *err)
{
	const char *option = r->conf->callers ? "--callers" : "--functions";
	u32 kind = replay_kind(r);

	if ((!r->conf->callers && !r->conf->functions) ||
	    kind & (REPORT_STACKS | (r->conf->callers ? 0 : REPORT_FUNCS | REPORT_PATHS)) ||
	    (kind == REPORT_PATHS && r->conf->callers))
		return 0;
	return err_set(err, ERR_FAIL, "%s: the file has %s, and no stacks", option,
		       kind == REPORT_FUNCS		     ? "functions"
		       : kind == REPORT_COUNTS		     ? "counts"
		       : kind & (REPORT_DISTS | REPORT_HEAT) ? "distributions"
		       : kind == REPORT_EVENTS		     ? "events"
		       : kind == REPORT_THREADS		     ? "threads at one moment"
							     : "the states of processes");
}

bool replay_is_total(const struct replay *r)
{
	return r->conf->total || r->saved.files.n > 1;
}

static int check_timeline(const struct replay *r, struct err *err)
{
	if (!r->conf->timeline || r->saved.has_bins ||
	    (r->saved.has_samples && !replay_is_total(r)))
		return 0;
	if (replay_is_total(r))
		return err_set(err, ERR_USAGE, "--timeline: needs a single file");
	err_set(err, ERR_FAIL, "--timeline: %s has no samples with their time",
		r->saved.files.items[0].name);
	return err_hint(err, "perf script has them, and JSON of bperf profile --timeline");
}

/* Apply all options that change what the saved files contain. */
int replay_change(struct replay *r, struct err *err)
{
	const struct replay_conf *conf = r->conf;
	const struct saved_filter filter = {
		.comms = conf->comms.v.items,
		.n_comms = conf->comms.v.n,
		.pids = conf->pids.v.items,
		.n_pids = conf->pids.v.n,
	};
	int ret = check_addresses(r, err) ?: check_shape(r, err) ?: check_heat(r, err) ?: check_timeline(r, err) ?:
		  saved_keep(&r->saved, &filter, err) ?:
		  saved_group(&r->saved, (enum saved_by)conf->by, err) ?:
		  saved_merge_events(&r->saved, err);

	if (!ret && conf->user_only)
		ret = saved_drop_kernel(&r->saved, err);
	if (!ret && conf->kernel_only)
		ret = saved_drop_user(&r->saved, err);
	if (!ret)
		rename_frames(r);
	r->saved.run.opens_whole |= conf->whole_window;
	return ret;
}

void replay_shape(const struct replay_conf *conf, struct report *r)
{
	if (conf->callers && !report_callers(r, conf->callers))
		log_warn("no-such-function", "no stack of this report calls '%s'", conf->callers);
	if (conf->functions && r->kind != REPORT_FUNCS)
		report_functions(r);
}
