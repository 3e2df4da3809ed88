// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bperf argdist: counts, histograms and statistics of values at probes. */
#include <string.h>

#include "agg/dist.h"
#include "agg/opts.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "cmd/command.h"
#include "host/feature.h"
#include "probe/needs.h"
#include "probe/run.h"
#include "stack/cutsay.h"

#define KEYS_MAX       10000000
/* Room for some thousand new stacks between two readings.  A ring is mapped twice. */
#define RING_BYTES     (1UL << 20)
#define CPU_RING_BYTES (64UL << 10) /* if each CPU has its own */
#define OUTPUTS_MAX    1000000000
#define INTERVAL_MIN   NS_PER_MS
#define INTERVAL_MAX   (366 * 24 * 3600 * NS_PER_SEC)

struct argdist_conf {
	struct proberun_conf run;
	VEC(struct dist_word) words;
	u32 max_keys, n_outputs;
	u64 open_ns; /* UINT64_MAX: not given */
	bool is_cumulative, heat, in_place;
	const char *by, *sort;
	struct opt_strings columns; /* --col */
	struct dist_scale_conf scale;
	struct dist_pct_conf percentiles;
	struct opt_strings includes; /* -I: accepted, not needed */
};

/* ---- the command line ---------------------------------------------------------------------- */

/* "-H --linear 0,100,10 SPEC": the option would be taken for the spec. */
static int add_word(struct argdist_conf *conf, enum dist_kind kind, const char *text,
		    struct err *err)
{
	if (text[0] == '-') {
		err_set(err, ERR_USAGE, "a probe is expected, not '%s'", text);
		return err_hint(err, "other options stand before it, or after the probe");
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
		.offset = 0, .parse = (fn), .is_repeatable = true                              \
	}

static const struct opt argdist_opts[] = {
	OPT_HEADING("What to measure (SPEC is 'SITE(signature):type:expression:filter#label')"),
	WORD('C', "count", add_count, "count how often each value comes"),
	WORD('H', "histogram", add_histogram, "a histogram of the value, by powers of two"),
	WORD('S', "stats", add_statistics,
	     "the value's count, sum, mean, extremes and percentiles"),
	WORD(0, "table", add_table,
	     "'SITE[key] (filter) NAME=fn(EXPR), ...': columns of one table; fn is count, sum, "
	     "avg, min or max"),
	OPT_STRINGS(0, "col", S, columns, "NAME=EXPR",
		    "--table: one more column, computed from the others"),
	OPT_STRING(0, "sort", S, sort, "NAME", "--table: by this column (the first)"),
	OPT_STRING(0, "by", S, by, "EXPR,...",
		   "one result for each value of these: '$comm', '$pid,fd'"),
	OPT_CALL(0, "linear", S, scale, dist_parse_linear, "MIN,MAX,STEP",
		 "-H: buckets of the same width", .conflicts = "buckets"),
	OPT_CALL(0, "buckets", S, scale, dist_parse_bounds, "N,...",
		 "-H: buckets that begin at these values"),
	OPT_CALL(0, "pct", S, percentiles, dist_parse_percentiles, "P,...",
		 "-S: these percentiles (50,90,99)"),
	OPT_U32(0, "keys", S, max_keys, 1, KEYS_MAX, "N",
		"room for so many values (10240, or what fits into 16 MB); the rest is [other]"),
	OPT_DURATION(0, "open", S, open_ns, NS_PER_SEC, 0, INTERVAL_MAX, "AGE",
		     "of spans, those that have not ended and are as old: leaks"),
	OPT_HEADING("Reports"),
	OPT_DURATION('i', "interval", S, run.interval_ns, NS_PER_SEC, INTERVAL_MIN, INTERVAL_MAX,
		     "TIME", "a report each TIME, in seconds or with ms, s, m, h"),
	OPT_DURATION('d', "duration", S, run.duration_ns, NS_PER_SEC, INTERVAL_MIN, INTERVAL_MAX,
		     "TIME", "end after TIME; without -i a report each second"),
	OPT_U32('n', "number", S, n_outputs, 1, OUTPUTS_MAX, "N",
		"end after N reports; without -i one each second"),
	OPT_FLAG('c', "cumulative", S, is_cumulative,
		 "each report is of all since the start; without -i one each second"),
	OPT_FLAG(0, "heat", S, heat,
		 "-H: each report is one line, or one column of an svg, of cells that are the "
		 "hotter the more they hold"),
	OPT_FLAG(0, "timestamp", S, run.timestamp, "the time of day above each report"),
	OPT_FLAG(0, "in-place", S, in_place,
		 "on a terminal each report takes the place of the one before"),
	OPT_INCLUDE(S, run, proberun_opts),
	OPT_LETTER('z', "string-size"),
	OPT_STRINGS('I', "include", S, includes, "FILE",
		    "accepted for bcc's sake: types are known without headers"),
	OPT_INCLUDE(S, run.target, target_opts),
	OPT_LETTER('p', "pid"),
	OPT_LETTER('t', "tid"),
	OPT_INCLUDE(S, run.output, output_opts),
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

/* bcc's tool reports each second; this one at the end, unless an option asks for more. */
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
		return err_set(err, ERR_USAGE, "-n and a count of reports");
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
		err_set(err, ERR_USAGE, "'%s' does not say what to do with it", conf->run.words[0]);
		return err_hint(err, "a spec stands after -C, -H, -S or --table: count, "
				     "histogram, statistics, columns");
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
		return err_set(err, ERR_USAGE, "--col and --sort are about --table");
	if (conf->scale.scaling.kind != SCALE_LOG2 && !has_kind(conf, DIST_HISTOGRAM))
		return err_set(err, ERR_USAGE, "--linear and --buckets are about -H");
	if (conf->percentiles.is_given && !has_kind(conf, DIST_STATISTICS))
		return err_set(err, ERR_USAGE, "--pct is about -S");
	if (conf->open_ns != UINT64_MAX && has_kind(conf, DIST_TABLE))
		return err_set(err, ERR_USAGE, "--open is about -C, -H and -S");
	if (conf->heat && !has_only(conf, DIST_HISTOGRAM))
		return err_set(err, ERR_USAGE, "--heat is about -H");
	if (!conf->words.n) {
		err_set(err, ERR_USAGE, "what to measure is missing");
		return err_hint(err, "for example  bperf argdist -H 'r:syscall:read'   "
				     "(bperf list shows what there is)");
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

/* ---- the run ------------------------------------------------------------------------------- */

struct argdist {
	const struct argdist_conf *conf;
	struct proberun run;
	VEC(struct dist_word)
	words; /* one for each probe: a table's word has one for each column */
	struct dists dists;
	struct dist_stacks stacks; /* open if keys contain stacks */
	u64 n_cut;		   /* truncated user stacks of the last report */
	bool is_cut_said;
};

/* A program fills one column. */
static int add_spec(struct argdist *a, const struct dist_word *word, struct err *err)
{
	static const struct spec_opts spec = { 0 };
	struct probes *probes = &a->run.probes;
	bool is_table = word->kind == DIST_TABLE;
	size_t n = 1;
	int ret = 0;

	for (u32 i = 0; i < n && !ret; i++) {
		struct dist_word one = *word;

		one.column = i;
		vec_push(&a->words, one);
		ret = probes_add(probes, word->text, is_table ? SPEC_TABLE : SPEC_ARGDIST, &spec,
				 err);
		if (is_table)
			n = probes->v.items[probes->v.n - 1]->spec.columns.n;
	}
	return ret;
}

static int add_specs(void *ctx, struct err *err)
{
	struct argdist *a = ctx;
	struct probes *probes = &a->run.probes;
	const struct dist_word *word;
	int ret = 0;

	if (a->conf->includes.v.n)
		log_note("-I is not needed: types come from BTF.");
	vec_for_each(word, &a->conf->words)
		ret = ret ?: add_spec(a, word, err);
	probes->opts.wants_types = !ret && asked_wants_types(probes, a->conf->by, false);
	return ret;
}

/* The result of the run is then a report of stacks, in any format that supports them. */
static void show_stacks(struct argdist *a)
{
	const struct dist *shown = &a->dists.results.items[0].shown;
	struct run_info *run = &a->run.engine.info.run;

	a->run.engine.kinds = REPORT_STACKS;
	a->run.engine.render.inverted = a->conf->run.output.icicle;
	run->title = shown->title;
	if (shown->kind != DIST_STATISTICS)
		return;
	run->unit = UNIT_VALUES;
	run->value_name = shown->value_name;
}

static int bind_cells(void *ctx, struct err *err)
{
	struct argdist *a = ctx;
	const struct argdist_conf *conf = a->conf;
	const struct dist_opts opts = {
		.words = a->words.items,
		.by = conf->by,
		.max_keys = conf->max_keys,
		.scale = conf->scale.scaling,
		.percentiles = conf->percentiles.v.items,
		.n_percentiles = (u32)conf->percentiles.v.n,
		.has_windows = proberun_has_windows(&conf->run) && !conf->is_cumulative &&
			       conf->open_ns == UINT64_MAX,
		.is_over_time = conf->heat,
		.is_open = conf->open_ns != UINT64_MAX,
		.open_ns = conf->open_ns,
		.derived = conf->columns.v.items,
		.n_derived = (u32)conf->columns.v.n,
		.sort = conf->sort,
	};

	int ret = dists_init(&a->dists, &opts, &a->run.probes, a->run.engine.sym, err);

	if (ret || !dists_has_stacks(&a->dists))
		return ret;
	a->run.wants_mappings = a->dists.has_user;
	a->run.probes.opts.ring_bytes =
		libbpf_num_possible_cpus() > PROBES_ONE_RING_CPUS ? CPU_RING_BYTES : RING_BYTES;
	if (a->dists.is_of_stacks)
		show_stacks(a);
	return 0;
}

/* Read the ring as soon as it holds something: a process may be gone when the report is made. */
static int open_stacks(void *ctx, struct err *err)
{
	struct argdist *a = ctx;

	if (!dists_has_stacks(&a->dists))
		return 0;
	a->dists.stacks = &a->stacks;
	a->stacks.may_forget = a->dists.opts.has_windows && !a->dists.has_saved_stacks;
	return dist_stacks_open(&a->stacks, &a->run, err);
}

static void on_tick(void *ctx, u64 now)
{
	struct argdist *a = ctx;

	key_windows_tidy(&a->dists.windows, now);
}

static void look_for_cuts(struct argdist *a, struct report *r)
{
	struct cuts cuts;

	cuts_find(r, &cuts);
	a->n_cut = r->ledger.symbols.no_unwind_info = cuts.n_stacks;
	cuts_say(&cuts, "argdist", &a->is_cut_said);
}

static int report(void *ctx, struct session_window *w, struct err *err)
{
	struct argdist *a = ctx;
	bool is_last = a->run.engine.is_detached;
	struct report r = proberun_report(&a->run, w);
	int ret;

	if (a->dists.stacks)
		engine_drain_all(&a->run.engine);
	dist_stacks_hurry(&a->stacks, false);
	a->dists.end_ns = w->end_ns;
	ret = dists_report(&a->dists, &r, err);
	if (!ret && r.stacks.n)
		look_for_cuts(a, &r);
	ret = ret ?: output_report(a->run.engine.out, &r, err);
	report_release(&r);
	if (a->dists.stacks && !is_last && !w->is_snapshot)
		dist_stacks_forget(&a->stacks);
	if (!is_last)
		dist_stacks_hurry(&a->stacks, true);
	return ret;
}

static void on_end(void *ctx, struct event_probe *counts, struct run_end *end)
{
	struct argdist *a = ctx;

	for (u32 i = 0; i < end->n_probes; i++)
		counts[i].hits = counts[i].shown = a->dists.hits[i];
	end->ledger.symbols.no_unwind_info = a->n_cut;
	key_windows_ledger(&a->dists.windows, &end->ledger);
	end->ledger.lost[LOST_stack_full] += a->dists.n_stack_full;
	end->ledger.lost[LOST_ring_full] += a->stacks.n_bad;
	if (a->stacks.n_bad)
		log_warn("events-lost", "%llu stacks are not what a probe sends: a bug in bperf",
			 a->stacks.n_bad);
}

static const struct proberun_ops run_ops = {
	.doing = "Measuring at",
	.add = add_specs,
	.bind = bind_cells,
	.open = open_stacks,
	.on_tick = on_tick,
	.report = report,
	.end = on_end,
};

static void release(struct argdist *a)
{
	dists_release(&a->dists);
	dist_stacks_release(&a->stacks);
	vec_release(&a->words);
	proberun_release(&a->run);
}

static int argdist_run(void *conf_, int argc, char **argv, int *status, struct err *err)
{
	const struct argdist_conf *conf = conf_;
	_cleanup_(release) struct argdist a = {
		.conf = conf,
		.run = {
			.conf = &conf->run,
			.ops = &run_ops,
			.ctx = &a,
			.engine = {
				.kinds = conf->heat ? REPORT_HEAT : REPORT_DISTS,
				.render.heat = conf->heat,
				.render.is_in_place = conf->in_place,
				.info.run = {
					.command = "argdist",
					.title = conf->heat ? "Heat map" : "distributions",
					.value_name = "events",
					.unit = UNIT_EVENTS,
				},
			},
		},
	};

	return proberun_run(&a.run, argc, argv, status, err);
}

const struct command argdist_command = {
	.name = "argdist",
	.summary = "how values are distributed: counts, histograms, statistics",
	.needs = FEATURE_BASE | FEATURE_BIT(RING_BUFFER),
	.usage = "[options] -C|-H|-S SPEC... [interval [count]] [-- program]",
	.about = "Measures what functions, tracepoints, system calls and USDT probes are called "
		 "with or return: SPEC is 'SITE(signature):type:expression:filter#label', of which "
		 "only the site is always needed; bperf help probes describes sites and "
		 "expressions.  -C counts values, -H makes a histogram, -S statistics with "
		 "percentiles; each may be given many times.  All is summed in the kernel, and "
		 "exact.  With a stack as key counts and sums are a flame graph.  Runs until Ctrl-C.",
	.overhead = "An event costs 0.1 to 0.3 us at a tracepoint or kernel function, 1 to 7 us at "
		    "a user function, twice that with $latency.",
	.examples = {
		{ "argdist -H 'r:syscall:read'", "what read() returns, until Ctrl-C" },
		{ "argdist -C 'p:c:malloc(size_t size):size_t:size' -p 185", "allocations by size" },
		{ "argdist -H 'r:c:getaddrinfo():u64:$latency/1us#us' 5", "look-ups, each 5 seconds" },
		{ "argdist -S 'r:syscall:fsync():u64:$latency' --by '$comm'",
		  "time in fsync by program, with percentiles" },
		{ "argdist -C 'p:c:malloc():stack:$ustack' -o mem.svg -p 185",
		  "a flame graph of who allocates memory" },
	},
	.opts = argdist_opts,
	.conf_size = sizeof(struct argdist_conf),
	.defaults = argdist_defaults,
	.check = argdist_check,
	.run = argdist_run,
	.release = argdist_release,
};
