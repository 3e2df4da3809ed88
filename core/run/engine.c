// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "run/engine.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memlimit.h"
#include "base/num.h"
#include "base/stop.h"
#include "host/caps.h"
#include "model/event.h"
#include "run/prog.h"
#include "run/sideband.h"

/* Signals, ticks and the end of the window are checked between two passes over the rings. */
#define PASS_NS		(50 * NS_PER_MS)
#define REPORT_DRAIN_NS (500 * NS_PER_MS)
/* The last report waits this long for tables of unwind information, all of them together. */
#define LAST_WAIT_NS	(2 * NS_PER_SEC)

/* ---- the loop ----------------------------------------------------------------------------- */

void engine_apply_side(struct engine *e, u64 until_ns)
{
	side_apply(&e->perf, e->sym, until_ns);
}

int engine_open_rings(struct engine *e, ring_take_fn take, void *ctx, struct err *err)
{
	e->pid = getpid();
	return rings_init(&e->rings, take, ctx, err)
		       ?: session_watch(&e->session, rings_fd(&e->rings), 0, err);
}

int engine_add_ring(struct engine *e, int map_fd, struct err *err)
{
	return rings_add(&e->rings, map_fd, err);
}

bool engine_drain(struct engine *e)
{
	perfev_read_side(&e->perf);
	return !e->rings.take || rings_read(&e->rings, now_ns() + PASS_NS);
}

/* The end of a window is never delayed, whether it is due or a signal asks for it: while a report
 * is made, the next window is already running. */
static bool is_due(const struct engine *e)
{
	const struct session_window *w = &e->session.window;
	u64 due = w->next_due_ns > w->due_ns ? w->next_due_ns : w->due_ns;

	return stop_is_asked() || (e->session.start_ns && now_ns() >= due);
}

/* Helper processes (base/subprocess.h) share the rings, but records that they set aside would be
 * lost. */
void engine_set_aside(struct engine *e)
{
	if (e->rings.take && getpid() == e->pid)
		rings_set_aside(&e->rings);
}

bool engine_can_wait(void *ctx)
{
	struct engine *e = ctx;

	if (*stop_impatience())
		return false;
	engine_set_aside(e);
	if (e->is_detached)
		return now_ns() < e->detached_ns + LAST_WAIT_NS;
	return rings_have_room(&e->rings) && !is_due(e);
}

void engine_drain_all(struct engine *e)
{
	while (!engine_drain(e) && !*stop_impatience())
		if (!e->is_detached && now_ns() >= e->drain_until_ns)
			return;
	if (e->is_detached && *stop_impatience() && e->rings.take)
		e->n_unread += rings_skip(&e->rings);
}

static void drain(struct engine *e)
{
	if (e->ops->drain)
		e->ops->drain(e->ctx);
	else
		engine_drain(e);
}

static void on_ready(void *ctx, int tag)
{
	(void)tag;
	drain(ctx);
}

static void on_tick(void *ctx, u64 now)
{
	struct engine *e = ctx;
	struct err later = { 0 }; /* ignored: output_end() reports a failed sink again */

	drain(e);
	engine_apply_side(e, now - SIDEBAND_SETTLED_NS);
	if (e->ops->on_tick)
		e->ops->on_tick(e->ctx, now);
	symbolizer_settle(e->sym, now);
	perfev_follow_hotplug(&e->perf);
	output_flush(e->out, &later);
}

/* A program that reads stdout may have the screen for itself, as report --live and less(1) do. */
static bool is_piped(void)
{
	struct stat st;

	return !fstat(STDOUT_FILENO, &st) && S_ISFIFO(st.st_mode);
}

static void on_progress(void *ctx, u64 elapsed_ns)
{
	struct engine *e = ctx;
	const struct run_info *run = &e->info.run;
	struct engine_progress p = { .n = UINT64_MAX, .stacks = UINT64_MAX };
	char span[32] = "", n[64] = "", stacks[32] = "";

	/* Events are printed on the same terminal, and the progress line would mix with them. */
	if (!isatty(STDERR_FILENO) || is_piped() ||
	    (e->kinds & REPORT_EVENTS && isatty(STDOUT_FILENO)))
		return;
	e->ops->progress(e->ctx, &p);
	if (run->interval_ns && run->count == 1)
		snprintf(span, sizeof(span), "/%g", (double)run->interval_ns / (double)NS_PER_SEC);
	if (p.n != UINT64_MAX)
		snprintf(n, sizeof(n), "  %llu %s", p.n,
			 run->unit == UNIT_NS ? "waits" : run->value_name);
	if (p.stacks != UINT64_MAX)
		snprintf(stacks, sizeof(stacks), "  %llu stacks", p.stacks);
	log_progress("%.1f%s s%s%s  %llu lost", (double)elapsed_ns / (double)NS_PER_SEC, span, n,
		     stacks, p.lost);
}

/* It is known after names have been looked up for a report. */
static void say_nameless(struct engine *e)
{
	if (e->is_nameless_said || !e->sym || symbolizer_has_kernel_names(e->sym))
		return;
	log_warn("no-kernel-names",
		 "kernel functions have no names, because /proc/kallsyms shows no addresses: run "
		 "bperf with CAP_SYSLOG, and sysctl kernel.kptr_restrict=1");
	e->is_nameless_said = true;
}

static int make_report(struct engine *e, struct session_window *w, struct err *err)
{
	int ret;

	log_progress_end();
	e->drain_until_ns = now_ns() + REPORT_DRAIN_NS;
	ret = e->ops->report(e->ctx, w, err);
	if (!ret && !w->is_snapshot)
		e->n_windows++;
	say_nameless(e);
	return ret;
}

static int on_report(void *ctx, struct session_window *w, struct err *err)
{
	return make_report(ctx, w, err);
}

static enum session_stop why_over(void *ctx)
{
	struct engine *e = ctx;

	if (output_is_broken(e->out))
		return STOP_OUTPUT_GONE;
	return e->ops->is_done && e->ops->is_done(e->ctx) ? STOP_DONE : STOP_NOT_YET;
}

static bool is_output_full(void *ctx)
{
	const struct engine *e = ctx;

	return output_is_full(e->out);
}

static const struct session_ops session_ops = {
	.on_ready = on_ready,
	.on_tick = on_tick,
	.on_progress = on_progress,
	.on_report = on_report,
	.is_output_full = is_output_full,
	.why_over = why_over,
};

/* ---- reports ------------------------------------------------------------------------------ */

struct report engine_report(const struct engine *e, const struct session_window *w)
{
	return (struct report){
		.run = &e->info.run,
		.interval = w->index,
		.start_ns = w->start_ns - e->info.run.monotonic_ns,
		.end_ns = w->end_ns - e->info.run.monotonic_ns,
		.is_snapshot = w->is_snapshot,
	};
}

void engine_take_losses(struct engine *e, const struct ledger *now, struct report *r)
{
	struct ledger all = *now;

	all.lost[LOST_ring_full] += e->n_unread;
	ledger_lost_since(&all, &e->reported, &r->ledger);
	if (!r->is_snapshot)
		e->reported = all;
}

/* ---- the start ---------------------------------------------------------------------------- */

void engine_init(struct engine *e)
{
	e->made_ns = now_ns();
	e->child = (struct child)CHILD_NONE;
	e->session = (struct session){ .epoll_fd = -1 };
	e->stats_fd = -1;
	ksyms_init(&e->ksyms);
	e->debug_dirs = opt_strings_list(e->conf.debug_dirs, "/usr/lib/debug");
	prog_setup();
}

int engine_open_symbolizer(struct engine *e, struct err *err)
{
	const struct symbolizer_opts opts = {
		.names = (enum names_style)e->conf.output->names,
		.keep_addresses = e->keep_addresses,
		.debug_dirs = e->debug_dirs,
		.kernel = &e->ksyms.source,
	};

	return symbolizer_new(&e->sym, &opts, err);
}

/* The program is forked before signals are caught, so that it inherits the handling with which
 * bperf was started. */
static int open_session(struct engine *e, struct err *err)
{
	const struct target *target = e->conf.target;
	const struct child_opts opts = { .as_root = target->as_root,
					 .joins_messages = e->conf.output->live };
	int ret = 0;

	if (target->program)
		ret = child_start(&e->child, target->program, &opts, err);
	if (ret)
		return ret;
	ret = session_init(&e->session, &session_ops, e, target, err);
	e->session.child = &e->child;
	e->session.interval_ns = e->conf.interval_ns;
	e->session.count = e->conf.count;
	return ret;
}

static void describe_run(struct engine *e, int argc, char **argv)
{
	struct run_info *run = &e->info.run;

	runinfo_fill(&e->info);
	run->argc = argc;
	run->argv = argv;
	run->version = BPERF_VERSION;
	run->interval_ns = e->conf.interval_ns;
	run->count = e->conf.interval_ns ? e->conf.count : 0;
	run->filter = str_text(&e->filter.json);
}

static void on_warning(void *ctx, const char *code, const char *message)
{
	struct engine *e = ctx;

	output_warn(e->out, code, message);
}

static int open_output(struct engine *e, struct err *err)
{
	const struct output_conf *o = e->conf.output;
	bool many = e->conf.interval_ns && e->conf.count != 1;
	int ret;

	e->render.top = o->top;
	e->render.color = (enum color_when)o->color;
	e->render.timestamp = e->conf.timestamp;
	ret = output_open(&e->out, output_stdout_format(o), o->format, o->files.v.items,
			  o->files.v.n, many, e->kinds, &e->render, err);
	if (!ret)
		log_on_warn(on_warning, e);
	return ret;
}

static int watch_child(struct engine *e, struct err *err)
{
	return e->child.pid ? filter_add_process(&e->filter, e->obj, (u32)e->child.pid, err) : 0;
}

static int load(struct engine *e, struct err *err)
{
	int ret = e->ops->load(e->ctx, err) ?: filter_fill(&e->filter, e->obj, err);

	if (!ret && e->ops->counts_held)
		ret = watch_child(e, err);
	if (ret || !e->conf.output->cost)
		return ret;
	e->stats_fd = prog_stats_enable(err);
	return e->stats_fd < 0 ? e->stats_fd : 0;
}

/* Returns after the first step during which a signal asked bperf to end. */
static int prepare(struct engine *e, int argc, char **argv, struct err *err)
{
	int ret = caps_check(err) ?: filter_build(&e->filter, e->conf.target, err) ?:
		  open_session(e, err) ?: engine_open_symbolizer(e, err);

	if (ret || stop_is_asked())
		return ret;
	/* The fork was before events of processes are recorded. */
	if (e->child.pid)
		symbolizer_on_fork(e->sym, (u32)e->child.pid, (u32)getpid());
	describe_run(e, argc, argv);
	if (e->ops->plan)
		ret = e->ops->plan(e->ctx, err);
	if (ret || stop_is_asked())
		return ret;
	ret = open_output(e, err);
	if (ret)
		return ret;
	caps_warn();
	return load(e, err);
}

/* If the run ends before this, the program never starts. */
static int let_go(struct engine *e, struct err *err)
{
	int ret;

	if (stop_is_asked() || !e->child.pid)
		return 0;
	ret = child_wake(&e->child, err);
	if (!ret && !e->ops->counts_held)
		ret = watch_child(e, err);
	if (ret || stop_is_asked())
		return ret;
	return child_go(&e->child, err);
}

static int go_live(struct engine *e, struct err *err)
{
	int ret;

	e->info.run.monotonic_ns = now_ns();
	e->info.run.realtime_ns = clock_ns(CLOCK_REALTIME);
	ret = output_begin(e->out, &e->info.run, err);
	if (ret)
		return ret;
	session_start(&e->session);
	if (e->ops->begin)
		e->ops->begin(e->ctx, e->session.start_ns);
	ret = let_go(e, err);
	if (!ret && e->ops->settle)
		ret = e->ops->settle(e->ctx, err);
	e->is_begun = !ret;
	return ret;
}

/* ---- the banner --------------------------------------------------------------------------- */

static void name_target(const struct target *t, char *out, size_t size)
{
	bool has_filter =
		t->cgroups.v.n || t->comms.v.n || t->uids.v.n || t->cgroupmap || t->mntnsmap;

	if (t->program)
		snprintf(out, size, "%s and its children", t->program[0]);
	else if (t->pids.v.n)
		snprintf(out, size, "%zu process%s", t->pids.v.n, t->pids.v.n > 1 ? "es" : "");
	else if (t->tids.v.n)
		snprintf(out, size, "%zu thread%s", t->tids.v.n, t->tids.v.n > 1 ? "s" : "");
	else if (has_filter)
		snprintf(out, size, "the threads that match");
	else if (t->cpus.v.n)
		snprintf(out, size, "%zu CPU%s", t->cpus.v.n, t->cpus.v.n > 1 ? "s" : "");
	else
		snprintf(out, size, "all CPUs");
}

/* For a person at a terminal; a script's log does not need it. */
static void say_banner(struct engine *e)
{
	const struct engine_conf *conf = &e->conf;
	double seconds = (double)conf->interval_ns / (double)NS_PER_SEC;
	char doing[128], target[128], span[64] = "";

	if (!isatty(STDERR_FILENO))
		return;
	e->ops->describe(e->ctx, doing, sizeof(doing));
	name_target(conf->target, target, sizeof(target));
	if (conf->interval_ns && conf->count == 1)
		snprintf(span, sizeof(span), ", %g s", seconds);
	else if (conf->interval_ns)
		snprintf(span, sizeof(span), ", a report each %g s", seconds);
	log_note("%s: %s%s, Ctrl-C to end.", doing, target, span);
}

/* ---- the end ------------------------------------------------------------------------------ */

static void say_why(const struct engine *e, enum session_stop why)
{
	if (why == STOP_TARGETS_EXIT)
		log_note("The watched processes have ended.");
	if (why == STOP_CHILD_EXIT)
		log_info("%s has ended", e->child.name);
}

/* A loss that the kernel does not count may be 0: --strict only warns of it. */
static void check_losses(const struct output *out, const struct run_end *end, struct err *err)
{
	if (ledger_total(&end->ledger) || output_has_left(out))
		err_set(err, ERR_FAIL, "--strict: something was lost");
	for (size_t i = 0; i < end->n_probes; i++)
		if (end->probes[i].missed == LOST_UNKNOWN)
			log_warn("losses-unknown",
				 "--strict: the kernel doesn't count what it skips of %s",
				 end->probes[i].name);
	if (!end->n_probes && end->ledger.lost[LOST_missed] == LOST_UNKNOWN)
		log_warn("losses-unknown", "--strict: the kernel doesn't count what it skips");
}

/* The time (ns) that this thread has waited for a CPU since it began; 0 if the kernel doesn't say:
 * the second number of schedstat. */
static u64 waited_for_cpu(void)
{
	_cleanup_(str_release) struct str text = { 0 };
	struct view rest, number;
	u64 ns = 0;

	if (file_read("/proc/thread-self/schedstat", 256, &text))
		return 0;
	rest = str_view(&text);
	view_split(&rest, ' ', &number);
	view_split(&rest, ' ', &number);
	return num_parse_dec(number, &ns) ? ns : 0;
}

/* A run ends when this process runs again, which on a host full of real-time threads is late. */
#define LATE_NS (200 * NS_PER_MS)

static void warn_if_late(const struct engine *e, u64 elapsed_ns)
{
	u64 planned = e->info.run.interval_ns * e->info.run.count;

	if (!planned || elapsed_ns < planned + planned / 10 + LATE_NS)
		return;
	log_warn("late", "the run took %.3f s instead of %.3f s%s",
		 (double)elapsed_ns / (double)NS_PER_SEC, (double)planned / (double)NS_PER_SEC,
		 waited_for_cpu() > (elapsed_ns - planned) / 2
			 ? ", because bperf waited for a CPU (a real-time priority helps: chrt -f "
			   "50 bperf ...)"
			 : "");
}

static int finish(struct engine *e, enum session_stop why, struct err *err)
{
	struct run_end end = {
		.reason = session_stop_name(why),
		.elapsed_ns =
			e->session.start_ns ? e->session.window.end_ns - e->session.start_ns : 0,
		.intervals = e->n_windows,
	};
	int ret;

	warn_if_late(e, end.elapsed_ns);
	runinfo_cost(e->sym, e->obj, &end.ledger);
	ret = e->ops->end(e->ctx, &end, err);
	if (ret)
		return ret;
	end.ledger.lost[LOST_ring_full] += e->n_unread;
	if (e->conf.output->strict)
		check_losses(e->out, &end, err);
	return output_end(e->out, &e->info.run, &end, err);
}

static int close_output(struct engine *e, struct err *err)
{
	struct output *out = e->out;
	bool is_broken;

	log_on_warn(NULL, NULL);
	e->out = NULL;
	return output_close(out, &is_broken, err);
}

static int run(struct engine *e, int *status, struct err *err)
{
	enum session_stop why = STOP_ERROR;
	int ret = go_live(e, err), failed;

	if (!ret) {
		say_banner(e);
		log_info("tracing after %.1f ms",
			 (double)(now_ns() - e->made_ns) / (double)NS_PER_MS);
		ret = session_run(&e->session, &why, err);
	}
	/* As Ctrl-C does: it would lose its terminal otherwise. */
	if (why == STOP_SIGINT && e->conf.output->live && e->child.pid)
		kill(e->child.pid, SIGINT);
	e->session.window.end_ns = e->session.window.end_ns ?: now_ns();
	e->ops->detach(e->ctx);
	e->is_detached = true;
	e->detached_ns = now_ns();
	log_progress_end();
	stop_collection_is_over();
	say_why(e, why);
	if (e->is_begun && !output_is_broken(e->out))
		ret = make_report(e, &e->session.window, err) ?: ret;
	failed = finish(e, ret || err->code ? STOP_ERROR : why, err);
	failed = close_output(e, err) ?: failed;
	ret = ret ?: failed;
	if (!ret && err->code) /* --strict */
		ret = -err->code;
	/* After Ctrl-C the program's status is not known: bperf stopped watching it. */
	*status = why == STOP_CHILD_EXIT ? child_status(&e->child) : 0;
	return ret;
}

/* An error that was caused by the signal (an interrupted call) is not reported. */
static int stop_at_start(struct err *err)
{
	err_clear(err);
	log_note("Ended by a signal before anything was attached.");
	return 0;
}

int engine_run(struct engine *e, int argc, char **argv, int *status, struct err *err)
{
	int ret = prepare(e, argc, argv, err) ?: mem_limit_begin(err);

	if (stop_is_asked())
		return stop_at_start(err);
	if (ret)
		return ret;
	/* Attaching may take long, and attached programs must be detached again. */
	stop_start_is_over();
	return e->ops->attach(e->ctx, err) ?: run(e, status, err);
}

void engine_release(struct engine *e)
{
	struct err ignored = { 0 };

	if (e->out)
		close_output(e, &ignored);
	rings_release(&e->rings);
	perfev_release(&e->perf);
	if (e->sym)
		symbolizer_free(e->sym);
	ksyms_release(&e->ksyms);
	session_release(&e->session);
	child_release(&e->child);
	filter_release(&e->filter);
	runinfo_release(&e->info);
	close_p(&e->stats_fd);
	free(e->debug_dirs);
}
