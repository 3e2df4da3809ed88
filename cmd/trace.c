// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bperf trace: prints events one by one, with predicates and messages. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cmd/command.h"
#include "event/trace.h"
#include "host/feature.h"
#include "site/callclass.h"
#include "site/complete.h"

#define PAGES_DEFAULT 512
#define DURATION_MAX  (366 * 24 * 3600 * NS_PER_SEC)

/* bcc's -n: a substring of the name, whereas --comm takes a glob. */
static int parse_name(void *field, const char *text, struct err *err)
{
	struct opt_strings *comms = field;

	if (!text[0])
		return err_set(err, ERR_USAGE, "a name is missing");
	vec_push(&comms->v, mem_printf("*%s*", text));
	return 0;
}

/* "%file", "!futex" */
static int add_set(struct opt_strings *probes, struct view text, struct err *err)
{
	_cleanup_(str_release) struct str probe = { 0 };
	_cleanup_(free_p) char *words = mem_strndup(text.p, text.n);
	int ret = callclass_add(words, &probe, err);

	if (!ret)
		vec_push(&probes->v, mem_strdup(str_text(&probe)));
	return ret;
}

/* In strace and perf trace, -e names system calls; in the latter, also tracepoints. */
static int add_event(struct opt_strings *probes, struct view name, struct err *err)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_*?[]:";
	int n = (int)name.n;

	if (callclass_is(name) || view_starts(name, "%"))
		return add_set(probes, name, err);
	for (size_t i = 0; i < name.n; i++) {
		if (strchr(plain, name.p[i]))
			continue;
		err_set(err, ERR_USAGE, "'%.*s' is not the name of a system call", n, name.p);
		return err_hint(err, "names with commas, and globs: -e 'openat,*stat*'");
	}
	if (!n)
		return err_set(err, ERR_USAGE, "a system call's name is missing");
	if (memchr(name.p, ':', name.n))
		vec_push(&probes->v, mem_printf("t:%.*s", n, name.p));
	else if (view_eq(name, "all"))
		vec_push(&probes->v, mem_strdup("syscall:*"));
	else
		vec_push(&probes->v, mem_printf("syscall:%.*s", n, name.p));
	return 0;
}

static int parse_events(void *field, const char *text, struct err *err)
{
	struct view rest = view_of(strncmp(text, "trace=", 6) ? text : text + 6), name;
	int ret = 0;

	if (view_starts(rest, "!"))
		return add_set(field, rest, err);
	while (!ret && view_split(&rest, ',', &name))
		ret = add_event(field, name, err);
	return ret;
}

#define S struct trace_conf

static const struct opt trace_opts[] = {
	OPT_HEADING("Events"),
	OPT_CALL('e', "event", S, events, parse_events, "NAME,...",
		 "system calls, as for strace: the probes syscall:NAME", .is_repeatable = true),
	OPT_U64('M', "max-events", S, max_events, 1, UINT64_MAX, "N", "end after N events"),
	OPT_DURATION('d', "duration", S, run.duration_ns, NS_PER_SEC, NS_PER_MS, DURATION_MAX,
		     "TIME", "end after TIME, in seconds or with ms, s, m, h"),
	OPT_FLAG('A', "aggregate", S, aggregate,
		 "count identical events and print them at the end, most frequent first"),
	OPT_FLAG(0, "unique", S, unique, "print only the first of identical events",
		 .conflicts = "aggregate"),
	OPT_STRING('f', "msg-filter", S, contains, "TEXT", "only messages that contain TEXT"),
	OPT_FLAG('B', "bin-cmp", S, binary_compare, "STRCMP(\"{0x6c, 0x00}\", x) compares bytes"),
	OPT_FLAG('K', "kernel-stack", S, kernel_stack, "the kernel stack of each event"),
	OPT_FLAG('U', "user-stack", S, user_stack, "the user stack of each event"),
	OPT_INCLUDE(S, run.unwind, unwinding_opts),
	OPT_FLAG('a', "address", S, addresses, "raw addresses in stacks"),
	OPT_HEADING("Columns"),
	OPT_FLAG('T', "time", S, wall_time, "the time of day"),
	OPT_FLAG('t', "timestamp", S, timestamp, "seconds since the start"),
	OPT_FLAG('u', "unix-timestamp", S, unix_time, "seconds since 1970"),
	OPT_FLAG('C', "print-cpu", S, print_cpu, "the CPU"),
	OPT_FLAG(0, "print-uid", S, print_uid, "the user id"),
	OPT_FLAG(0, "raw", S, raw, "only the message"),
	OPT_FLAG(0, "csv", S, csv, "the values, separated by commas, below their names",
		 .conflicts = "raw aggregate K U"),
	OPT_STRING(0, "heading", S, heading, "TEXT",
		   "only the columns given here and the message, below this heading",
		   .conflicts = "raw"),
	OPT_INCLUDE(S, run, proberun_opts),
	OPT_U32('b', "buffer-pages", S, buffer_pages, 1, 65536, "N",
		"pages of 4096 bytes for events, per CPU (512)"),
	OPT_CALL(0, "max-overhead", S, max_overhead, overhead_parse, "PERCENT",
		 "stop when probes and bperf together use more than PERCENT of one CPU; off: "
		 "never (on the whole host: 50 times the number of CPUs, over 10 s)"),
	OPT_STRINGS('I', "include", S, includes, "FILE",
		    "accepted for compatibility with bcc: types are known without headers"),
	OPT_STRINGS('s', "sym-file-list", S, sym_files, "FILE,...",
		    "accepted for compatibility with bcc: symbols are read in time"),
	OPT_STRINGS(0, "debug-dir", S, run.debug_dirs, "DIR", "look for debug files there too",
		    .complete = COMPLETE_DIR),
	OPT_INCLUDE(S, run.target, target_opts),
	OPT_LETTER('p', "pid"),
	OPT_LETTER('L', "tid"),
	OPT_LETTER('c', "cgroup"),
	OPT_LETTER('S', "self"),
	OPT_CALL('n', "name", S, run.target.comms, parse_name, "TEXT",
		 "threads whose name contains TEXT", .is_repeatable = true),
	OPT_INCLUDE(S, run.output, output_opts),
	OPT_END,
};

#undef S

static void trace_defaults(void *conf_)
{
	struct trace_conf *conf = conf_;

	conf->buffer_pages = PAGES_DEFAULT;
	proberun_defaults(&conf->run);
}

/* `[duration | interval count]` after the probes, as for other commands: there is one report, which
 * lasts as long as all of these together. */
static int take_duration(struct proberun_conf *run, struct err *err)
{
	int ret = proberun_take_numbers(run, err);
	u64 count = run->count ? run->count : 1;

	if (ret || !run->interval_ns)
		return ret;
	if (run->duration_ns)
		return err_set(err, ERR_USAGE, "-d conflicts with the time after the probes");
	run->duration_ns =
		run->interval_ns > DURATION_MAX / count ? DURATION_MAX : run->interval_ns * count;
	return 0;
}

/* The probes of -e are before those given as words. */
static void join_probes(struct trace_conf *conf)
{
	if (!conf->events.v.n)
		return;
	for (size_t i = 0; i < conf->run.n_words; i++)
		vec_push(&conf->events.v, mem_strdup(conf->run.words[i]));
	conf->run.words = conf->events.v.items;
	conf->run.n_words = conf->events.v.n;
}

static int trace_check(void *conf_, const struct opt_rest *rest, struct err *err)
{
	struct trace_conf *conf = conf_;
	int ret = proberun_check(&conf->run, rest, err) ?: take_duration(&conf->run, err);

	if (conf->run.duration_ns) {
		conf->run.interval_ns = conf->run.duration_ns;
		conf->run.count = 1;
	}
	join_probes(conf);
	if (ret || conf->run.n_words)
		return ret;
	err_set(err, ERR_USAGE, "nothing to trace was given");
	return err_hint(err, "for example  bperf trace 'syscall:openat'   "
			     "(bperf list shows the probes)");
}

static void trace_release(void *conf_)
{
	struct trace_conf *conf = conf_;

	proberun_release_conf(&conf->run);
	opt_strings_release(&conf->includes);
	opt_strings_release(&conf->sym_files);
	for (size_t i = 0; i < conf->events.v.n; i++)
		free(conf->events.v.items[i]);
	opt_strings_release(&conf->events);
}

static const char *probe_without_words(const void *conf)
{
	const struct trace_conf *c = conf;

	return c->events.v.n ? "" : " 'syscall:*'";
}

static int run(void *conf, int argc, char **argv, int *status, struct err *err)
{
	return trace_run(conf, argc, argv, status, err);
}

const struct command trace_command = {
	.name = "trace",
	.summary = "what happens, event by event",
	.needs = FEATURE_BASE | FEATURE_BIT(RING_BUFFER),
	.usage = "[options] PROBE... [duration] [-- program args...]",
	.about = "PROBE is 'SITE (predicate) \"format\", value, ...'; only the site is needed. Prints "
		 "a line each time the site is hit and the predicate holds: the message or, "
		 "without a format, all arguments by name.  A site is a function of the kernel "
		 "or of a program, its return, a tracepoint, a system call or a USDT probe: bperf "
		 "help probes.  Runs until Ctrl-C.",
	.overhead = "0.1 to 0.3 us for a tracepoint or kernel function, 1 to 7 us for a user "
		    "function, and as much again to print: a probe on malloc makes a program many "
		    "times slower.",
	.examples = {
		{ "trace syscall:openat", "files that are opened, with all arguments" },
		{ "trace 'r:c:read (retval < 0)' -p 185", "failed reads of a process" },
		{ "trace 'raw:sched_process_exec \"%s\", bprm->filename' -T", "programs as they start" },
		{ "trace 'p:c:getaddrinfo \"%s\", arg1' -U", "the hosts that are looked up" },
		{ "trace -A -M 1000 'syscall:write (fd == 1) \"%d\", count'", "sizes, counted" },
	},
	.opts = trace_opts,
	.conf_size = sizeof(struct trace_conf),
	.defaults = trace_defaults,
	.check = trace_check,
	.run = run,
	.release = trace_release,
	.complete = complete_probe,
	.probe_without_words = probe_without_words,
};
