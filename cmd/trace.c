// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What happens, event by event: probes with predicates and messages. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "cmd/bind.h"
#include "cmd/command.h"
#include "cmd/flow.h"
#include "cmd/probe.h"
#include "cmd/runinfo.h"
#include "cmd/side.h"
#include "opt/output.h"
#include "opt/target.h"
#include "run/caps.h"
#include "run/child.h"
#include "run/feature.h"
#include "run/prog.h"
#include "run/session.h"

#define STRING_DEFAULT 80
#define STRING_MAX     4096
#define PAGES_DEFAULT  512
#define PAGE_BYTES     4096
/* Between two looks at a ring that had something. */
#define POLL_NS	       (20 * NS_PER_MS)

/* Side-band records this old have met every event that came before them. */
#define SIDE_SETTLED_NS (100 * NS_PER_MS)

enum {
	TAG_RING,
	TAG_TIMER
};

struct trace_conf {
	struct target target;
	struct output_conf output;
	char *const *words; /* the specs, borrowed */
	size_t n_words;
	u64 max_events;
	u32 string_size, buffer_pages, max_overhead;
	bool timestamp, unix_time, wall_time, print_cpu, print_uid;
	bool kernel_stack, user_stack, addresses;
	bool aggregate, binary_compare, raw, dry_run;
	const char *contains, *method, *btf;
	const char *dump;	      /* one of dump_names; NULL: trace */
	struct opt_strings includes;  /* -I: accepted, not needed */
	struct opt_strings sym_files; /* -s: the same */
	struct opt_strings debug_dirs;
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

/* bcc's -n: a part of the name, where --comm takes a glob. */
static int parse_name(void *field, const char *text, struct err *err)
{
	struct opt_strings *comms = field;

	if (!text[0])
		return err_set(err, ERR_USAGE, "a name is missing");
	vec_push(&comms->v, mem_printf("*%s*", text));
	return 0;
}

#define S struct trace_conf

static const struct opt trace_opts[] = {
	OPT_HEADING("Events"),
	OPT_U64('M', "max-events", S, max_events, 1, UINT64_MAX, "N", "end after N events"),
	OPT_FLAG('A', "aggregate", S, aggregate,
		 "count identical events and print them at the end, most frequent first"),
	OPT_STRING('f', "msg-filter", S, contains, "TEXT", "only messages that contain TEXT"),
	OPT_U32('Z', "string-size", S, string_size, 1, STRING_MAX, "BYTES",
		"read at most so much of a string (80)"),
	OPT_FLAG('B', "bin-cmp", S, binary_compare, "STRCMP(\"{0x6c, 0x00}\", x) compares bytes"),
	OPT_FLAG('K', "kernel-stack", S, kernel_stack, "the kernel stack of each event"),
	OPT_FLAG('U', "user-stack", S, user_stack, "the user stack of each event"),
	OPT_FLAG('a', "address", S, addresses, "raw addresses in stacks"),
	OPT_HEADING("Columns"),
	OPT_FLAG('T', "time", S, wall_time, "the time of day"),
	OPT_FLAG('t', "timestamp", S, timestamp, "seconds since the start"),
	OPT_FLAG('u', "unix-timestamp", S, unix_time, "seconds since 1970"),
	OPT_FLAG('C', "print-cpu", S, print_cpu, "the CPU"),
	OPT_FLAG(0, "print-uid", S, print_uid, "the user id"),
	OPT_FLAG(0, "raw", S, raw, "the message alone"),
	OPT_HEADING("How"),
	OPT_STRING(0, "attach", S, method, "METHOD",
		   "attach by METHOD: fentry, kprobe, kprobe.multi, uprobe, ... (chosen)"),
	OPT_U32('b', "buffer-pages", S, buffer_pages, 1, 65536, "N",
		"pages of 4096 bytes for events, per CPU (512)"),
	OPT_U32(0, "max-overhead", S, max_overhead, 1, 10000, "PERCENT",
		"end when the probes and bperf take more than so much of one CPU"),
	OPT_CALL(0, "dump", S, dump, parse_dump, "WHAT",
		 "do not trace, print the ast, the types or the bpf instructions",
		 .choices = dump_names),
	OPT_FLAG(0, "dry-run", S, dry_run, "do not trace, print what would be attached and how"),
	OPT_STRING(0, "btf", S, btf, "FILE", "kernel BTF from a file", .complete = COMPLETE_FILE),
	OPT_STRINGS('I', "include", S, includes, "FILE",
		    "accepted for bcc's sake: types are known without headers"),
	OPT_STRINGS('s', "sym-file-list", S, sym_files, "FILE,...",
		    "accepted for bcc's sake: symbols are read in time"),
	OPT_STRINGS(0, "debug-dir", S, debug_dirs, "DIR", "look for debug files there too",
		    .complete = COMPLETE_DIR),
	OPT_INCLUDE(S, target, target_opts),
	OPT_LETTER('p', "pid"),
	OPT_LETTER('L', "tid"),
	OPT_LETTER('c', "cgroup"),
	OPT_LETTER('S', "self"),
	OPT_CALL('n', "name", S, target.comms, parse_name, "TEXT",
		 "threads whose name contains TEXT", .is_repeatable = true),
	OPT_INCLUDE(S, output, output_opts),
	OPT_END,
};

#undef S

static void trace_defaults(void *conf_)
{
	struct trace_conf *conf = conf_;

	conf->string_size = STRING_DEFAULT;
	conf->buffer_pages = PAGES_DEFAULT;
	output_defaults(&conf->output);
}

static int trace_check(void *conf_, const struct opt_rest *rest, struct err *err)
{
	struct trace_conf *conf = conf_;

	log_set_level(output_log_level(&conf->output));
	conf->words = rest->args;
	conf->n_words = rest->n_args;
	if (!conf->n_words) {
		err_set(err, ERR_USAGE, "what to trace is missing");
		return err_hint(err, "for example  bperf trace 'syscall:openat'   "
				     "(bperf list shows what there is)");
	}
	return target_check(&conf->target, rest, err);
}

static void trace_release(void *conf_)
{
	struct trace_conf *conf = conf_;

	target_release(&conf->target);
	output_release(&conf->output);
	opt_strings_release(&conf->includes);
	opt_strings_release(&conf->sym_files);
	opt_strings_release(&conf->debug_dirs);
}

/* ---- from words to probes ------------------------------------------------------------------ */

static u64 ring_bytes(u64 pages)
{
	u64 want = pages * PAGE_BYTES * (u64)libbpf_num_possible_cpus(), bytes = PAGE_BYTES;

	/* One ring stands for all CPUs up to 16 of them, then each has its own. */
	if (libbpf_num_possible_cpus() > 16)
		want = pages * PAGE_BYTES;
	while (bytes < want && bytes < 1U << 30)
		bytes *= 2;
	return bytes;
}

static int compile(struct probes *p, const struct trace_conf *conf, const struct filter *filter,
		   struct err *err)
{
	const struct spec_opts spec = { 0 };
	const struct probes_opts opts = {
		.btf = conf->btf,
		.method = conf->method,
		.tgid = conf->target.pids.v.n ? conf->target.pids.v.items[0] : 0,
		.string_size = conf->string_size,
		.binary_compare = conf->binary_compare,
		.wants_types = true,
		.is_offline = conf->dump != NULL,
		.ring_bytes = ring_bytes(conf->buffer_pages),
		.filter = filter,
		.cpus = &conf->target.cpus,
	};
	const struct bind_opts bind = { conf->kernel_stack, conf->user_stack };
	int ret = probes_init(p, &opts, err);

	if (conf->includes.v.n)
		log_note("-I is not needed: types come from BTF.");
	for (size_t i = 0; i < conf->n_words && !ret; i++)
		ret = probes_add(p, conf->words[i], SPEC_TRACE, &spec, err);
	return ret ?: probes_plan(p, err) ?: bind_events(p, &bind, err);
}

/* ---- the run ------------------------------------------------------------------------------ */

struct trace {
	const struct trace_conf *conf;
	struct probes probes;
	struct filter filter;
	struct child child;
	struct session session;
	struct symbolizer *sym;
	struct output *out;
	struct flow flow;
	struct perfev perf; /* listened to where user addresses get names */
	struct runinfo info;
	struct event_probe *counts; /* by probe */
	int timer_fd, stats_fd;
	u64 begin_ns;			   /* of the command */
	bool is_failed, is_over;	   /* an output failed; too expensive */
	u64 overhead_ns, overhead_cost_ns; /* when it was last looked at, and what it was */
	struct err *err;
};

/* What happened to mappings up to a time. */
static void apply_side(void *ctx, u64 time_ns)
{
	struct trace *t = ctx;

	side_apply(&t->perf, t->sym, time_ns);
}

static void arm_timer(const struct trace *t)
{
	const struct itimerspec in = { .it_value = { .tv_nsec = (long)POLL_NS } };

	timerfd_settime(t->timer_fd, 0, &in, NULL);
}

/* As long as there is something, look again soon: the rings only wake us when they were empty. */
static void move(struct trace *t)
{
	bool had_some;

	perfev_read_side(&t->perf);
	had_some = flow_drain(&t->flow);

	if (flow_show(&t->flow, now_ns(), t->err))
		t->is_failed = true;
	if (had_some || hold_bytes(&t->flow.hold))
		arm_timer(t);
}

static void on_ready(void *ctx, int tag)
{
	struct trace *t = ctx;
	u64 expirations;

	if (tag == TAG_TIMER && read(t->timer_fd, &expirations, sizeof(expirations)) < 0)
		return;
	move(t);
}

static void check_overhead(struct trace *t, u64 now)
{
	u64 cost, elapsed = now - t->overhead_ns, percent;

	if (!t->conf->max_overhead || elapsed < NS_PER_SEC)
		return;
	cost = probes_run_ns(&t->probes) + runinfo_cpu_ns();
	percent = (cost - t->overhead_cost_ns) * 100 / elapsed;
	if (t->overhead_ns && percent > t->conf->max_overhead) {
		log_warn("overhead", "the probes and bperf took %llu %% of a CPU: stopped",
			 percent);
		t->is_over = true;
	}
	t->overhead_ns = now;
	t->overhead_cost_ns = cost;
}

static void on_tick(void *ctx, u64 now)
{
	struct trace *t = ctx;

	move(t);
	apply_side(t, now - SIDE_SETTLED_NS);
	symbolizer_settle(t->sym, now);
	perfev_follow_hotplug(&t->perf);
	check_overhead(t, now);
}

static void on_progress(void *ctx, u64 elapsed_ns)
{
	(void)ctx;
	(void)elapsed_ns;
}

static int on_report(void *ctx, struct session_window *w, struct err *err)
{
	(void)ctx;
	(void)w;
	(void)err;
	return 0;
}

static bool is_done(void *ctx)
{
	const struct trace *t = ctx;

	return t->is_failed || t->is_over || flow_is_full(&t->flow) || output_is_broken(t->out);
}

static const struct session_ops session_ops = {
	.on_ready = on_ready,
	.on_tick = on_tick,
	.on_progress = on_progress,
	.on_report = on_report,
	.is_output_gone = is_done,
};

static void on_warning(void *ctx, const char *code, const char *message)
{
	output_warn(((struct trace *)ctx)->out, code, message);
}

static u32 columns(const struct trace_conf *conf)
{
	u32 c = 0;

	if (conf->raw)
		return EVENT_RAW;
	c |= conf->wall_time ? EVENT_COLUMN_WALL : 0;
	c |= conf->unix_time ? EVENT_COLUMN_UNIX : conf->timestamp ? EVENT_COLUMN_SINCE : 0;
	c |= conf->print_cpu ? EVENT_COLUMN_CPU : 0;
	c |= conf->print_uid ? EVENT_COLUMN_UID : 0;
	return c;
}

static int open_output(struct trace *t, struct err *err)
{
	const struct output_conf *o = &t->conf->output;
	const struct render_opts opts = {
		.addresses = t->conf->addresses,
		.color = (enum color_when)o->color,
		.event_columns = columns(t->conf),
	};

	return output_open(&t->out, output_stdout_format(o), o->format, o->files.v.items,
			   o->files.v.n, false, REPORT_EVENTS, &opts, err);
}

static int open_symbolizer(struct trace *t, struct err *err)
{
	const struct symbolizer_opts opts = {
		.names = (enum names_style)t->conf->output.names,
		.keep_addresses = true,
	};

	return symbolizer_new(&t->sym, &opts, err);
}

static int open_run(struct trace *t, struct err *err)
{
	const struct target *target = &t->conf->target;
	int ret = open_output(t, err) ?: open_symbolizer(t, err);

	if (ret)
		return ret;
	log_on_warn(on_warning, t);
	/* Forked before our signals are blocked. */
	if (target->program)
		ret = child_start(&t->child, target->program, target->as_root, err);
	if (!ret)
		ret = session_init(&t->session, &session_ops, t, target, err);
	t->session.child = &t->child;
	t->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (!ret && t->timer_fd < 0)
		ret = err_errno(err, errno, "cannot make a timer");
	return ret ?: session_watch(&t->session, t->timer_fd, TAG_TIMER, err);
}

/* Does anything shown need to know what is mapped where? */
static bool wants_mappings(const struct trace *t)
{
	bool wants = t->conf->user_stack;

	for (size_t i = 0; i < t->probes.v.n; i++) {
		const struct probe *probe = t->probes.v.items[i];
		const struct format_piece *p;

		vec_for_each(p, &probe->format.pieces)
			wants |= p->kind == FORMAT_USYM;
	}
	return wants;
}

static int go_live(struct trace *t, struct err *err)
{
	const struct flow_opts opts = {
		.max_events = t->conf->max_events,
		.contains = t->conf->contains,
		.aggregate = t->conf->aggregate,
		.kernel_stacks = t->conf->kernel_stack,
		.user_stacks = t->conf->user_stack,
		.max_frames = runinfo_max_frames(&t->info),
	};
	int ret = probes_load(&t->probes, err) ?: filter_fill(&t->filter, t->probes.obj, err);

	if (!ret && t->child.pid)
		ret = filter_add_process(&t->filter, t->probes.obj, (u32)t->child.pid, err);
	if (!ret)
		ret = flow_init(&t->flow, &opts, &t->probes, t->out, t->sym, &t->info.run, err);
	if (!ret)
		ret = session_watch(&t->session, flow_fd(&t->flow), TAG_RING, err);
	if (!ret && (t->conf->output.cost || t->conf->max_overhead)) {
		t->stats_fd = prog_stats_enable(err);
		ret = t->stats_fd < 0 ? t->stats_fd : 0;
	}
	if (ret)
		return ret;
	if (wants_mappings(t)) {
		perfev_listen(&t->perf);
		t->flow.before = apply_side;
		t->flow.ctx = t;
	}
	t->info.run.monotonic_ns = now_ns();
	t->info.run.realtime_ns = clock_ns(CLOCK_REALTIME);
	return output_begin(t->out, &t->info.run, err) ?: probes_attach(&t->probes, err) ?:
	       child_go(&t->child, err) ?:
	       filter_add_descendants(&t->filter, t->probes.obj, err);
}

static void describe(struct trace *t, int argc, char **argv)
{
	struct run_info *run = &t->info.run;

	runinfo_fill(&t->info);
	run->command = "trace";
	run->title = "events";
	run->argc = argc;
	run->argv = argv;
	run->version = BPERF_VERSION;
	run->value_name = "events";
	run->unit = UNIT_EVENTS;
	run->filter = str_text(&t->filter.json);
}

/* For a person at a terminal. */
static void banner(const struct trace *t)
{
	size_t n_sites = 0;

	for (size_t i = 0; i < t->probes.v.n; i++)
		n_sites += t->probes.v.items[i]->plan.sites.n;
	if (isatty(STDERR_FILENO))
		log_note("Tracing %zu site%s, Ctrl-C to end.", n_sites, n_sites == 1 ? "" : "s");
}

/* ---- the end ------------------------------------------------------------------------------- */

static int finish(struct trace *t, enum session_stop why, struct err *err)
{
	bool was_done = why == STOP_OUTPUT_GONE && !output_is_broken(t->out);
	struct run_end end = {
		.reason = session_stop_name(was_done ? STOP_DONE : why),
		.elapsed_ns = t->session.window.end_ns - t->session.start_ns,
		.intervals = 1,
		.records = t->flow.n_shown,
		.n_probes = t->probes.v.n,
	};
	int ret;

	t->counts = mem_alloc(t->probes.v.n, sizeof(*t->counts));
	for (u32 i = 0; i < t->probes.v.n; i++) {
		t->counts[i].shown = t->flow.shown[i];
		t->counts[i].late = t->flow.late[i];
	}
	end.ledger.lost[LOST_stack_fault] = t->flow.n_stack_faults;
	ret = probes_ledger(&t->probes, t->counts, &end.ledger, err);

	if (ret)
		return ret;
	end.probes = t->counts;
	runinfo_cost(t->sym, t->probes.obj, &end.ledger);
	if (t->stats_fd >= 0)
		end.ledger.cost.bpf_ns = probes_run_ns(&t->probes);
	end.is_complete = !ledger_total(&end.ledger);
	probes_say_ledger(t->counts, t->probes.v.n);
	if (t->conf->output.strict && ledger_total(&end.ledger))
		err_set(err, ERR_FAIL, "--strict: something was lost");
	return output_end(t->out, &t->info.run, &end, err);
}

static int run(struct trace *t, int *status, struct err *err)
{
	enum session_stop why = STOP_ERROR;
	bool is_broken;
	int ret = go_live(t, err), failed = 0;

	t->err = err;
	if (ret)
		return ret;
	banner(t);
	log_info("tracing after %.1f ms", (double)(now_ns() - t->begin_ns) / (double)NS_PER_MS);
	session_start(&t->session);
	ret = session_run(&t->session, &why, err);
	probes_disable(&t->probes);
	log_progress_end();
	session_end_collection();
	if (why == STOP_TARGETS_EXIT)
		log_note("The watched processes have ended.");
	perfev_read_side(&t->perf);
	flow_drain(&t->flow);
	ret = ret ?: flow_show(&t->flow, UINT64_MAX, err) ?: flow_show_same(&t->flow, err);
	failed = finish(t, ret ? STOP_ERROR : why, err);
	log_on_warn(NULL, NULL);
	failed = output_close(t->out, &is_broken, err) ?: failed;
	t->out = NULL;
	ret = ret ?: failed;
	if (!ret && err->code) /* --strict */
		ret = -err->code;
	*status = why == STOP_CHILD_EXIT ? child_status(&t->child) : 0;
	return ret;
}

static void release(struct trace *t)
{
	struct err ignored = { 0 };
	bool is_broken;

	log_on_warn(NULL, NULL);
	if (t->out)
		output_close(t->out, &is_broken, &ignored);
	flow_release(&t->flow);
	perfev_release(&t->perf);
	probes_release(&t->probes);
	if (t->sym)
		symbolizer_free(t->sym);
	session_release(&t->session);
	child_release(&t->child);
	filter_release(&t->filter);
	runinfo_release(&t->info);
	close_p(&t->timer_fd);
	close_p(&t->stats_fd);
	free(t->counts);
}

/* --dump and --dry-run: the result is text about the probes. */
static int print_plan(struct trace *t, struct err *err)
{
	_cleanup_(str_release) struct str text = { 0 };
	int ret = 0;

	if (t->conf->dump)
		ret = probes_load(&t->probes, err)
			      ?: probes_dump(&t->probes, t->conf->dump, &text, err);
	else
		probes_print_plan(&t->probes, &text);
	if (!ret)
		fwrite(str_text(&text), 1, text.n, stdout);
	return ret;
}

static int trace_run(void *conf_, int argc, char **argv, int *status, struct err *err)
{
	const struct trace_conf *conf = conf_;
	bool is_live = !conf->dump && !conf->dry_run;
	_cleanup_(release) struct trace t = {
		.conf = conf,
		.begin_ns = now_ns(),
		.child = CHILD_NONE,
		.timer_fd = -1,
		.stats_fd = -1,
		.session = { .epoll_fd = -1, .signal_fd = -1 },
	};
	int ret = 0;

	prog_setup();
	if (is_live)
		ret = caps_check(err);
	ret = ret ?: filter_build(&t.filter, &conf->target, err) ?:
	      compile(&t.probes, conf, &t.filter, err);
	if (ret)
		return ret;
	if (!is_live)
		return print_plan(&t, err);
	caps_warn();
	probes_warn(&t.probes);
	describe(&t, argc, argv);
	return open_run(&t, err) ?: run(&t, status, err);
}

const struct command trace_command = {
	.name = "trace",
	.summary = "what happens, event by event",
	.needs = FEATURE_BASE | FEATURE_BIT(RING_BUFFER),
	.usage = "[options] PROBE... [-- program args...]",
	.about = "PROBE is 'SITE (predicate) \"format\", value, ...'; only the site is needed. Prints "
		 "a line each time it is hit and the predicate holds: the message, or "
		 "all arguments by name when none is given.  A probe is a function of the kernel "
		 "or of a program, its return, a tracepoint, a system call, a USDT probe: bperf "
		 "help probes.  Runs until Ctrl-C.",
	.overhead = "0.1 to 0.3 us for a tracepoint or kernel function, 1 to 7 us for a user "
		    "function, and as much again to print: a probe on malloc slows a program down "
		    "many times.",
	.examples = {
		{ "trace syscall:openat", "files that are opened, with all arguments" },
		{ "trace 'r:c:read (retval < 0)' -p 185", "failed reads of a process" },
		{ "trace 'raw:sched_process_exec \"%s\", bprm->filename' -T", "programs as they start" },
		{ "trace 'p:c:getaddrinfo \"%s\", arg1' -U", "who looks up which host" },
		{ "trace -A -M 1000 'syscall:write (fd == 1) \"%d\", count'", "sizes, counted" },
	},
	.opts = trace_opts,
	.conf_size = sizeof(struct trace_conf),
	.defaults = trace_defaults,
	.check = trace_check,
	.run = trace_run,
	.release = trace_release,
};
