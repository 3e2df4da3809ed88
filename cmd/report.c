// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bperf report FILE...: saved reports once more, in any format. */
#include "base/memlimit.h"
#include "cmd/command.h"
#include "replay/replay.h"
#include "saved/view.h"

static const char *const by_names[] = {
	[SAVED_BY_FILES] = "saved", [SAVED_BY_PID] = "pid",	  [SAVED_BY_TID] = "tid",
	[SAVED_BY_COMM] = "comm",   [SAVED_BY_CGROUP] = "cgroup", [SAVED_BY_CPU] = "cpu",
	[SAVED_BY_FILE] = "file",   [SAVED_BY_NONE] = "none",	  NULL,
};

#define S struct replay_conf

static const struct opt report_opts[] = {
	OPT_HEADING("Files"),
	OPT_CHOICE(0, "from", S, from, saved_format_names, "FORMAT",
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
	struct replay_conf *conf = p;

	output_defaults(&conf->output);
	conf->output.names = REPLAY_NAMES_AS_SAVED;
}

/* Options for which all must have been read. */
static bool has_changes(const struct replay_conf *conf)
{
	return conf->from > SAVED_JSON || conf->value || conf->by || conf->pids.v.n ||
	       conf->comms.v.n || conf->user_only || conf->kernel_only || conf->callers ||
	       conf->functions || conf->whole_window || conf->output.names != REPLAY_NAMES_AS_SAVED;
}

static int check_live(const struct replay_conf *conf, struct err *err)
{
	if (!conf->output.live || !replay_is_input(conf) || !has_changes(conf))
		return 0;
	err_set(err, ERR_USAGE,
		"--live: standard input is shown as it arrives, without filters or another format");
	return err_hint(
		err, "save standard input to a file first, and show that file with these options");
}

static int report_check(void *p, const struct opt_rest *rest, struct err *err)
{
	struct replay_conf *conf = p;

	log_set_level(output_log_level(&conf->output));
	mem_limit_set(conf->output.max_memory);
	if (rest->program) {
		err_set(err, ERR_USAGE, "report cannot run a program");
		return err_hint(err, "bperf profile -o FILE.json -- program makes a file");
	}
	if (!rest->n_args) {
		err_set(err, ERR_USAGE, "report: needs a file");
		return err_hint(err, "- is standard input: perf script | bperf report -");
	}
	if (conf->output.cost)
		return err_set(err, ERR_USAGE,
			       "--cost cannot be used: this command measures nothing");
	conf->paths = rest->args;
	conf->n_paths = rest->n_args;
	return check_live(conf, err);
}

static void report_release_conf(void *p)
{
	struct replay_conf *conf = p;

	output_release(&conf->output);
	opt_strings_release(&conf->comms);
	vec_release(&conf->pids.v);
}

static int report_run(void *conf, int argc, char **argv, int *status, struct err *err)
{
	(void)status;
	return replay_run(conf, argc, argv, err);
}

static void report_complete(const char *word, FILE *f)
{
	(void)word;
	fputs(":file\n", f);
}

static struct live_part report_live(void *conf)
{
	return (struct live_part){ .output = &((struct replay_conf *)conf)->output };
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
	.conf_size = sizeof(struct replay_conf),
	.defaults = report_defaults,
	.check = report_check,
	.run = report_run,
	.live = report_live,
	.release = report_release_conf,
	.complete = report_complete,
};
