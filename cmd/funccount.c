// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bperf funccount: exact counts of functions, tracepoints, system calls and USDT probes. */
#include "agg/funccount.h"
#include "cmd/command.h"
#include "host/feature.h"
#include "site/complete.h"

#define KEYS_DEFAULT 10240
#define KEYS_MAX     10000000

#define S struct funccount_conf

static const struct opt funccount_opts[] = {
	OPT_HEADING("Counting"),
	OPT_FLAG('r', "regexp", S, is_regex,
		 "names are extended regular expressions, which match whole names"),
	OPT_STRING(0, "by", S, by, "EXPR,...", "a row for each value: '$comm', '$pid,$cpu'"),
	OPT_U32(0, "keys", S, max_keys, 1, KEYS_MAX, "N",
		"make room for N values of --by (10240); the rest is [other]"),
	OPT_FLAG(0, "latency", S, latency, "total and mean time from entry to return"),
	OPT_FLAG(0, "errors", S, errors, "the number of calls that returned a negative number"),
	OPT_INCLUDE(S, run, proberun_report_opts),
	OPT_FLAG(0, "wide", S, wide, "a line for each report, with a column for each row"),
	OPT_STRINGS(0, "col", S, columns, "NAME=EXPR",
		    "with --wide: one more column, computed from the others"),
	OPT_INCLUDE(S, run, proberun_opts),
	OPT_INCLUDE(S, run.target, target_opts),
	OPT_LETTER('p', "pid"),
	OPT_LETTER('L', "tid"),
	OPT_LETTER('c', "cpu"),
	OPT_INCLUDE(S, run.output, output_opts),
	OPT_INCLUDE(S, run.output, output_live_opts),
	OPT_END,
};

#undef S

/* ---- the command line ---------------------------------------------------------------------- */

static void funccount_defaults(void *conf_)
{
	struct funccount_conf *conf = conf_;

	conf->max_keys = KEYS_DEFAULT;
	proberun_defaults(&conf->run);
}

static int funccount_check(void *conf_, const struct opt_rest *rest, struct err *err)
{
	struct funccount_conf *conf = conf_;
	int ret = proberun_check(&conf->run, rest, err) ?: proberun_check_reports(&conf->run, err);

	if (ret)
		return ret;
	if (!conf->run.n_words) {
		err_set(err, ERR_USAGE, "nothing to count was given");
		return err_hint(err, "for example  bperf funccount 'vfs_*'   "
				     "(bperf list shows the probes)");
	}
	if (conf->columns.v.n && !conf->wide)
		return err_set(err, ERR_USAGE, "--col needs --wide");
	if (conf->wide && conf->by)
		return err_set(err, ERR_USAGE, "--wide has a column for each site, not for --by");
	return 0;
}

static void funccount_release(void *conf_)
{
	struct funccount_conf *conf = conf_;

	proberun_release_conf(&conf->run);
	opt_strings_release(&conf->columns);
}

static int run(void *conf, int argc, char **argv, int *status, struct err *err)
{
	return funccount_run(conf, argc, argv, status, err);
}

static struct live_part funccount_live(void *conf)
{
	struct funccount_conf *c = conf;

	return (struct live_part){ &c->run.output, &c->run.interval_ns, &c->run.count,
				   &c->run.target, false };
}

static const char *probe_without_words(const void *conf)
{
	(void)conf;
	return " 'syscall:*'";
}

const struct command funccount_command = {
	.name = "funccount",
	.summary = "how often functions are called, exactly",
	.needs = FEATURE_BASE | FEATURE_BIT(RING_BUFFER),
	.usage = "[options] PATTERN... [interval [count]] [-- program ...]",
	.about = "Counts how often functions of the kernel or of programs, their returns, "
		 "tracepoints, system calls and USDT probes are hit.  A pattern is "
		 "'PROBE(predicate)#LABEL', where names may contain * ? [] and {a,b}: bperf help "
		 "probes.  Counts are made in the kernel, for each CPU, and are exact.  Runs until "
		 "Ctrl-C.",
	.overhead = "Each hit costs 0.1 to 0.3 us for a tracepoint or kernel function, 1 to 7 us "
		    "for a user function: a pattern that covers a program's frequent calls makes it "
		    "many times slower.",
	.examples = {
		{ "funccount 'vfs_*'", "kernel functions, until Ctrl-C" },
		{ "funccount -i 1 -d 5 't:sched:*'", "tracepoints, five reports of a second" },
		{ "funccount 'c:str*' -- ls -l", "library functions that a program calls" },
		{ "funccount 'syscall:*' --by '$comm' 5", "system calls by thread name" },
		{ "funccount --latency --errors 'syscall:{read,write}' -p 185",
		  "how long calls took, and how many failed" },
	},
	.opts = funccount_opts,
	.conf_size = sizeof(struct funccount_conf),
	.defaults = funccount_defaults,
	.check = funccount_check,
	.run = run,
	.live = funccount_live,
	.complete = complete_probe,
	.probe_without_words = probe_without_words,
	.release = funccount_release,
};
