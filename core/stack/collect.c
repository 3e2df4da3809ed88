// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stack/collect.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memlimit.h"
#include "base/stop.h"
#include "bpf/abi/lost.h"
#include "host/btf.h"
#include "host/caps.h"
#include "host/cgroup.h"
#include "run/prog.h"
#include "run/sideband.h"
#include "stack/cutsay.h"

/* Side-band records older than this are applied at ticks: all stacks before them have been read. */
#define SIDE_SETTLED_NS	   (20 * NS_PER_MS)
/* Signals, ticks and the end of the window are checked between two passes over the ring. */
#define PASS_NS		   (50 * NS_PER_MS)
#define REPORT_DRAIN_NS	   (500 * NS_PER_MS)
/* Time limits for finding names for a report during the run: for the first round in CPU time, since
 * a busy host may give little of it per second; and for all rounds in wall time. */
#define NAMING_CPU_NS	   (50 * NS_PER_MS)
#define NAMING_MAX_NS	   (2 * NS_PER_SEC)
#define RING_BYTES_PER_CPU (128 * 1024)
#define RING_BYTES_MIN	   (512 * 1024)
#define RING_BYTES_MAX	   (16 * 1024 * 1024)

/* ---- opening ----------------------------------------------------------------------------- */

static void on_warning(void *ctx, const char *code, const char *message)
{
	struct collect *c = ctx;

	output_warn(c->out, code, message);
}

static int open_output(struct collect *c, struct err *err)
{
	const struct output_conf *o = &c->conf->output;
	const struct render_opts opts = {
		.top = o->top,
		.delimited = c->conf->delimited,
		.annotate = c->conf->annotate,
		.addresses = c->conf->addresses,
		.offsets = c->conf->offsets,
		.inverted = o->icicle,
		.timestamp = c->conf->timestamp,
		.color = (enum color_when)o->color,
		.unit = output_units[o->unit],
	};
	bool many = c->conf->interval_ns && c->conf->count != 1;
	enum report_kind kind = c->conf->functions ? REPORT_FUNCS : c->conf->kind;

	return output_open(&c->out, output_stdout_format(o), o->format, o->files.v.items,
			   o->files.v.n, many, kind, &opts, err);
}

static int open_symbolizer(struct collect *c, struct err *err)
{
	struct symbolizer_opts opts = {
		.proc_root = "/proc",
		.names = (enum names_style)c->conf->output.names,
		.keep_addresses = c->conf->addresses,
	};
	int ret;

	opts.debug_dirs = c->debug_dirs = opt_strings_list(&c->conf->debug_dirs, "/usr/lib/debug");
	ret = symbolizer_new(&c->sym, &opts, err);
	if (ret)
		return ret;
	store_init(&c->store, c->sym, (u32)c->conf->max_stacks, c->conf->addresses);
	c->store.max_ids = 2 * (u32)c->conf->max_counts;
	return 0;
}

static void on_ready(void *ctx, int tag);
static void on_tick(void *ctx, u64 now);
static void on_progress(void *ctx, u64 elapsed_ns);
static int on_report(void *ctx, struct session_window *w, struct err *err);
static bool is_output_gone(void *ctx);
static bool is_output_full(void *ctx);

static const struct session_ops session_ops = {
	.on_ready = on_ready,
	.on_tick = on_tick,
	.on_progress = on_progress,
	.on_report = on_report,
	.is_output_full = is_output_full,
	.is_output_gone = is_output_gone,
};

int collect_open(struct collect *c, const struct collect_conf *conf, struct err *err)
{
	int ret;

	*c = (struct collect){ .conf = conf, .child = CHILD_NONE, .stats_fd = -1 };
	prog_setup();
	ret = caps_check(err) ?: filter_build(&c->filter, &conf->target, err) ?:
	      open_output(c, err) ?: open_symbolizer(c, err);
	if (ret)
		return ret;
	log_on_warn(on_warning, c);
	caps_warn();
	runinfo_fill(&c->info);
	c->max_frames = runinfo_max_frames(&c->info);
	/* Fork before signals are caught: the program handles its own signals. */
	if (conf->target.program)
		ret = child_start(&c->child, conf->target.program, conf->target.as_root, err);
	if (ret)
		return ret;
	ret = session_init(&c->session, &session_ops, c, &conf->target, err);
	c->session.child = &c->child;
	c->session.interval_ns = conf->interval_ns;
	c->session.count = conf->count;
	return ret;
}

static u64 ring_bytes(u32 n_cpus, u64 at_least)
{
	u64 want = (u64)n_cpus * RING_BYTES_PER_CPU, bytes = RING_BYTES_MIN;

	if (want < at_least)
		want = at_least;

	while (bytes < want && bytes < RING_BYTES_MAX)
		bytes *= 2;
	return bytes;
}

int collect_set_max(struct bpf_object *obj, const char *name, u64 n, struct err *err)
{
	struct bpf_map *map = bpf_object__find_map_by_name(obj, name);
	int ret = map ? bpf_map__set_max_entries(map, (u32)n) : -ENOENT;

	return ret ? err_errno(err, -ret, "cannot size the table %s", name) : 0;
}

/* Only the kernel side sees rodata as const. */
#define WRITE(field, value) (*(__typeof__(value) *)(uintptr_t)(field) = (value))

int collect_prepare(struct collect *c, struct bpf_object *obj, const struct collect_rodata *ro,
		    struct err *err)
{
	u64 ring = ring_bytes(c->info.run.cpus_online, ro->ring_bytes), seed[2];

	if (getrandom(seed, sizeof(seed), 0) != sizeof(seed))
		return err_errno(err, errno, "cannot get random numbers");
	/* libbpf reads the types again if a program is typed. */
	kernel_types_release();
	WRITE(ro->filter, c->filter.conf);
	WRITE(ro->filter_comm, c->filter.comm);
	WRITE(&ro->stack_seed[0], seed[0]);
	WRITE(&ro->stack_seed[1], seed[1]);
	WRITE(ro->stack_max_frames, c->max_frames);
	WRITE(ro->stack_ring_wake, ring / 4);
	return filter_prepare(&c->filter, obj, err) ?: collect_set_max(obj, "stacks", ring, err);
}

static bool on_record(void *ctx, const void *data, size_t size);

int collect_load(struct collect *c, const struct collect_kernel *kernel, struct err *err)
{
	int ret;

	c->kernel = *kernel;
	c->renewal.generation = kernel->generation;
	ret = filter_fill(&c->filter, kernel->obj, err);
	if (!ret && c->child.pid)
		ret = filter_add_process(&c->filter, kernel->obj, (u32)c->child.pid, err);
	if (ret)
		return ret;
	if (c->conf->output.cost) {
		c->stats_fd = prog_stats_enable(err);
		if (c->stats_fd < 0)
			return c->stats_fd;
	}
	return rings_init(&c->rings, on_record, c, err)
		       ?: rings_add(&c->rings,
				    bpf_object__find_map_fd_by_name(kernel->obj, "stacks"), err)
		       ?: session_watch(&c->session, rings_fd(&c->rings), 0, err);
}

/* ---- draining ---------------------------------------------------------------------------- */

static void apply_side_until(struct collect *c, u64 time_ns)
{
	side_apply(&c->perf, c->sym, time_ns);
}

bool collect_raw_stack(const struct collect *c, const struct stack_record *rec, size_t size,
		       struct raw_stack *out)
{
	if (size < STACK_HEADER_BYTES + 8 * STACK_FIXED_WORDS ||
	    size < STACK_HEADER_BYTES + 8 * ((size_t)STACK_FIXED_WORDS + rec->n_kernel +
					     rec->n_user + rec->n_more))
		return false;
	*out = (struct raw_stack){
		.id = { rec->id.hash[0], rec->id.hash[1] },
		.tgid = rec->tgid,
		.tid = rec->tid,
		.cpu = rec->cpu,
		.generation = rec->generation,
		.cgroup = rec->cgroup,
		.start_time = rec->start_time,
		.kernel = (const u64 *)rec->frames,
		.user = (const u64 *)rec->frames + rec->n_kernel,
		.n_kernel = rec->n_kernel,
		.n_user = rec->n_user,
		.max_frames = c->max_frames,
		.is_user_missing = rec->flags & STACK_USER_FAULT,
		.is_interrupt = rec->flags & STACK_INTERRUPT,
		.is_iowait = rec->flags & STACK_IOWAIT,
		.is_running = rec->flags & STACK_RUNNING,
		.note = rec->flags & STACK_NEW ? "[new thread]" : NULL,
	};
	memcpy(out->comm, rec->comm, sizeof(out->comm));
	return true;
}

/* Our own program writes the records, but a short one must not be read beyond its end. */
static bool on_record(void *ctx, const void *data, size_t size)
{
	const struct stack_record *rec = data;
	struct collect *c = ctx;

	if (size < STACK_HEADER_BYTES)
		return true;
	apply_side_until(c, rec->time_ns);
	c->source->take(c->source_ctx, rec, size);
	return true;
}

/* Read the side band first: it tells what the addresses in the ring meant. */
static bool drain_pass(struct collect *c)
{
	perfev_read_side(&c->perf);
	return rings_read(&c->rings, now_ns() + PASS_NS);
}

void collect_drain(struct collect *c)
{
	while (!drain_pass(c) && !*stop_impatience())
		if (!c->is_detached && now_ns() >= c->drain_until_ns)
			return;
	if (c->is_detached && *stop_impatience())
		c->n_unread += rings_skip(&c->rings);
}

static void on_ready(void *ctx, int tag)
{
	(void)tag;
	drain_pass(ctx);
}

static void on_tick(void *ctx, u64 now)
{
	struct collect *c = ctx;
	struct err later = { 0 }; /* output_end() reports a failed sink again */

	drain_pass(c);
	apply_side_until(c, now - SIDE_SETTLED_NS);
	renewal_tick(&c->renewal, c->sym, now);
	symbolizer_settle(c->sym, now);
	perfev_follow_hotplug(&c->perf);
	output_flush(c->out, &later);
}

static bool is_output_gone(void *ctx)
{
	const struct collect *c = ctx;

	return output_is_broken(c->out);
}

static bool is_output_full(void *ctx)
{
	const struct collect *c = ctx;

	return output_is_full(c->out);
}

static u64 lost_total(const struct collect *c)
{
	u64 sum = 0;

	for (u32 i = 0; i < BPF_LOST_N; i++)
		sum += c->kernel.lost[i];
	return sum;
}

static void on_progress(void *ctx, u64 elapsed_ns)
{
	struct collect *c = ctx;
	double elapsed = (double)elapsed_ns / 1e9;
	char span[64] = "";

	if (c->conf->interval_ns && c->conf->count == 1)
		snprintf(span, sizeof(span), "/%g", (double)c->conf->interval_ns / 1e9);
	log_progress("%.1f%s s  %llu %s  %zu stacks  %llu lost", elapsed, span,
		     c->source->taken(c->source_ctx),
		     c->info.run.unit == UNIT_NS ? "waits" : c->info.run.value_name,
		     c->store.entries.n, lost_total(c));
}

/* ---- the ledger -------------------------------------------------------------------------- */

/* Totals since the start of the run. */
static void read_ledger(struct collect *c, struct ledger *l)
{
	*l = (struct ledger){
		.stacks = c->reported.stacks,
		.symbols.no_unwind_info = c->reported.symbols.no_unwind_info,
	};
	l->lost[LOST_ring_full] = c->kernel.lost[BPF_LOST_RING_FULL] + c->n_unread;
	l->lost[LOST_map_full] = c->kernel.lost[BPF_LOST_MAP_FULL];
	l->lost[LOST_stack_fault] = c->kernel.lost[BPF_LOST_STACK_FAULT];
	l->lost[LOST_stack_wrong] = c->kernel.lost[BPF_LOST_STACK_WRONG];
	l->lost[LOST_recursion] = c->kernel.lost[BPF_LOST_RECURSION];
	l->lost[LOST_stack_full] =
		c->store.n_full + c->n_unknown + c->store.n_folded + c->store.n_folded_now;
	l->lost[LOST_throttled] = c->perf.throttled;
	l->lost[LOST_missed] = LOST_UNKNOWN;
	if (c->kernel.misses_are_counted)
		l->lost[LOST_missed] = prog_recursion_misses(c->kernel.obj) +
				       c->kernel.lost[BPF_LOST_MISSED] + c->n_missed;
	runinfo_cost(c->sym, c->kernel.obj, l);
	if (c->stats_fd >= 0)
		prog_run_stats(c->kernel.obj, &l->cost.bpf_runs, &l->cost.bpf_ns);
}

/* The losses of one window: the growth since the last report. */
static void lost_since(const struct ledger *now, const struct ledger *before, struct ledger *out)
{
	out->symbols = now->symbols;
	out->cost = now->cost;
	ledger_lost_since(now, before, out);
}

/* ---- reports ----------------------------------------------------------------------------- */

static const char *name_cgroup(void *ctx, u64 id)
{
	struct collect *c = ctx;
	_cleanup_(free_p) char *path = cgroup_path(id);

	return path ? intern(&c->info.strings, path) : NULL;
}

static void say_hint(const char *code, const char *text)
{
	log_warn(code, "%s", text);
}

static void shape(struct collect *c, struct report *r)
{
	if (c->conf->callers && !report_callers(r, c->conf->callers))
		log_warn("no-such-function", "no stack of this report calls '%s'",
			 c->conf->callers);
	if (c->conf->functions)
		report_functions(r);
}

/*
 * The next window is already being counted, and ends when it is due: names that are not found by
 * then are missing from this report, and are looked for again for the next.  The ring is read
 * between two rounds.  Rounds get longer, because a file that takes longer than one is begun again
 * in the next.
 */
static bool name_frames(struct collect *c, const struct session_window *w)
{
	struct sym_budget budget = { .stop = stop_impatience() };
	u64 now = now_ns(), until;
	bool is_done;

	if (c->is_detached)
		return symbolizer_resolve(c->sym, &budget);
	budget.cpu_ns = NAMING_CPU_NS;
	until = w->is_snapshot ? w->due_ns : w->next_due_ns;
	if (until > now + NAMING_MAX_NS)
		until = now + NAMING_MAX_NS;
	budget.deadline_ns = until;
	do {
		is_done = symbolizer_resolve(c->sym, &budget);
		drain_pass(c);
		budget.cpu_ns *= 2;
	} while (!is_done && now_ns() < until && !stop_is_asked());
	return is_done;
}

static void say_unnamed(struct collect *c)
{
	if (!c->is_unnamed_said && !*stop_impatience())
		log_warn("names-late", "there was no time to find all names: the missing ones are "
				       "module+offset in this report");
	c->is_unnamed_said = true;
}

/* The kernel side has switched to the next window, or is detached. */
static int make_report(struct collect *c, const struct session_window *w, struct err *err)
{
	struct cuts cuts;
	struct ledger now;
	struct report report = {
		.run = &c->info.run,
		.interval = w->index,
		.start_ns = w->start_ns - c->info.run.monotonic_ns,
		.end_ns = w->end_ns - c->info.run.monotonic_ns,
		.is_snapshot = w->is_snapshot,
	};
	const struct store_view view = {
		.by = (enum group_by)c->conf->by,
		.is_snapshot = w->is_snapshot,
		.is_last = c->is_detached,
		.window = w->index,
		.cgroup_name = name_cgroup,
		.ctx = c,
	};
	int ret;

	c->drain_until_ns = now_ns() + REPORT_DRAIN_NS;
	collect_drain(c);
	ret = c->source->read(c->source_ctx, w, c->is_detached, err);
	if (ret)
		return ret;
	apply_side_until(c, UINT64_MAX);
	if (!name_frames(c, w))
		say_unnamed(c);
	symbolizer_hints(c->sym, say_hint);
	c->source->report(c->source_ctx, &view, &report);
	read_ledger(c, &now);
	lost_since(&now, &c->reported, &report.ledger);
	cuts_find(&report, &cuts);
	report.ledger.symbols.no_unwind_info = cuts.n_stacks;
	shape(c, &report);
	if (report.stacks.n || report.funcs.n)
		cuts_say(&cuts, c->info.run.command, &c->is_cut_said);
	c->records += report.stacks.n + report.funcs.n;
	c->n_reports++;
	ret = output_report(c->out, &report, err);
	if (!w->is_snapshot) {
		now.stacks.complete += report.ledger.stacks.complete;
		now.stacks.truncated += report.ledger.stacks.truncated;
		now.symbols = report.ledger.symbols;
		c->reported = now;
	}
	report_release(&report);
	return ret;
}

static void forget_old(struct collect *c)
{
	u32 settled;

	if (c->source->hold)
		c->source->hold(c->source_ctx);
	if (!renewal_is_due(&c->renewal, &c->store, &settled))
		return;
	c->source->forget(c->source_ctx, settled);
	renewal_end(&c->renewal, &c->store);
}

static int on_report(void *ctx, struct session_window *w, struct err *err)
{
	struct collect *c = ctx;
	int ret;

	c->source->cut(c->source_ctx, w);
	ret = make_report(c, w, err);
	if (!ret && !w->is_snapshot)
		forget_old(c);
	return ret;
}

/* ---- the run ----------------------------------------------------------------------------- */

static void say_why(const struct collect *c, enum session_stop why)
{
	if (why == STOP_TARGETS_EXIT)
		log_note("The watched processes have ended.");
	if (why == STOP_CHILD_EXIT && log_level() >= LOG_VERBOSE)
		log_info("%s has ended", c->child.name);
}

static int finish(struct collect *c, enum session_stop why, struct err *err)
{
	struct run_end end = {
		.reason = session_stop_name(why),
		.elapsed_ns = c->session.window.end_ns - c->session.start_ns,
		.intervals = c->n_reports,
		.records = c->records,
	};

	read_ledger(c, &end.ledger);
	end.is_complete = !ledger_total(&end.ledger);
	if (c->conf->output.strict && ledger_total(&end.ledger))
		err_set(err, ERR_FAIL, "--strict: something was lost");
	return output_end(c->out, &c->info.run, &end, err);
}

static int begin(struct collect *c, struct err *err)
{
	int ret;

	c->info.run.monotonic_ns = now_ns();
	c->info.run.realtime_ns = clock_ns(CLOCK_REALTIME);
	ret = output_begin(c->out, &c->info.run, err);
	if (ret)
		return ret;
	session_start(&c->session);
	if (c->source->begin)
		c->source->begin(c->source_ctx, c->session.start_ns);
	ret = child_go(&c->child, err) ?: filter_add_descendants(&c->filter, c->kernel.obj, err);
	if (!ret && c->source->settle)
		c->source->settle(c->source_ctx);
	return ret;
}

/* If one output fails the run ends, but the others still get their report and their end. */
int collect_run(struct collect *c, void (*detach)(void *ctx), void *ctx, int *status,
		struct err *err)
{
	enum session_stop why = STOP_ERROR;
	bool is_broken = false;
	bool has_begun;
	int ret, failed;

	stop_start_is_over();
	ret = mem_limit_begin(err) ?: begin(c, err);
	has_begun = !ret;
	if (!ret)
		ret = session_run(&c->session, &why, err);
	detach(ctx);
	c->is_detached = true;
	log_progress_end();
	stop_collection_is_over();
	say_why(c, why);
	if (has_begun && why != STOP_OUTPUT_GONE)
		ret = make_report(c, &c->session.window, err) ?: ret;
	failed = finish(c, ret ? STOP_ERROR : why, err);
	log_on_warn(NULL, NULL);
	failed = output_close(c->out, &is_broken, err) ?: failed;
	c->out = NULL;
	ret = ret ?: failed;
	if (!ret && err->code) /* --strict */
		ret = -err->code;
	/* After Ctrl-C the program's status is not known: bperf stopped watching it. */
	*status = why == STOP_CHILD_EXIT ? child_status(&c->child) : 0;
	return ret;
}

void collect_release(struct collect *c)
{
	struct err ignored = { 0 };
	bool is_broken;

	log_on_warn(NULL, NULL);
	if (c->out)
		output_close(c->out, &is_broken, &ignored);
	rings_release(&c->rings);
	if (c->sym) {
		store_release(&c->store);
		symbolizer_free(c->sym);
	}
	perfev_release(&c->perf);
	session_release(&c->session);
	child_release(&c->child);
	filter_release(&c->filter);
	close_p(&c->stats_fd);
	runinfo_release(&c->info);
	free(c->debug_dirs);
}
