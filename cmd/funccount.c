// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bperf funccount: exact counts of functions, tracepoints, system calls and USDT probes. */
#include "agg/counters.h"
#include "agg/derive.h"
#include "base/cleanup.h"
#include "cmd/command.h"
#include "host/feature.h"
#include "probe/needs.h"
#include "probe/run.h"

#define KEYS_DEFAULT 10240
#define KEYS_MAX     10000000

struct funccount_conf {
	struct proberun_conf run;
	u32 max_keys;
	bool is_regex, wide, latency, errors;
	struct opt_strings columns;
	const char *by;
};

#define S struct funccount_conf

static const struct opt funccount_opts[] = {
	OPT_HEADING("Counting"),
	OPT_FLAG('r', "regexp", S, is_regex,
		 "names are extended regular expressions, which match whole names"),
	OPT_STRING(0, "by", S, by, "EXPR,...", "a row for each value: '$comm', '$pid,$cpu'"),
	OPT_U32(0, "keys", S, max_keys, 1, KEYS_MAX, "N",
		"room for so many values of --by (10240); what is more is [other]"),
	OPT_FLAG(0, "latency", S, latency, "total and mean time from entry to return"),
	OPT_FLAG(0, "errors", S, errors, "how many calls returned a negative number"),
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
		err_set(err, ERR_USAGE, "what to count is missing");
		return err_hint(err, "for example  bperf funccount 'vfs_*'   "
				     "(bperf list shows what there is)");
	}
	if (conf->columns.v.n && !conf->wide)
		return err_set(err, ERR_USAGE, "--col adds a column to --wide");
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

/* ---- probes -------------------------------------------------------------------------------- */

struct funccount {
	const struct funccount_conf *conf;
	struct proberun run;
	struct tally tally;
	VEC(struct derived) columns;
	const char **column_names;
	double *column_values;
};

/* Duration and result of a call are known when it returns. */
static int want_return(const struct probe *probe, struct site_pattern *p, const char *option,
		       struct err *err)
{
	static const enum site_kind returns[SITE_KIND_N] = {
		[SITE_FUNC] = SITE_FUNC_RET,	   [SITE_FUNC_RET] = SITE_FUNC_RET,
		[SITE_UFUNC] = SITE_UFUNC_RET,	   [SITE_UFUNC_RET] = SITE_UFUNC_RET,
		[SITE_SYSCALL] = SITE_SYSCALL_RET, [SITE_SYSCALL_RET] = SITE_SYSCALL_RET,
	};
	bool returns_something =
		p->kind <= SITE_UFUNC_RET || p->kind == SITE_SYSCALL || p->kind == SITE_SYSCALL_RET;

	if (!returns_something) {
		text_error(&probe->spec.text, p->at, err,
			   "%s: only functions and system calls return", option);
		return err_hint(err, "two events may be a span: span(START ; END)");
	}
	p->kind = returns[p->kind];
	return 0;
}

static int add_specs(void *ctx, struct err *err)
{
	struct funccount *f = ctx;
	const struct funccount_conf *conf = f->conf;
	const struct spec_opts spec = { .is_regex = conf->is_regex };
	struct probes *probes = &f->run.probes;
	int ret = 0;

	for (size_t i = 0; i < conf->run.n_words && !ret; i++) {
		struct site_pattern *p;
		struct probe *probe;

		ret = probes_add(probes, conf->run.words[i], SPEC_FUNCCOUNT, &spec, err);
		if (ret || (!conf->latency && !conf->errors))
			continue;
		probe = probes->v.items[i];
		if (conf->errors && probe->spec.span)
			ret = text_error(&probe->spec.text, probe->spec.site, err,
					 "--errors: a span returns nothing");
		vec_for_each(p, &probe->spec.alternatives)
			ret = ret
				      ?: want_return(probe, p,
						     conf->latency ? "--latency" : "--errors", err);
	}
	/* Names of arguments are looked up only if something can use them. */
	probes->opts.wants_types = !ret && asked_wants_types(probes, conf->by, conf->errors);
	return ret;
}

static int parse_columns(struct funccount *f, struct err *err)
{
	const struct opt_strings *words = &f->conf->columns;
	int ret = 0;

	f->column_names = mem_alloc(words->v.n + 1, sizeof(*f->column_names));
	f->column_values = mem_alloc(words->v.n + 1, sizeof(*f->column_values));
	for (size_t i = 0; i < words->v.n && !ret; i++) {
		struct derived d;

		ret = derive_parse(&f->run.probes.arena, words->v.items[i], tally_value, tally_name,
				   &f->tally, &d, err);
		f->column_names[i] = d.name;
		vec_push(&f->columns, d);
	}
	return ret;
}

static int bind_counts(void *ctx, struct err *err)
{
	struct funccount *f = ctx;
	const struct tally_opts opts = {
		.errors = f->conf->errors,
		.latency = f->conf->latency,
		.by = f->conf->by,
		.max_keys = f->conf->max_keys,
		.has_windows = proberun_has_windows(&f->conf->run),
	};

	return tally_init(&f->tally, &opts, &f->run.probes, f->run.engine.sym, err)
		       ?: parse_columns(f, err);
}

/* ---- the run ------------------------------------------------------------------------------- */

static int report(void *ctx, struct session_window *w, struct err *err)
{
	struct funccount *f = ctx;
	struct report r = proberun_report(&f->run, w);
	int ret;

	r.count_view.is_wide = f->conf->wide;
	ret = tally_report(&f->tally, &r, err);
	for (size_t i = 0; i < f->columns.n; i++)
		f->column_values[i] = derive_value(&f->columns.items[i], tally_value, &f->tally);
	r.count_view.columns = f->column_names;
	r.count_view.derived = f->column_values;
	r.count_view.n_columns = (u32)f->columns.n;
	ret = ret ?: output_report(f->run.engine.out, &r, err);
	report_release(&r);
	return ret;
}

static void on_end(void *ctx, struct event_probe *counts, struct run_end *end)
{
	struct funccount *f = ctx;

	for (u32 i = 0; i < end->n_probes; i++) {
		struct event_probe *c = &counts[i];

		c->hits = c->shown = tally_hits(&f->tally, i);
		/* Ends without a start have no duration: warn once. */
		if (f->conf->latency && !c->is_span)
			c->absent -= c->absent < c->no_start ? c->absent : c->no_start;
	}
	key_windows_ledger(&f->tally.windows, &end->ledger);
}

static void on_tick(void *ctx, u64 now)
{
	struct funccount *f = ctx;

	key_windows_tidy(&f->tally.windows, now);
}

static const struct proberun_ops run_ops = {
	.doing = "Counting at",
	.add = add_specs,
	.bind = bind_counts,
	.on_tick = on_tick,
	.report = report,
	.end = on_end,
};

static void release(struct funccount *f)
{
	tally_release(&f->tally);
	proberun_release(&f->run);
	vec_release(&f->columns);
	free(f->column_names);
	free(f->column_values);
}

static int funccount_run(void *conf_, int argc, char **argv, int *status, struct err *err)
{
	const struct funccount_conf *conf = conf_;
	_cleanup_(release) struct funccount f = {
		.conf = conf,
		.tally.counts_fd = -1,
		.run = {
			.conf = &conf->run,
			.ops = &run_ops,
			.ctx = &f,
			.engine = {
				.kinds = REPORT_COUNTS,
				.info.run = {
					.command = "funccount",
					.title = "counts",
					.value_name = "calls",
					.unit = UNIT_EVENTS,
				},
			},
		},
	};

	return proberun_run(&f.run, argc, argv, status, err);
}

const struct command funccount_command = {
	.name = "funccount",
	.summary = "how often functions are called, exactly",
	.needs = FEATURE_BASE | FEATURE_BIT(RING_BUFFER),
	.usage = "[options] PATTERN... [interval [count]] [-- program ...]",
	.about = "Counts how often functions of the kernel or of programs, their returns, "
		 "tracepoints, system calls and USDT probes are hit.  A pattern is "
		 "'PROBE(predicate)#LABEL', where names may hold * ? [] and {a,b}: bperf help "
		 "probes.  Counts are made in the kernel, for each CPU, and are exact.  Runs until "
		 "Ctrl-C.",
	.overhead = "Each hit costs 0.1 to 0.3 us for a tracepoint or kernel function, 1 to 7 us "
		    "for a user function: a pattern that covers what a program does all the time "
		    "slows it down many times.",
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
	.run = funccount_run,
	.release = funccount_release,
};
