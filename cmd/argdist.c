// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bperf argdist: counts, histograms and statistics of values at probes. */
#include "agg/argdist.h"
#include "base/log.h"
#include "cmd/command.h"
#include "host/feature.h"
#include "site/complete.h"

#define KEYS_MAX     10000000
#define OUTPUTS_MAX  1000000000
#define INTERVAL_MIN NS_PER_MS
#define INTERVAL_MAX (366 * 24 * 3600 * NS_PER_SEC)

/* ---- the command line ---------------------------------------------------------------------- */

/* "-H --linear 0,100,10 SPEC": the option would be taken for the spec. */
static int add_word(struct argdist_conf *conf, enum dist_kind kind, const char *text,
		    struct err *err)
{
	if (text[0] == '-') {
		err_set(err, ERR_USAGE, "a probe is expected, not '%s'", text);
		return err_hint(err, "write other options before it, or after the probe");
	}
	vec_push(&conf->words, (struct dist_word){ .kind = kind, .text = text });
	return 0;
}

static int add_count(void *conf, const char *text, struct err *err)
{
	return add_word(conf, DIST_COUNTS, text, err);
}

static int add_histogram(void *conf, const char *text, struct err *err)
{
	return add_word(conf, DIST_HISTOGRAM, text, err);
}

static int add_statistics(void *conf, const char *text, struct err *err)
{
	return add_word(conf, DIST_STATISTICS, text, err);
}

static int add_table(void *conf, const char *text, struct err *err)
{
	return add_word(conf, DIST_TABLE, text, err);
}

#define S struct argdist_conf

/* The parse functions get the whole conf, because the list keeps the order of the options. */
#define WORD(l, n, fn, h)                                                                      \
	{                                                                                      \
		.kind = OPT_KIND_CALL, .letter = (l), .name = (n), .arg = "SPEC", .help = (h), \
		.complete = COMPLETE_WORD, .offset = 0, .parse = (fn), .is_repeatable = true   \
	}

static const struct opt argdist_opts[] = {
	OPT_HEADING("Measure (SPEC is 'SITE(signature):type:expression:filter#label')"),
	WORD('C', "count", add_count, "count how often each value occurs"),
	WORD('A', "aggregate", add_count, "the same as -C: trace's letter"),
	WORD('H', "histogram", add_histogram, "a histogram of the value, by powers of two"),
	WORD('S', "stats", add_statistics,
	     "the value's count, sum, mean, extremes and percentiles"),
	WORD(0, "table", add_table,
	     "'SITE[key] (filter) NAME=fn(EXPR), ...': columns of one table; fn is count, sum, "
	     "avg, min or max"),
	OPT_FLAG('r', "regexp", S, is_regex,
		 "names are extended regular expressions, up to a blank, which match whole names"),
	OPT_STRINGS(0, "col", S, columns, "NAME=EXPR",
		    "--table: one more column, computed from the others"),
	OPT_STRING(0, "sort", S, sort, "NAME", "--table: sort by this column (the first)"),
	OPT_STRING(0, "by", S, by, "EXPR,...",
		   "one result for each value of these: '$comm', '$pid,fd'"),
	OPT_CALL(0, "linear", S, scale, dist_parse_linear, "MIN,MAX,STEP",
		 "-H: buckets of the same width", .conflicts = "buckets"),
	OPT_CALL(0, "buckets", S, scale, dist_parse_bounds, "N,...",
		 "-H: buckets that begin at these values"),
	OPT_CALL(0, "pct", S, percentiles, dist_parse_percentiles, "P,...",
		 "-S: these percentiles (50,90,99)"),
	OPT_U32(0, "keys", S, max_keys, 1, KEYS_MAX, "N",
		"make room for N values (10240, or as many as fit into 16 MB); the rest is "
		"[other]"),
	OPT_DURATION(0, "open", S, open_ns, NS_PER_SEC, 0, INTERVAL_MAX, "AGE",
		     "show spans still open after AGE (leaks)"),
	OPT_HEADING("Reports"),
	OPT_DURATION('i', "interval", S, run.interval_ns, NS_PER_SEC, INTERVAL_MIN, INTERVAL_MAX,
		     "TIME", "a report each TIME, in seconds or with ms, s, m, h"),
	OPT_DURATION('d', "duration", S, run.duration_ns, NS_PER_SEC, INTERVAL_MIN, INTERVAL_MAX,
		     "TIME", "end after TIME; without -i a report each second"),
	OPT_U32('n', "number", S, n_outputs, 1, OUTPUTS_MAX, "N",
		"end after N reports; without -i one each second"),
	OPT_FLAG('c', "cumulative", S, is_cumulative,
		 "each report covers the time since the start; without -i one each second"),
	OPT_FLAG(0, "heat", S, heat,
		 "-H: each report is one line, or one column of an svg; a hotter cell means more "
		 "events"),
	OPT_FLAG(0, "timestamp", S, run.timestamp, "the time of day above each report"),
	OPT_U32(0, "keys-first", S, keys_first, 1, DIST_MAX_KEYS, "N",
		"tables in text: N keys come before the numbers, the others after them"),
	OPT_FLAG(0, "greatest-first", S, greatest_first,
		 "tables in text: the greatest row is the first, not the last"),
	OPT_FLAG(0, "in-place", S, in_place, "on a terminal, each report replaces the one before"),
	OPT_STRING(0, "caller", S, caller, "GLOB",
		   "stacks: only those in which a function with this name is a caller"),
	OPT_FLAG(0, "offset", S, offsets, "stacks: offsets after names", .conflicts = "folded"),
	OPT_INCLUDE(S, run, proberun_opts),
	OPT_INCLUDE(S, run.unwind, unwinding_opts),
	OPT_LETTER('z', "string-size"),
	OPT_STRINGS('I', "include", S, includes, "FILE",
		    "accepted for compatibility with bcc: types are known without headers"),
	OPT_INCLUDE(S, run.target, target_opts),
	OPT_LETTER('p', "pid"),
	OPT_LETTER('t', "tid"),
	OPT_INCLUDE(S, run.output, output_opts),
	OPT_INCLUDE(S, run.output, output_live_opts),
	OPT_LETTER('T', "top"),
	OPT_END,
};

#undef S

static void argdist_defaults(void *conf_)
{
	struct argdist_conf *conf = conf_;

	proberun_defaults(&conf->run);
	conf->open_ns = UINT64_MAX;
	dist_defaults(&conf->scale, &conf->percentiles);
}

/* bcc's tool reports every second; this one reports at the end, unless an option asks for more. */
static int take_times(struct argdist_conf *conf, struct err *err)
{
	struct proberun_conf *run = &conf->run;
	bool wants_many = conf->is_cumulative || conf->n_outputs || run->duration_ns || conf->heat;
	u64 duration_ns = run->duration_ns, count;
	int ret;

	run->duration_ns = 0;
	ret = proberun_check_reports(run, err);
	if (ret)
		return ret;
	if (conf->n_outputs && run->count)
		return err_set(err, ERR_USAGE, "-n conflicts with the count after the specs");
	if (wants_many && !run->interval_ns)
		run->interval_ns =
			duration_ns && duration_ns < NS_PER_SEC ? duration_ns : NS_PER_SEC;
	if (conf->n_outputs)
		run->count = conf->n_outputs;
	count = duration_ns ? (duration_ns + run->interval_ns - 1) / run->interval_ns : 0;
	if (count && (!run->count || count < run->count))
		run->count = count;
	return 0;
}

static bool has_kind(const struct argdist_conf *conf, enum dist_kind kind)
{
	const struct dist_word *word;

	vec_for_each(word, &conf->words)
		if (word->kind == kind)
			return true;
	return false;
}

static bool has_only(const struct argdist_conf *conf, enum dist_kind kind)
{
	const struct dist_word *word;

	vec_for_each(word, &conf->words)
		if (word->kind != kind)
			return false;
	return true;
}

/* Further specs without a letter of their own: their kind is clear if only one kind was given. */
static int take_words(struct argdist_conf *conf, struct err *err)
{
	int ret = 0;

	if (!conf->run.n_words)
		return 0;
	if (!conf->words.n || !has_only(conf, conf->words.items[0].kind)) {
		err_set(err, ERR_USAGE, "'%s' has no option that says what to do with it",
			conf->run.words[0]);
		return err_hint(err, "put -C, -H, -S or --table before a spec: count, histogram, "
				     "statistics, columns");
	}
	for (size_t i = 0; i < conf->run.n_words && !ret; i++)
		ret = add_word(conf, conf->words.items[0].kind, conf->run.words[i], err);
	return ret;
}

static int argdist_check(void *conf_, const struct opt_rest *rest, struct err *err)
{
	struct argdist_conf *conf = conf_;
	int ret = proberun_check(&conf->run, rest, err) ?: take_times(conf, err);

	if (ret)
		return ret;
	ret = take_words(conf, err);
	if (ret)
		return ret;
	if ((conf->columns.v.n || conf->sort) && !has_kind(conf, DIST_TABLE))
		return err_set(err, ERR_USAGE, "--col and --sort need --table");
	if (conf->scale.scaling.kind != SCALE_LOG2 && !has_kind(conf, DIST_HISTOGRAM))
		return err_set(err, ERR_USAGE, "--linear and --buckets need -H");
	if (conf->percentiles.is_given && !has_kind(conf, DIST_STATISTICS))
		return err_set(err, ERR_USAGE, "--pct needs -S");
	if (conf->open_ns != UINT64_MAX && has_kind(conf, DIST_TABLE))
		return err_set(err, ERR_USAGE, "--open needs -C, -H or -S");
	if (conf->heat && !has_only(conf, DIST_HISTOGRAM))
		return err_set(err, ERR_USAGE, "--heat needs -H");
	if (!conf->words.n) {
		err_set(err, ERR_USAGE, "nothing to measure was given");
		return err_hint(err, "for example  bperf argdist -H 'r:syscall:read'   "
				     "(bperf list shows the probes)");
	}
	return 0;
}

static void argdist_release(void *conf_)
{
	struct argdist_conf *conf = conf_;

	proberun_release_conf(&conf->run);
	vec_release(&conf->words);
	dist_release_conf(&conf->scale, &conf->percentiles);
	opt_strings_release(&conf->includes);
	opt_strings_release(&conf->columns);
}

static int run(void *conf, int argc, char **argv, int *status, struct err *err)
{
	return argdist_run(conf, argc, argv, status, err);
}

static struct live_part argdist_live(void *conf)
{
	struct argdist_conf *c = conf;

	return (struct live_part){ &c->run.output, &c->run.interval_ns, &c->run.count,
				   &c->run.target, false };
}

static const char *probe_without_words(const void *conf)
{
	const struct argdist_conf *c = conf;

	return c->words.n ? "" : " -C 'syscall:*'";
}

const struct command argdist_command = {
	.name = "argdist",
	.summary = "how values are distributed: counts, histograms, statistics",
	.needs = FEATURE_BASE | FEATURE_BIT(RING_BUFFER),
	.usage = "[options] -C|-H|-S SPEC... [interval [count]] [-- program]",
	.about = "Measures the arguments or return values of functions, tracepoints, system calls "
		 "and USDT probes: SPEC is 'SITE(signature):type:expression:filter#label'; only "
		 "the site is always needed, and bperf help probes describes sites and "
		 "expressions.  -C counts values, -H makes a histogram, -S statistics with "
		 "percentiles; each may be given many times.  Values are summed in the kernel, and "
		 "exact.  With a stack as key, counts and sums form a flame graph.  Runs until "
		 "Ctrl-C.",
	.overhead = "An event costs 0.1 to 0.3 us at a tracepoint or kernel function, 1 to 7 us at "
		    "a user function, twice that with $latency.",
	.examples = {
		{ "argdist -H 'r:syscall:read'", "return values of read(), until Ctrl-C" },
		{ "argdist -C 'p:c:malloc(size_t size):size_t:size' -p 185", "allocations by size" },
		{ "argdist -H 'r:c:getaddrinfo():u64:$latency/1us#us' 5", "look-ups, each 5 seconds" },
		{ "argdist -S 'r:syscall:fsync():u64:$latency' --by '$comm'",
		  "time in fsync by program, with percentiles" },
		{ "argdist -C 'p:c:malloc():stack:$ustack' -o mem.svg -p 185",
		  "a flame graph of memory allocations" },
	},
	.opts = argdist_opts,
	.conf_size = sizeof(struct argdist_conf),
	.defaults = argdist_defaults,
	.check = argdist_check,
	.run = run,
	.live = argdist_live,
	.complete = complete_probe,
	.probe_without_words = probe_without_words,
	.release = argdist_release,
};
