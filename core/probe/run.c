// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "probe/run.h"

#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memlimit.h"
#include "base/stop.h"
#include "host/caps.h"
#include "run/prog.h"
#include "run/sideband.h"

/* When side-band records are this old, all earlier ones have arrived. */
#define SIDE_SETTLED_NS (100 * NS_PER_MS)
/* For commands that send nothing through the ring. */
#define RING_BYTES	4096

/* ---- the loop ----------------------------------------------------------------------------- */

void proberun_apply_side(void *ctx, u64 time_ns)
{
	struct proberun *r = ctx;

	side_apply(&r->perf, r->sym, time_ns);
}

int proberun_open_rings(const struct probes *p, struct rings *out, ring_take_fn take, void *ctx,
			struct err *err)
{
	int ret = rings_init(out, take, ctx, err);

	for (size_t i = 0; i < p->rings.n && !ret; i++)
		ret = rings_add(out, p->rings.items[i], err);
	if (!ret && !p->n_rings)
		ret = rings_add(out, bpf_object__find_map_fd_by_name(p->obj, "events"), err);
	return ret;
}

static void on_ready(void *ctx, int tag)
{
	struct proberun *r = ctx;

	if (r->ops->on_ready)
		r->ops->on_ready(r->ctx, tag);
}

static void on_tick(void *ctx, u64 now)
{
	struct proberun *r = ctx;
	struct err later = { 0 }; /* an error of a sink is reported again at the end */

	attach_ahead_end(&r->ahead);
	if (r->ops->on_tick)
		r->ops->on_tick(r->ctx, now);
	probes_follow(&r->probes, now);
	proberun_apply_side(r, now - SIDE_SETTLED_NS);
	symbolizer_settle(r->sym, now);
	perfev_follow_hotplug(&r->perf);
	output_flush(r->out, &later);
}

static void on_progress(void *ctx, u64 elapsed_ns)
{
	(void)ctx;
	(void)elapsed_ns;
}

static int on_report(void *ctx, struct session_window *w, struct err *err)
{
	struct proberun *r = ctx;

	return r->ops->report(r->ctx, w, false, err);
}

static bool is_done(void *ctx)
{
	struct proberun *r = ctx;

	return output_is_broken(r->out) || (r->ops->is_done && r->ops->is_done(r->ctx));
}

static bool is_output_full(void *ctx)
{
	const struct proberun *r = ctx;

	return output_is_full(r->out);
}

static const struct session_ops session_ops = {
	.on_ready = on_ready,
	.on_tick = on_tick,
	.on_progress = on_progress,
	.on_report = on_report,
	.is_output_full = is_output_full,
	.is_output_gone = is_done,
};

static void add_losses(struct proberun *r, struct report *out)
{
	_cleanup_(free_p) struct event_probe *counts = mem_alloc(r->probes.v.n, sizeof(*counts));
	struct ledger now = { 0 };
	struct err later = { 0 }; /* the ledger at the end fails for the same reason */

	if (probes_ledger(&r->probes, counts, &now, &later))
		return;
	ledger_lost_since(&now, &r->reported, &out->ledger);
	if (!out->is_snapshot)
		r->reported = now;
}

struct report proberun_report(struct proberun *r, const struct session_window *w)
{
	struct report report = {
		.run = &r->info.run,
		.interval = w->index,
		.start_ns = w->index ? w->start_ns - r->live_ns : 0,
		.end_ns = w->end_ns - r->live_ns,
		.is_snapshot = w->is_snapshot,
	};

	add_losses(r, &report);
	return report;
}

/* ---- before the loop ---------------------------------------------------------------------- */

static int compile(struct proberun *r, struct err *err)
{
	const struct proberun_conf *conf = r->conf;
	const struct symbolizer_opts names = {
		.names = (enum names_style)conf->output.names,
		.keep_addresses = true,
		.debug_dirs = r->debug_dirs,
	};
	const struct probes_opts opts = {
		.btf = conf->btf,
		.method = conf->method,
		.tgid = conf->target.pids.v.n ? conf->target.pids.v.items[0] : 0,
		.string_size = conf->string_size,
		.is_offline = conf->dump != NULL,
		.ring_bytes = RING_BYTES,
		.max_spans = conf->max_spans,
		.program_tgid = (u32)r->child.pid,
		.filter = &r->filter,
		.cpus = &conf->target.cpus,
	};

	int ret = symbolizer_new(&r->sym, &names, err) ?: probes_init(&r->probes, &opts, err) ?:
		  r->ops->add(r->ctx, err);

	if (ret)
		return ret;
	/* The helper is a process of ours, which probes in the kernel would see. */
	if (!conf->dump && !conf->dry_run && probes_are_user(&r->probes))
		attach_ahead_begin(&r->ahead);
	return probes_plan(&r->probes, err) ?: r->ops->bind(r->ctx, err);
}

/* --dump and --dry-run: the result is text about the probes. */
static int print_plan(struct proberun *r, struct err *err)
{
	_cleanup_(str_release) struct str text = { 0 };
	int ret = 0;

	if (r->conf->dump)
		ret = probes_load(&r->probes, err)
			      ?: probes_dump(&r->probes, r->conf->dump, &text, err);
	else
		probes_print_plan(&r->probes, &text);
	if (!ret)
		fwrite(str_text(&text), 1, text.n, stdout);
	return ret;
}

static void describe(struct proberun *r, int argc, char **argv)
{
	struct run_info *run = &r->info.run;

	runinfo_fill(&r->info);
	run->argc = argc;
	run->argv = argv;
	run->version = BPERF_VERSION;
	run->interval_ns = r->conf->interval_ns;
	run->count = r->conf->count;
	run->filter = str_text(&r->filter.json);
}

static void on_warning(void *ctx, const char *code, const char *message)
{
	output_warn(((struct proberun *)ctx)->out, code, message);
}

static int open_output(struct proberun *r, struct err *err)
{
	const struct output_conf *o = &r->conf->output;
	bool many = r->conf->interval_ns && r->conf->count != 1;
	int ret;

	r->render.top = o->top;
	r->render.color = (enum color_when)o->color;
	r->render.timestamp = r->conf->timestamp;
	ret = output_open(&r->out, output_stdout_format(o), o->format, o->files.v.items,
			  o->files.v.n, many, r->kind, &r->render, err);
	if (!ret)
		log_on_warn(on_warning, r);
	return ret;
}

/* From here on signals are counted; the child, which is forked before, has the default handlers. */
static int open_session(struct proberun *r, struct err *err)
{
	const struct target *target = &r->conf->target;
	int ret = 0;

	if (target->program)
		ret = child_start(&r->child, target->program, target->as_root, err);
	if (!ret)
		ret = session_init(&r->session, &session_ops, r, target, err);
	r->session.child = &r->child;
	r->session.interval_ns = r->conf->interval_ns;
	r->session.count = r->conf->count;
	return ret;
}

static int load(struct proberun *r, struct err *err)
{
	int ret = probes_load(&r->probes, err) ?: filter_fill(&r->filter, r->probes.obj, err);

	if (!ret && r->ops->open)
		ret = r->ops->open(r->ctx, err);
	if (!ret && r->conf->output.cost) {
		r->stats_fd = prog_stats_enable(err);
		ret = r->stats_fd < 0 ? r->stats_fd : 0;
	}
	return ret;
}

/* A program that was not released before the run ends never starts.  The child's calls before its
 * exec are bperf's, and must not be counted for the program. */
static int let_go(struct proberun *r, struct err *err)
{
	int ret = 0;

	if (stop_is_asked() || !r->child.pid)
		return 0;
	ret = child_wake(&r->child, err)
		      ?: filter_add_process(&r->filter, r->probes.obj, (u32)r->child.pid, err);
	if (ret || stop_is_asked())
		return ret;
	return child_go(&r->child, err);
}

static int go_live(struct proberun *r, struct err *err)
{
	int ret;

	if (r->wants_mappings)
		perfev_listen(&r->perf);
	r->info.run.monotonic_ns = now_ns();
	r->info.run.realtime_ns = clock_ns(CLOCK_REALTIME);
	ret = output_begin(r->out, &r->info.run, err)
		      ?: probes_attach(&r->probes, stop_is_asked, err);
	if (ret)
		return ret;
	probes_begin(&r->probes);
	r->live_ns = now_ns();
	return let_go(r, err);
}

/* For interactive use. */
static void banner(const struct proberun *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->probes.v.n; i++)
		n += r->probes.v.items[i]->plan.sites.n;
	if (isatty(STDERR_FILENO))
		log_note("%s %zu site%s, Ctrl-C to end.", r->ops->doing, n, n == 1 ? "" : "s");
	log_info("tracing after %.1f ms", (double)(now_ns() - r->begin_ns) / (double)NS_PER_MS);
}

/* ---- the end ------------------------------------------------------------------------------- */

/* Uncountable losses are not losses: with --strict, the user is told. */
static void check_losses(const struct proberun *r, const struct ledger *l, struct err *err)
{
	if (ledger_total(l))
		err_set(err, ERR_FAIL, "--strict: something was lost");
	for (u32 i = 0; i < r->probes.v.n; i++)
		if (r->counts[i].missed == LOST_UNKNOWN)
			log_warn("losses-unknown",
				 "--strict: the kernel doesn't count what it skips of %s",
				 r->counts[i].name);
}

static int finish(struct proberun *r, enum session_stop why, struct err *err)
{
	bool was_done = why == STOP_OUTPUT_GONE && !output_is_broken(r->out);
	struct run_end end = {
		.reason = session_stop_name(was_done ? STOP_DONE : why),
		.elapsed_ns = r->session.window.end_ns - r->live_ns,
		.intervals = r->session.window.index + 1,
		.n_probes = r->probes.v.n,
	};
	int ret;

	r->counts = mem_alloc(r->probes.v.n, sizeof(*r->counts));
	ret = probes_ledger(&r->probes, r->counts, &end.ledger, err);
	if (ret)
		return ret;
	if (r->ops->end)
		r->ops->end(r->ctx, r->counts, &end);
	end.probes = r->counts;
	runinfo_cost(r->sym, r->probes.obj, &end.ledger);
	if (r->stats_fd >= 0)
		end.ledger.cost.bpf_ns = probes_runs(&r->probes).ns;
	end.is_complete = ledger_is_clean(&end.ledger);
	probes_say_ledger(r->counts, r->probes.v.n);
	if (r->conf->output.strict)
		check_losses(r, &end.ledger, err);
	return output_end(r->out, &r->info.run, &end, err);
}

static int run(struct proberun *r, int *status, struct err *err)
{
	enum session_stop why = STOP_ERROR;
	bool is_broken;
	int ret, failed;

	ret = mem_limit_begin(err);
	if (ret)
		return ret;
	stop_start_is_over();
	ret = go_live(r, err);
	if (ret)
		return ret;
	banner(r);
	session_start(&r->session);
	ret = session_run(&r->session, &why, err);
	attach_ahead_end(&r->ahead);
	probes_end(&r->probes);
	probes_disable(&r->probes);
	log_progress_end();
	stop_collection_is_over();
	if (why == STOP_TARGETS_EXIT)
		log_note("The watched processes have ended.");
	if (!output_is_broken(r->out))
		ret = ret ?: r->ops->report(r->ctx, &r->session.window, true, err);
	failed = finish(r, ret ? STOP_ERROR : why, err);
	log_on_warn(NULL, NULL);
	failed = output_close(r->out, &is_broken, err) ?: failed;
	r->out = NULL;
	ret = ret ?: failed;
	if (!ret && err->code) /* --strict */
		ret = -err->code;
	*status = why == STOP_CHILD_EXIT ? child_status(&r->child) : 0;
	return ret;
}

/* An error that the signal caused (an interrupted call) is not reported. */
static int stop_at_start(struct err *err)
{
	err_clear(err);
	log_note("Ended by a signal before anything was attached.");
	return 0;
}

/* Before our own probes are attached: remove those that a killed bperf has left in tracefs. */
static void remove_stale(void)
{
	u32 n = attach_remove_stale();

	if (n)
		log_info("removed %u event%s of a bperf that was killed", n, n == 1 ? "" : "s");
}

static int run_live(struct proberun *r, int argc, char **argv, int *status, struct err *err)
{
	int ret = open_session(r, err) ?: compile(r, err);

	if (stop_is_asked())
		return stop_at_start(err);
	if (ret)
		return ret;
	caps_warn();
	probes_warn(&r->probes);
	describe(r, argc, argv);
	ret = open_output(r, err) ?: load(r, err);
	if (stop_is_asked())
		return stop_at_start(err);
	return ret ?: run(r, status, err);
}

int proberun_run(struct proberun *r, int argc, char **argv, int *status, struct err *err)
{
	const struct proberun_conf *conf = r->conf;

	r->begin_ns = now_ns();
	r->debug_dirs = opt_strings_list(&conf->debug_dirs, "/usr/lib/debug");
	r->child = (struct child)CHILD_NONE;
	r->session = (struct session){ .epoll_fd = -1 };
	r->stats_fd = -1;
	prog_setup();
	if (conf->dump || conf->dry_run)
		return filter_build(&r->filter, &conf->target, err) ?: compile(r, err) ?:
		       print_plan(r, err);
	remove_stale();
	return caps_check(err) ?: filter_build(&r->filter, &conf->target, err) ?:
	       run_live(r, argc, argv, status, err);
}

void proberun_release(struct proberun *r)
{
	struct err ignored = { 0 };
	bool is_broken;

	log_on_warn(NULL, NULL);
	if (r->out)
		output_close(r->out, &is_broken, &ignored);
	perfev_release(&r->perf);
	probes_release(&r->probes);
	if (r->live_ns)
		attach_ahead_wait(&r->ahead);
	if (r->sym)
		symbolizer_free(r->sym);
	session_release(&r->session);
	child_release(&r->child);
	filter_release(&r->filter);
	runinfo_release(&r->info);
	close_p(&r->stats_fd);
	free(r->debug_dirs);
	free(r->counts);
}
