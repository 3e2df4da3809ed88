// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stack/collect.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/num.h"
#include "base/stop.h"
#include "bpf/abi/lost.h"
#include "host/btf.h"
#include "host/cgroup.h"
#include "render/render.h"
#include "run/prog.h"
#include "stack/truncation_say.h"

/* Time limits for finding names for a report during the run.  The limit of the first round is CPU
 * time, because a busy host may provide little of it per second; the limit of all rounds is wall
 * time. */
#define NAMING_CPU_NS	   (50 * NS_PER_MS)
#define NAMING_MAX_NS	   (2 * NS_PER_SEC)
/* The same for the last report, in wall time.  CPU time is limited, too (SYM_CPU_NS), but on a busy
 * host it may take a minute to get that. */
#define NAMING_LAST_NS	   (10 * NS_PER_SEC)
#define RING_BYTES_PER_CPU (128 * 1024)
#define RING_BYTES_MIN	   (512 * 1024)
#define RING_BYTES_MAX	   (16 * 1024 * 1024)

/* ---- loading ----------------------------------------------------------------------------- */

static u64 ring_bytes(u32 n_cpus, u64 at_least)
{
	u64 want = (u64)n_cpus * RING_BYTES_PER_CPU;

	return num_power_of_two(want < at_least ? at_least : want, RING_BYTES_MIN, RING_BYTES_MAX);
}

int collect_set_max(struct bpf_object *obj, const char *name, u64 n, struct err *err)
{
	struct bpf_map *map = bpf_object__find_map_by_name(obj, name);
	int ret = map ? bpf_map__set_max_entries(map, (u32)n) : -ENOENT;

	return ret ? err_errno(err, -ret, "cannot size the table %s", name) : 0;
}

static bool wants_tables(const struct collect *c)
{
	return !c->conf->kernel_only && unwinding_wants_tables(c->conf->unwind.how);
}

/* Only the kernel side sees rodata as const. */
#define WRITE(field, value) (*(__typeof__(value) *)(uintptr_t)(field) = (value))

int collect_prepare(struct collect *c, struct bpf_object *obj, const struct collect_rodata *ro,
		    struct err *err)
{
	u64 least = wants_tables(c) && ro->ring_bytes < UNWINDING_RING_BYTES ? UNWINDING_RING_BYTES
									     : ro->ring_bytes;
	u64 ring = ring_bytes(c->engine.info.run.cpus_online, least), seed[2];
	int ret;

	if (getrandom(seed, sizeof(seed), 0) != sizeof(seed))
		return err_errno(err, errno, "cannot get random numbers");
	/* Our copy is not needed any more: libbpf reads the types again if a program is typed. */
	kernel_types_release();
	WRITE(ro->filter, c->engine.filter.conf);
	WRITE(ro->filter_comm, c->engine.filter.comm);
	WRITE(&ro->stack_seed[0], seed[0]);
	WRITE(&ro->stack_seed[1], seed[1]);
	WRITE(ro->stack_max_frames, c->max_frames);
	WRITE(ro->stack_ring_wake, ring / 4);
	ret = filter_prepare(&c->engine.filter, obj, err)
		      ?: collect_set_max(obj, "stacks", ring, err);
	return !ret && wants_tables(c) ? unwinding_prepare(obj, err) : ret;
}

static bool on_record(void *ctx, const void *data, size_t size);

int collect_load(struct collect *c, const struct collect_kernel *kernel, struct err *err)
{
	const struct unwind_patience patience = { engine_can_wait, &c->engine };

	c->kernel = *kernel;
	c->renewal.generation = kernel->generation;
	c->engine.obj = kernel->obj;
	if (wants_tables(c))
		unwinding_begin(&c->unwinding, kernel->obj, &kernel->unwinding, c->engine.sym,
				&patience, c->conf->unwind.max_bytes);
	return engine_open_rings(&c->engine, on_record, c, err)
		       ?: engine_add_ring(&c->engine,
					  bpf_object__find_map_fd_by_name(kernel->obj, "stacks"),
					  err);
}

void collect_prepare_targets(struct collect *c)
{
	struct filter_numbers named = { 0 };

	if (c->unwinding.unwinder)
		filter_named_now(&c->engine.filter, &named);
	unwinding_prepare_processes(&c->unwinding, named.v.items, named.v.n);
	vec_release(&named.v);
}

/* ---- draining ---------------------------------------------------------------------------- */

bool collect_raw_stack(u32 max_frames, const struct stack_record *rec, size_t size,
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
		.max_frames = max_frames,
		.end = (enum stack_end)rec->user_end,
		.is_user_missing = rec->flags & STACK_USER_FAULT,
		.is_interrupt = rec->flags & STACK_INTERRUPT,
		.is_iowait = rec->flags & STACK_IOWAIT,
		.is_running = rec->flags & STACK_RUNNING,
		.is_lock = rec->flags & STACK_FUTEX_LOCK,
		.is_condition = rec->flags & STACK_FUTEX_CONDITION,
		.is_second_event = rec->event == STACK_SECOND_EVENT,
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
	engine_apply_side(&c->engine, rec->time_ns);
	if (unwinding_is_copy(rec, size)) {
		rec = unwinding_walk(&c->unwinding, rec, size);
		if (!rec)
			return true;
		size = rec->bytes;
	}
	c->source->take(c->source_ctx, rec, size);
	return true;
}

static void on_tick(void *ctx, u64 now)
{
	struct collect *c = ctx;

	renewal_tick(&c->renewal, c->engine.sym, now);
	unwinding_tick(&c->unwinding);
}

static u64 lost_total(const struct collect *c)
{
	u64 sum = 0;

	for (u32 i = 0; i < BPF_LOST_N; i++)
		sum += c->kernel.lost[i];
	return sum;
}

static void progress(void *ctx, struct engine_progress *out)
{
	struct collect *c = ctx;

	out->n = c->source->taken(c->source_ctx);
	out->stacks = c->store.entries.n;
	out->lost = lost_total(c);
}

/* ---- the ledger -------------------------------------------------------------------------- */

/* Totals since the start of the run. */
static void read_ledger(struct collect *c, struct ledger *l)
{
	l->stacks = c->engine.reported.stacks;
	l->symbols.no_unwind_info = c->engine.reported.symbols.no_unwind_info;
	l->lost[LOST_ring_full] = c->kernel.lost[BPF_LOST_RING_FULL] + c->n_unweighted;
	l->lost[LOST_map_full] = c->kernel.lost[BPF_LOST_MAP_FULL];
	l->lost[LOST_stack_fault] = c->kernel.lost[BPF_LOST_STACK_FAULT];
	l->lost[LOST_stack_wrong] = c->kernel.lost[BPF_LOST_STACK_WRONG];
	l->lost[LOST_recursion] = c->kernel.lost[BPF_LOST_RECURSION];
	l->lost[LOST_stack_full] =
		c->store.n_full + c->n_unknown + c->store.n_folded + c->store.n_folded_now;
	l->lost[LOST_throttled] = c->engine.perf.throttled;
	l->lost[LOST_missed] = LOST_UNKNOWN;
	if (c->kernel.misses_are_counted)
		l->lost[LOST_missed] = prog_recursion_misses(c->kernel.obj) +
				       c->kernel.lost[BPF_LOST_MISSED] + c->n_missed;
	if (c->engine.stats_fd >= 0)
		prog_run_stats(c->kernel.obj, &l->cost.bpf_runs, &l->cost.bpf_ns);
}

/* ---- reports ----------------------------------------------------------------------------- */

static const char *name_cgroup(void *ctx, u64 id)
{
	struct collect *c = ctx;
	_cleanup_(free_p) char *path = cgroup_path(id);

	return path ? intern(&c->engine.info.strings, path) : NULL;
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
 * then are missing from this report, and are looked up again for the next one.  The ring is read
 * between two rounds.  Rounds get longer, because a file that takes longer than one round is begun
 * again in the next.
 */
static bool name_frames(struct collect *c, const struct session_window *w)
{
	struct sym_budget budget = { .stop = stop_impatience() };
	u64 now = now_ns(), until;
	bool is_done;

	if (c->engine.is_detached) {
		budget.deadline_ns = now + NAMING_LAST_NS;
		return symbolizer_resolve(c->engine.sym, &budget);
	}
	budget.cpu_ns = NAMING_CPU_NS;
	until = w->is_snapshot ? w->due_ns : w->next_due_ns;
	if (until > now + NAMING_MAX_NS)
		until = now + NAMING_MAX_NS;
	/* Names determine the state of a wait.  Only the kernel's names are needed, which are
	 * few. */
	if (c->conf->kind == REPORT_STATES)
		until = UINT64_MAX;
	budget.deadline_ns = until;
	do {
		is_done = symbolizer_resolve(c->engine.sym, &budget);
		engine_drain(&c->engine);
		budget.cpu_ns *= 2;
	} while (!is_done && now_ns() < until && !stop_is_asked());
	return is_done;
}

static void drain_meanwhile(void *ctx)
{
	struct collect *c = ctx;

	if (!c->engine.is_detached)
		engine_drain(&c->engine);
}

/* Call it before names are looked up: a map that is written now lists all sampled code. */
static void request_jit_maps(struct collect *c, const struct session_window *w)
{
	struct sym_request how = {
		.deadline_ns = now_ns() + NAMING_LAST_NS,
		.stop = stop_impatience(),
		.meanwhile = drain_meanwhile,
		.ctx = c,
	};

	if (!c->conf->jit_maps)
		return;
	if (!c->engine.is_detached)
		how.deadline_ns = w->is_snapshot ? w->due_ns : w->next_due_ns;
	symbolizer_request_maps(c->engine.sym, &how, say_hint);
}

static void say_unnamed(struct collect *c)
{
	if (!c->is_unnamed_said && !*stop_impatience())
		log_warn("names-late", "not all names were found in time: the others are "
				       "module+offset in this report");
	c->is_unnamed_said = true;
}

/* Fill in this report's ledger, and add it to the run's. */
static void settle_ledger(struct collect *c, struct report *r,
			  const struct truncations *truncations)
{
	struct ledger now = { 0 };

	runinfo_cost(c->engine.sym, c->kernel.obj, &now);
	read_ledger(c, &now);
	r->ledger.symbols = now.symbols;
	truncations_settle(truncations, &r->ledger);
	r->ledger.cost = now.cost;
	now.stacks.complete += r->ledger.stacks.complete;
	now.stacks.truncated += r->ledger.stacks.truncated;
	now.symbols = r->ledger.symbols;
	truncations_settle(truncations, &now);
	engine_take_losses(&c->engine, &now, r);
}

/* The kernel side has switched to the next window, or is detached. */
static int make_report(struct collect *c, const struct session_window *w, struct err *err)
{
	struct truncations truncations;
	struct report report = engine_report(&c->engine, w);
	const struct store_view view = {
		.by = (enum group_by)c->conf->by,
		.is_snapshot = w->is_snapshot,
		.is_last = c->engine.is_detached,
		.window = w->index,
		.cgroup_name = name_cgroup,
		.ctx = c,
	};
	int ret;

	engine_drain_all(&c->engine);
	ret = c->source->read(c->source_ctx, w, c->engine.is_detached, err);
	if (ret)
		return ret;
	/* Nothing is sent any more.  The whole mapping of a ring counts as resident memory. */
	if (c->engine.is_detached)
		rings_release(&c->engine.rings);
	engine_apply_side(&c->engine, UINT64_MAX);
	request_jit_maps(c, w);
	if (!name_frames(c, w))
		say_unnamed(c);
	symbolizer_hints(c->engine.sym, say_hint);
	c->source->report(c->source_ctx, &view, &report);
	truncations_find(&report, &truncations);
	settle_ledger(c, &report, &truncations);
	shape(c, &report);
	if (report.stacks.n || report.funcs.n)
		truncations_print(&truncations, c->engine.info.run.command, &c->is_truncation_said);
	ret = output_report(c->engine.out, &report, err);
	report_release(&report);
	return ret;
}

static void forget_old(struct collect *c)
{
	u32 settled;

	if (c->source->mark_used)
		c->source->mark_used(c->source_ctx);
	if (!renewal_is_due(&c->renewal, &c->store, &settled))
		return;
	c->source->forget(c->source_ctx, settled);
	renewal_end(&c->renewal, &c->store);
}

static int on_report(void *ctx, struct session_window *w, struct err *err)
{
	struct collect *c = ctx;
	int ret;

	if (c->engine.is_detached)
		return make_report(c, w, err);
	c->source->cut(c->source_ctx, w);
	ret = make_report(c, w, err);
	if (!ret && !w->is_snapshot)
		forget_old(c);
	return ret;
}

static int on_end(void *ctx, struct run_end *end, struct err *err)
{
	struct collect *c = ctx;

	(void)err;
	read_ledger(c, &end->ledger);
	return 0;
}

/* ---- the run ----------------------------------------------------------------------------- */

static int plan(void *ctx, struct err *err)
{
	struct collect *c = ctx;

	(void)err;
	c->max_frames = runinfo_max_frames(&c->engine.info);
	store_init(&c->store, c->engine.sym, (u32)c->conf->max_stacks, c->conf->addresses);
	c->store.max_ids = 2 * (u32)c->conf->max_counts;
	return 0;
}

static int load(void *ctx, struct err *err)
{
	struct collect *c = ctx;

	return c->programs->load(c->programs_ctx, err);
}

static int attach(void *ctx, struct err *err)
{
	struct collect *c = ctx;

	return c->programs->attach(c->programs_ctx, err);
}

static void begin(void *ctx, u64 now)
{
	struct collect *c = ctx;

	if (c->source->begin)
		c->source->begin(c->source_ctx, now);
}

static int settle(void *ctx, struct err *err)
{
	struct collect *c = ctx;
	int ret = filter_add_descendants(&c->engine.filter, c->kernel.obj, err);

	if (!ret && c->source->settle)
		c->source->settle(c->source_ctx);
	unwinding_tick(&c->unwinding);
	return ret;
}

static void detach(void *ctx)
{
	struct collect *c = ctx;

	c->programs->detach(c->programs_ctx);
}

static void describe(void *ctx, char *out, size_t size)
{
	struct collect *c = ctx;

	c->programs->describe(c->programs_ctx, out, size);
}

static const struct engine_ops engine_ops = {
	.counts_held = true,
	.plan = plan,
	.load = load,
	.attach = attach,
	.begin = begin,
	.settle = settle,
	.detach = detach,
	.on_tick = on_tick,
	.describe = describe,
	.progress = progress,
	.report = on_report,
	.end = on_end,
};

int collect_run(struct collect *c, int argc, char **argv, int *status, struct err *err)
{
	const struct collect_conf *conf = c->conf;

	c->engine.ops = &engine_ops;
	c->engine.ctx = c;
	c->engine.conf = (struct engine_conf){
		.target = &conf->target,
		.output = &conf->output,
		.debug_dirs = &conf->debug_dirs,
		.interval_ns = conf->interval_ns,
		.count = conf->count,
		.timestamp = conf->timestamp,
	};
	c->engine.kinds = conf->functions ? REPORT_FUNCS : conf->kind;
	c->engine.keep_addresses = conf->addresses;
	c->engine.render = (struct render_opts){
		.delimited = conf->delimited,
		.annotate = conf->annotate,
		.addresses = conf->addresses,
		.offsets = conf->offsets,
		.has_samples = conf->wants_samples,
		.has_waits = conf->wants_waits,
		.max_file = conf->output.max_file,
		.timeline = conf->timeline,
		.inverted = conf->output.icicle,
		.unit = output_units[conf->output.unit],
	};
	engine_init(&c->engine);
	return engine_run(&c->engine, argc, argv, status, err);
}

void collect_release(struct collect *c)
{
	if (c->engine.sym)
		store_release(&c->store);
	unwinding_release(&c->unwinding);
	engine_release(&c->engine);
}
