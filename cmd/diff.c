// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bperf diff BEFORE AFTER: what changed between saved reports. */
#include <string.h>

#include "base/memlimit.h"
#include "cmd/command.h"
#include "replay/compare.h"
#include "saved/saved.h"

#define LEVEL_DEFAULT 1 /* 95 % */

static const char *const sort_names[] = { "self", "total", NULL };
#define S struct compare_conf

static const struct opt diff_opts[] = {
	OPT_HEADING("Comparison"),
	OPT_CHOICE(0, "from", S, from, saved_format_names, "FORMAT",
		   "the files are json, folded, pprof or perf (any: detected from their content)"),
	OPT_FLAG(0, "per-second", S, per_second, "compare values per second instead of shares",
		 .conflicts = "absolute"),
	OPT_FLAG(0, "absolute", S, absolute, "compare values as they are",
		 .conflicts = "per-second"),
	OPT_CHOICE(0, "confidence", S, level, compare_levels, "PERCENT",
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
	struct compare_conf *conf = p;

	output_defaults(&conf->output);
	conf->output.names = UINT32_MAX; /* --names was not given */
	conf->level = LEVEL_DEFAULT;
}

static int take_paths(struct compare_conf *conf, const struct opt_rest *rest, struct err *err)
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

static int check_stdin(const struct compare_conf *conf, struct err *err)
{
	size_t n = 0;

	for (int side = 0; side < DIFF_N_SIDES; side++)
		for (size_t i = 0; i < conf->paths[side].n; i++)
			n += !strcmp(conf->paths[side].items[i], "-");
	return n < 2 ? 0 : err_set(err, ERR_USAGE, "diff: only one file can be standard input");
}

static int diff_check_words(void *p, const struct opt_rest *rest, struct err *err)
{
	struct compare_conf *conf = p;
	int ret = take_paths(conf, rest, err) ?: check_stdin(conf, err);

	log_set_level(output_log_level(&conf->output));
	mem_limit_set(conf->output.max_memory);
	if (ret)
		return ret;
	if (conf->output.cost)
		return err_set(err, ERR_USAGE,
			       "--cost cannot be used: this command measures nothing");
	if (conf->output.names != UINT32_MAX)
		return err_set(err, ERR_USAGE,
			       "--names cannot be used: names are compared as they were saved");
	return 0;
}

static void diff_release_conf(void *p)
{
	struct compare_conf *conf = p;

	output_release(&conf->output);
}

static int diff_run(void *conf, int argc, char **argv, int *status, struct err *err)
{
	(void)status;
	return compare_run(conf, argc, argv, err);
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
	.conf_size = sizeof(struct compare_conf),
	.defaults = diff_defaults,
	.check = diff_check_words,
	.run = diff_run,
	.release = diff_release_conf,
};
