// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How often: exact counts of functions, tracepoints, system calls, USDT probes. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/num.h"
#include "cmd/command.h"
#include "cmd/derive.h"
#include "cmd/probe.h"
#include "cmd/runinfo.h"
#include "cmd/tally.h"
#include "opt/output.h"
#include "opt/target.h"
#include "out/render.h"
#include "run/caps.h"
#include "run/child.h"
#include "run/feature.h"
#include "run/prog.h"
#include "run/session.h"

#define STRING_DEFAULT 80
#define STRING_MAX     4096
#define KEYS_DEFAULT   10240
#define KEYS_MAX       10000000
#define INTERVAL_MIN   NS_PER_MS
#define INTERVAL_MAX   (366 * 24 * 3600 * NS_PER_SEC)
/* Nothing goes through the ring. */
#define RING_BYTES     4096

struct funccount_conf {
	struct target target;
	struct output_conf output;
	char *const *words; /* the specs, borrowed */
	size_t n_words;
	u64 interval_ns, duration_ns, count; /* as typed; 0: not given */
	u32 string_size, max_keys;
	bool is_regex, timestamp, wide, latency, errors, dry_run;
	struct opt_strings columns;
	const char *by, *method, *btf;
	const char *dump; /* one of dump_names; NULL: count */
};

static const char *const dump_names[] = { "ast", "types", "bpf", NULL };

static int parse_dump(void *field, const char *text, struct err *err)
{
	for (size_t i = 0; dump_names[i]; i++) {
		if (strcmp(dump_names[i], text) != 0)
			continue;
		*(const char **)field = dump_names[i];
		return 0;
	}
	return err_set(err, ERR_USAGE, "'%s' can't be dumped: ast, types or bpf", text);
}

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
	OPT_U32('Z', "string-size", S, string_size, 1, STRING_MAX, "BYTES",
		"read at most so much of a string (80)"),
	OPT_HEADING("Reports"),
	OPT_DURATION('i', "interval", S, interval_ns, NS_PER_SEC, INTERVAL_MIN, INTERVAL_MAX,
		     "TIME", "a report each TIME, in seconds or with ms, s, m, h"),
	OPT_DURATION('d', "duration", S, duration_ns, NS_PER_SEC, INTERVAL_MIN, INTERVAL_MAX,
		     "TIME", "end after TIME"),
	OPT_FLAG('T', "timestamp", S, timestamp, "the time of day above each report"),
	OPT_FLAG(0, "wide", S, wide, "a line for each report, with a column for each row"),
	OPT_STRINGS(0, "col", S, columns, "NAME=EXPR",
		    "with --wide: one more column, computed from the others"),
	OPT_HEADING("How"),
	OPT_STRING(0, "attach", S, method, "METHOD",
		   "attach by METHOD: kprobe.multi, kprobe, uprobe, ... (chosen)"),
	OPT_CALL(0, "dump", S, dump, parse_dump, "WHAT",
		 "do not count, print the ast, the types or the bpf instructions",
		 .choices = dump_names),
	OPT_FLAG(0, "dry-run", S, dry_run, "do not count, print what would be attached and how"),
	OPT_STRING(0, "btf", S, btf, "FILE", "kernel BTF from a file", .complete = COMPLETE_FILE),
	OPT_INCLUDE(S, target, target_opts),
	OPT_LETTER('p', "pid"),
	OPT_LETTER('L', "tid"),
	OPT_LETTER('c', "cpu"),
	OPT_INCLUDE(S, output, output_opts),
	OPT_END,
};

#undef S

/* ---- the command line ---------------------------------------------------------------------- */

static void funccount_defaults(void *conf_)
{
	struct funccount_conf *conf = conf_;

	conf->string_size = STRING_DEFAULT;
	conf->max_keys = KEYS_DEFAULT;
	output_defaults(&conf->output);
}

/* Sites don't begin with a digit, but for addresses. */
static bool is_number(const char *word)
{
	return word[0] >= '0' && word[0] <= '9' && strncmp(word, "0x", 2) != 0 &&
	       !strchr(word, ':');
}

/* PATTERN... [interval [count]] */
static int take_numbers(struct funccount_conf *conf, struct err *err)
{
	struct opt_rest numbers = { 0 };

	while (numbers.n_args < 2 && conf->n_words && is_number(conf->words[conf->n_words - 1])) {
		conf->n_words--;
		numbers.n_args++;
	}
	numbers.args = (char **)conf->words + conf->n_words;
	if (!numbers.n_args)
		return 0;
	if (conf->interval_ns)
		return err_set(err, ERR_USAGE, "-i and an interval behind the patterns");
	return opt_interval(&numbers, &conf->interval_ns, &conf->count, err);
}

/* bcc's -d: so many intervals as begin in that time; alone, one. */
static int take_duration(struct funccount_conf *conf, struct err *err)
{
	if (!conf->duration_ns)
		return 0;
	if (conf->count)
		return err_set(err, ERR_USAGE, "-d and a count of reports");
	if (!conf->interval_ns)
		conf->interval_ns = conf->duration_ns;
	conf->count = (conf->duration_ns + conf->interval_ns - 1) / conf->interval_ns;
	return 0;
}

static int funccount_check(void *conf_, const struct opt_rest *rest, struct err *err)
{
	struct funccount_conf *conf = conf_;
	int ret;

	log_set_level(output_log_level(&conf->output));
	conf->words = rest->args;
	conf->n_words = rest->n_args;
	ret = take_numbers(conf, err) ?: take_duration(conf, err);
	if (ret)
		return ret;
	if (!conf->n_words) {
		err_set(err, ERR_USAGE, "what to count is missing");
		return err_hint(err, "for example  bperf funccount 'vfs_*'   "
				     "(bperf list shows what there is)");
	}
	if (conf->columns.v.n && !conf->wide)
		return err_set(err, ERR_USAGE, "--col adds a column to --wide");
	if (conf->wide && conf->by)
		return err_set(err, ERR_USAGE, "--wide has a column for each site, not for --by");
	return target_check(&conf->target, rest, err);
}

static void funccount_release(void *conf_)
{
	struct funccount_conf *conf = conf_;

	target_release(&conf->target);
	output_release(&conf->output);
	opt_strings_release(&conf->columns);
}

/* ---- probes -------------------------------------------------------------------------------- */

struct funccount {
	const struct funccount_conf *conf;
	struct probes probes;
	struct tally tally;
	struct filter filter;
	struct child child;
	struct session session;
	struct symbolizer *sym;
	struct output *out;
	struct runinfo info;
	struct event_probe *counts; /* by probe */
	VEC(struct derived) columns;
	const char **column_names;
	double *column_values;
	int stats_fd;
	u64 live_ns; /* from then on all is counted */
};

/* How long a call took and what it returned is known when it returns. */
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

	if (!returns_something)
		return text_error(&probe->spec.text, p->at, err,
				  "%s: only functions and system calls return", option);
	p->kind = returns[p->kind];
	return 0;
}

static int add_specs(struct funccount *f, struct err *err)
{
	const struct funccount_conf *conf = f->conf;
	const struct spec_opts spec = { .is_regex = conf->is_regex };
	int ret = 0;

	for (size_t i = 0; i < conf->n_words && !ret; i++) {
		struct site_pattern *p;
		struct probe *probe;

		ret = probes_add(&f->probes, conf->words[i], SPEC_FUNCCOUNT, &spec, err);
		if (ret || (!conf->latency && !conf->errors))
			continue;
		probe = f->probes.v.items[i];
		vec_for_each(p, &probe->spec.alternatives)
			ret = ret
				      ?: want_return(probe, p,
						     conf->latency ? "--latency" : "--errors", err);
	}
	/* Names of arguments are asked for where something may use them. */
	f->probes.opts.wants_types = conf->errors || conf->by;
	for (size_t i = 0; i < f->probes.v.n; i++)
		f->probes.opts.wants_types |= f->probes.v.items[i]->spec.has_predicate;
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

		ret = derive_parse(&f->probes.arena, words->v.items[i], tally_value, &f->tally, &d,
				   err);
		f->column_names[i] = d.name;
		vec_push(&f->columns, d);
	}
	return ret;
}

static int compile(struct funccount *f, struct err *err)
{
	const struct funccount_conf *conf = f->conf;
	const struct probes_opts opts = {
		.btf = conf->btf,
		.method = conf->method,
		.tgid = conf->target.pids.v.n ? conf->target.pids.v.items[0] : 0,
		.string_size = conf->string_size,
		.is_offline = conf->dump != NULL,
		.ring_bytes = RING_BYTES,
		.filter = &f->filter,
		.cpus = &conf->target.cpus,
	};
	const struct tally_opts tally = {
		.errors = conf->errors,
		.latency = conf->latency,
		.by = conf->by,
		.max_keys = conf->max_keys,
	};

	return probes_init(&f->probes, &opts, err) ?: add_specs(f, err) ?:
	       probes_plan(&f->probes, err) ?:
	       tally_init(&f->tally, &tally, &f->probes, f->sym, err) ?: parse_columns(f, err);
}

/* ---- the run ------------------------------------------------------------------------------- */

static int report(struct funccount *f, const struct session_window *w, struct err *err)
{
	struct report r = {
		.run = &f->info.run,
		.interval = w->index,
		.start_ns = w->index ? w->start_ns - f->live_ns : 0,
		.end_ns = w->end_ns - f->live_ns,
		.is_snapshot = w->is_snapshot,
		.count_view.is_wide = f->conf->wide,
	};
	int ret = tally_report(&f->tally, &r, err);

	for (size_t i = 0; i < f->columns.n; i++)
		f->column_values[i] = derive_value(&f->columns.items[i], tally_value, &f->tally);
	r.count_view.columns = f->column_names;
	r.count_view.derived = f->column_values;
	r.count_view.n_columns = (u32)f->columns.n;
	ret = ret ?: output_report(f->out, &r, err);
	report_release(&r);
	return ret;
}

static int on_report(void *ctx, struct session_window *w, struct err *err)
{
	return report(ctx, w, err);
}

static void on_ready(void *ctx, int tag)
{
	(void)ctx;
	(void)tag;
}

static void on_tick(void *ctx, u64 now)
{
	struct funccount *f = ctx;

	symbolizer_settle(f->sym, now);
}

static void on_progress(void *ctx, u64 elapsed_ns)
{
	(void)ctx;
	(void)elapsed_ns;
}

static bool is_output_gone(void *ctx)
{
	return output_is_broken(((const struct funccount *)ctx)->out);
}

static const struct session_ops session_ops = {
	.on_ready = on_ready,
	.on_tick = on_tick,
	.on_progress = on_progress,
	.on_report = on_report,
	.is_output_gone = is_output_gone,
};

static void on_warning(void *ctx, const char *code, const char *message)
{
	output_warn(((struct funccount *)ctx)->out, code, message);
}

static int open_output(struct funccount *f, struct err *err)
{
	const struct output_conf *o = &f->conf->output;
	const struct render_opts opts = {
		.top = o->top,
		.timestamp = f->conf->timestamp,
		.color = (enum color_when)o->color,
	};
	bool many = f->conf->interval_ns && f->conf->count != 1;

	return output_open(&f->out, output_stdout_format(o), o->format, o->files.v.items,
			   o->files.v.n, many, REPORT_COUNTS, &opts, err);
}

static int open_run(struct funccount *f, struct err *err)
{
	const struct target *target = &f->conf->target;
	int ret = open_output(f, err);

	if (ret)
		return ret;
	log_on_warn(on_warning, f);
	/* Forked before our signals are blocked. */
	if (target->program)
		ret = child_start(&f->child, target->program, target->as_root, err);
	if (!ret)
		ret = session_init(&f->session, &session_ops, f, target, err);
	f->session.child = &f->child;
	f->session.interval_ns = f->conf->interval_ns;
	f->session.count = f->conf->count;
	return ret;
}

static int go_live(struct funccount *f, struct err *err)
{
	int ret = probes_load(&f->probes, err) ?: filter_fill(&f->filter, f->probes.obj, err);

	if (!ret && f->child.pid)
		ret = filter_add_process(&f->filter, f->probes.obj, (u32)f->child.pid, err);
	if (!ret && f->conf->output.cost) {
		f->stats_fd = prog_stats_enable(err);
		ret = f->stats_fd < 0 ? f->stats_fd : 0;
	}
	if (ret)
		return ret;
	f->info.run.monotonic_ns = now_ns();
	f->info.run.realtime_ns = clock_ns(CLOCK_REALTIME);
	ret = output_begin(f->out, &f->info.run, err) ?: probes_attach(&f->probes, err);
	f->live_ns = now_ns();
	return ret ?: child_go(&f->child, err) ?:
	       filter_add_descendants(&f->filter, f->probes.obj, err);
}

static void describe(struct funccount *f, int argc, char **argv)
{
	struct run_info *run = &f->info.run;

	runinfo_fill(&f->info);
	run->command = "funccount";
	run->title = "counts";
	run->argc = argc;
	run->argv = argv;
	run->version = BPERF_VERSION;
	run->value_name = "calls";
	run->unit = UNIT_EVENTS;
	run->interval_ns = f->conf->interval_ns;
	run->count = f->conf->count;
	run->filter = str_text(&f->filter.json);
}

/* For a person at a terminal. */
static void banner(const struct funccount *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->probes.v.n; i++)
		n += f->probes.v.items[i]->plan.sites.n;
	if (isatty(STDERR_FILENO))
		log_note("Counting at %zu site%s, Ctrl-C to end.", n, n == 1 ? "" : "s");
}

/* ---- the end ------------------------------------------------------------------------------- */

static int finish(struct funccount *f, enum session_stop why, struct err *err)
{
	struct run_end end = {
		.reason = session_stop_name(why),
		.elapsed_ns = f->session.window.end_ns - f->live_ns,
		.intervals = f->session.window.index + 1,
		.n_probes = f->probes.v.n,
	};
	int ret;

	f->counts = mem_alloc(f->probes.v.n, sizeof(*f->counts));
	ret = probes_ledger(&f->probes, f->counts, &end.ledger, err);
	if (ret)
		return ret;
	for (u32 i = 0; i < f->probes.v.n; i++) {
		struct event_probe *c = &f->counts[i];

		c->hits = c->shown = tally_hits(&f->tally, i);
		/* Without a start there is no time: said once. */
		if (f->conf->latency)
			c->absent -= c->absent < c->no_start ? c->absent : c->no_start;
	}
	end.probes = f->counts;
	runinfo_cost(f->sym, f->probes.obj, &end.ledger);
	if (f->stats_fd >= 0)
		end.ledger.cost.bpf_ns = probes_run_ns(&f->probes);
	end.is_complete = !ledger_total(&end.ledger);
	probes_say_ledger(f->counts, f->probes.v.n);
	if (f->conf->output.strict && ledger_total(&end.ledger))
		err_set(err, ERR_FAIL, "--strict: something was lost");
	return output_end(f->out, &f->info.run, &end, err);
}

static int run(struct funccount *f, int *status, struct err *err)
{
	enum session_stop why = STOP_ERROR;
	bool is_broken;
	int ret = go_live(f, err), failed = 0;

	if (ret)
		return ret;
	banner(f);
	log_info("counting");
	session_start(&f->session);
	ret = session_run(&f->session, &why, err);
	probes_disable(&f->probes);
	log_progress_end();
	session_end_collection();
	if (why == STOP_TARGETS_EXIT)
		log_note("The watched processes have ended.");
	if (why != STOP_OUTPUT_GONE)
		ret = ret ?: report(f, &f->session.window, err);
	failed = finish(f, ret ? STOP_ERROR : why, err);
	log_on_warn(NULL, NULL);
	failed = output_close(f->out, &is_broken, err) ?: failed;
	f->out = NULL;
	ret = ret ?: failed;
	if (!ret && err->code) /* --strict */
		ret = -err->code;
	*status = why == STOP_CHILD_EXIT ? child_status(&f->child) : 0;
	return ret;
}

static void release(struct funccount *f)
{
	struct err ignored = { 0 };
	bool is_broken;

	log_on_warn(NULL, NULL);
	if (f->out)
		output_close(f->out, &is_broken, &ignored);
	tally_release(&f->tally);
	probes_release(&f->probes);
	if (f->sym)
		symbolizer_free(f->sym);
	session_release(&f->session);
	child_release(&f->child);
	filter_release(&f->filter);
	runinfo_release(&f->info);
	close_p(&f->stats_fd);
	free(f->counts);
	vec_release(&f->columns);
	free(f->column_names);
	free(f->column_values);
}

/* --dump and --dry-run: the result is text about the probes. */
static int print_plan(struct funccount *f, struct err *err)
{
	_cleanup_(str_release) struct str text = { 0 };
	int ret = 0;

	if (f->conf->dump)
		ret = probes_load(&f->probes, err)
			      ?: probes_dump(&f->probes, f->conf->dump, &text, err);
	else
		probes_print_plan(&f->probes, &text);
	if (!ret)
		fwrite(str_text(&text), 1, text.n, stdout);
	return ret;
}

static int open_symbolizer(struct funccount *f, struct err *err)
{
	const struct symbolizer_opts opts = {
		.names = (enum names_style)f->conf->output.names,
		.keep_addresses = true,
	};

	return symbolizer_new(&f->sym, &opts, err);
}

static int funccount_run(void *conf_, int argc, char **argv, int *status, struct err *err)
{
	const struct funccount_conf *conf = conf_;
	bool is_live = !conf->dump && !conf->dry_run;
	_cleanup_(release) struct funccount f = {
		.conf = conf,
		.child = CHILD_NONE,
		.stats_fd = -1,
		.tally.counts_fd = -1,
		.session = { .epoll_fd = -1, .signal_fd = -1 },
	};
	int ret = 0;

	prog_setup();
	if (is_live)
		ret = caps_check(err);
	ret = ret ?: open_symbolizer(&f, err) ?: filter_build(&f.filter, &conf->target, err) ?:
	      compile(&f, err);
	if (ret)
		return ret;
	if (!is_live)
		return print_plan(&f, err);
	caps_warn();
	probes_warn(&f.probes);
	describe(&f, argc, argv);
	return open_run(&f, err) ?: run(&f, status, err);
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
