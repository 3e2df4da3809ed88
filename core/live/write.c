// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writes what is shown to a file, in the format that its name says. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "live/live_int.h"

static int write_report(struct live *l, struct report r, struct output *out, struct err *err)
{
	struct run_info run = l->shown.has_diff ? l->shown.diff.run : current_source(l)->saved.run;
	const struct run_end end = {
		.reason = "done",
		.elapsed_ns = r.end_ns - r.start_ns,
		.intervals = 1,
		.ledger = r.ledger,
	};
	int ret;

	run.interval_ns = run.count = 0;
	r.run = &run;
	r.interval = 0;
	ret = output_begin(out, &run, err) ?: output_report(out, &r, err);
	return output_end(out, &run, &end, err) ?: ret;
}

static int write_to(struct live *l, const char *path, struct err *err)
{
	const struct render_opts opts = { .delimited = l->opts->delimited };
	char *paths[] = { (char *)(uintptr_t)path };
	struct report r = *l->shown.drawn;
	struct err later = { 0 };
	struct output *out;
	struct stat st;
	bool is_broken, has_own = l->view == &function_view && r.kind == REPORT_STACKS;
	int ret;

	if (!lstat(path, &st))
		return err_set(err, ERR_FAIL, "'%s' exists: choose another name", path);
	if (has_own) {
		r.funcs = (__typeof__(r.funcs)){ 0 };
		report_functions(&r);
	}
	ret = output_open(&out, NULL, NULL, paths, 1, false, r.kind, &opts, err);
	if (!ret) {
		ret = write_report(l, r, out, err);
		ret = output_close(out, &is_broken, ret ? &later : err) ?: ret;
	}
	if (has_own)
		vec_release(&r.funcs);
	return ret;
}

/* There is no shell here that replaces "~/". */
static void add_path(struct str *out, const char *typed)
{
	const char *home = getenv("HOME");

	if (!strncmp(typed, "~/", 2) && home) {
		str_adds(out, home);
		typed++;
	}
	str_adds(out, typed);
}

static void write_named(struct live *l, const char *typed)
{
	struct str path = { 0 };
	struct err err = { 0 };

	if (!typed[0])
		return;
	add_path(&path, typed);
	if (write_to(l, str_text(&path), &err))
		live_notice(l, "%s%s%s", err.what, err.hint[0] ? ": " : "", err.hint);
	else
		live_notice(l, "written to %s", str_text(&path));
	str_release(&path);
}

void live_write(struct live *l)
{
	char name[64], when[32];
	time_t now = time(NULL);
	struct tm tm;

	if (!l->shown.report.end_ns) {
		live_notice(l, "Nothing to write yet");
		return;
	}
	localtime_r(&now, &tm);
	strftime(when, sizeof(when), "%H%M%S", &tm);
	snprintf(name, sizeof(name), "bperf-%s.%s", when,
		 l->shown.drawn->kind & (REPORT_STACKS | REPORT_PATHS | REPORT_DIFF) ? "svg"
										     : "txt");
	live_ask(l, "write to: ", name, write_named);
}
