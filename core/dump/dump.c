// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "dump/dump.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "bpf/abi/dump.h"
#include "bpf/abi/filter.h"
#include "bpf/abi/lost.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/stop.h"
#include "dump.skel.h"
#include "dump/age.h"
#include "dump/process.h"
#include "dump/threads.h"
#include "dump/waiting.h"
#include "host/btf.h"
#include "run/engine.h"
#include "run/handlers.h"
#include "run/prog.h"
#include "stack/collect.h"
#include "stack/truncation_say.h"
#include "wait/hidden.h"
#include "wait/object.h"

/* A sample each millisecond, on each CPU, for as long as threads are tried again. */
#define SAMPLE_NS  NS_PER_MS
#define RING_BYTES (4U << 20) /* a quarter of it for copies: 16 of the largest stacks */
#define NAMING_NS  (10 * NS_PER_SEC)

struct dump {
	const struct dump_conf *conf;
	struct engine engine;
	struct dump_bpf *skel;
	struct store store;
	struct unwinding unwinding;
	u32 max_frames;
	struct take_conf take;
	struct dump_threads threads;
	struct waiting waiting;
	bool is_done;
};

/* ---- loading ----------------------------------------------------------------------------- */

static bool wants_tables(const struct dump *d)
{
	return !d->conf->kernel_only && unwinding_wants_tables(d->conf->unwind.how);
}

static int open_programs(struct dump *d, struct err *err)
{
	struct bpf_object_open_opts opts;
	size_t n;
	const void *object = dump_bpf__elf_bytes(&n);
	int ret = prog_open_opts(d->conf->btf, object, n, &opts, err);

	if (ret)
		return ret;
	d->skel = dump_bpf__open_opts(&opts);
	prog_drop_object();
	return d->skel ? 0 : prog_explain(errno, "open", "the task iterator", err);
}

static int prepare(struct dump *d, struct err *err)
{
	struct dump_bpf__rodata *ro = d->skel->rodata;
	int ret;

	if (getrandom((void *)ro->stack_seed, sizeof(ro->stack_seed), 0) !=
	    (ssize_t)sizeof(ro->stack_seed))
		return err_errno(err, errno, "cannot get random numbers");
	kernel_types_release();
	ro->filter = d->engine.filter.conf;
	ro->filter_comm = d->engine.filter.comm;
	ro->stack_max_frames = d->max_frames;
	ro->stack_ring_wake = RING_BYTES / 4;
	ro->want_kernel = !d->conf->user_only;
	ro->want_user = !d->conf->kernel_only;
	wait_object_calls((u8 *)ro->object_calls);
	ret = filter_prepare(&d->engine.filter, d->skel->obj, err)
		      ?: collect_set_max(d->skel->obj, "stacks", RING_BYTES, err);
	return !ret && wants_tables(d) ? unwinding_prepare(d->skel->obj, err) : ret;
}

static bool on_record(void *ctx, const void *data, size_t size)
{
	const struct stack_record *rec = data;
	struct dump *d = ctx;
	struct raw_stack raw;

	if (size < STACK_HEADER_BYTES)
		return true;
	if (unwinding_is_copy(rec, size)) {
		rec = unwinding_walk(&d->unwinding, rec, size);
		size = rec ? rec->bytes : 0;
	}
	if (rec && collect_raw_stack(d->max_frames, rec, size, &raw))
		take_sample(&d->take, &d->threads, &raw);
	return true;
}

static void drain_samples(void *ctx)
{
	struct dump *d = ctx;

	engine_drain(&d->engine);
	unwinding_tick(&d->unwinding);
}

static int plan(void *ctx, struct err *err)
{
	struct dump *d = ctx;

	(void)err;
	d->max_frames = runinfo_max_frames(&d->engine.info);
	store_init(&d->store, d->engine.sym, 0, d->conf->addresses);
	return 0;
}

static int load(void *ctx, struct err *err)
{
	struct dump *d = ctx;
	const struct unwind_patience patience = { engine_can_wait, &d->engine };
	int ret = open_programs(d, err) ?: prepare(d, err);

	if (ret)
		return ret;
	ret = handlers_load(d->skel->skeleton);
	if (ret)
		return prog_explain(-ret, "load", "the task iterator", err);
	d->engine.obj = d->skel->obj;
	if (wants_tables(d))
		unwinding_begin(&d->unwinding, d->skel->obj,
				&(struct unwinding_kernel){
					.is_on = &d->skel->bss->cfi_is_on,
					.copies_left = &d->skel->bss->cfi_copies_left,
				},
				d->engine.sym, &patience, d->conf->unwind.max_bytes);
	d->take = (struct take_conf){ .prog = d->skel->progs.scan_task,
				      .store = &d->store,
				      .unwinder = d->unwinding.unwinder,
				      .cpus = &d->conf->target.cpus,
				      .max_frames = d->max_frames,
				      .want_user = !d->conf->kernel_only,
				      .drain = drain_samples,
				      .ctx = d };
	return engine_open_rings(&d->engine, on_record, d, err)
		       ?: engine_add_ring(&d->engine, bpf_map__fd(d->skel->maps.stacks), err);
}

/* If sampling is not possible, threads that run are shown without a stack. */
static int attach(void *ctx, struct err *err)
{
	struct dump *d = ctx;
	struct perf_spec spec = { .period = SAMPLE_NS };
	struct err why = { 0 };
	int ret = perf_spec_parse("cpu-clock", &spec, err);

	if (ret)
		return ret;
	if (perfev_open(&d->engine.perf, &spec, NULL, 0, d->skel->progs.dump_sample, &why)) {
		log_warn("not-sampled", "threads that run have no stack here: %s", why.what);
		err_clear(&why);
	}
	return 0;
}

/* ---- taking ------------------------------------------------------------------------------ */

/* True if all threads of the processes given with -p are wanted. */
static bool is_all_wanted(const struct dump *d)
{
	const struct filter_conf *f = &d->engine.filter.conf;

	return !d->conf->target.cpus.v.n &&
	       !(f->has_comms || f->has_not_comms || f->has_cgroups || f->has_not_cgroups ||
		 f->has_uids || f->has_not_uids || f->has_cgroupmap || f->has_mntnsmap);
}

/* Some hosts hide threads from programs like ours. */
static void say_hidden(const struct dump *d, struct hidden *hidden)
{
	const struct dump_thread *t;

	vec_for_each(t, &d->threads.v)
		hidden_take(hidden, t->tid);
	hidden_say(hidden);
	hidden_release(hidden);
}

static void say_ended(const struct dump *d)
{
	const u32 *pid;

	/* With other filters, a process without threads here may have some. */
	if (!is_all_wanted(d))
		return;
	vec_for_each(pid, &d->conf->target.pids.v) {
		const struct dump_thread *t;
		bool is_there = false;

		vec_for_each(t, &d->threads.v)
			is_there |= t->tgid == *pid;
		if (!is_there)
			log_warn("no-threads", "process %u has no threads%s", *pid,
				 process_inner(*pid) ? ": it has ended, and its parent has not "
						       "waited for it yet"
						     : " any more");
	}
}

static void say_32bit(const struct dump *d)
{
	const struct dump_thread *t;
	u32 n = 0;

	vec_for_each(t, &d->threads.v)
		n += t->is_32bit && t->state && !t->on_cpu;
	if (n)
		log_warn("32-bit",
			 "%u thread%s in 32-bit code: the objects that such threads wait "
			 "for, and the owners of locks, are not known",
			 n, n > 1 ? "s are" : " is");
}

static int settle(void *ctx, struct err *err)
{
	struct dump *d = ctx;
	struct hidden hidden = { 0 };
	const u32 *pid;
	int ret = filter_add_descendants(&d->engine.filter, d->skel->obj, err);

	if (ret)
		return ret;
	if (is_all_wanted(d))
		vec_for_each(pid, &d->conf->target.pids.v)
			hidden_add_process(&hidden, *pid);
	ret = take_threads(&d->take, &d->threads, err);
	/* No sample is needed any more, and what follows may take long. */
	perfev_detach(&d->engine.perf);
	if (!ret)
		ret = waiting_read(&d->waiting, &d->take, &d->threads, d->engine.sym,
				   &d->engine.info.strings, err);
	if (!ret) {
		say_hidden(d, &hidden);
		say_ended(d);
		say_32bit(d);
	}
	hidden_release(&hidden);
	d->is_done = true;
	return ret;
}

static bool is_done(void *ctx)
{
	const struct dump *d = ctx;

	return d->is_done;
}

static void detach(void *ctx)
{
	struct dump *d = ctx;

	perfev_detach(&d->engine.perf);
}

/* ---- the report -------------------------------------------------------------------------- */

static void say_hint(const char *code, const char *text)
{
	log_warn(code, "%s", text);
}

static void name_frames(struct dump *d)
{
	const struct sym_request how = {
		.deadline_ns = now_ns() + NAMING_NS,
		.stop = stop_impatience(),
	};
	const struct sym_budget budget = {
		.deadline_ns = now_ns() + NAMING_NS,
		.stop = stop_impatience(),
	};

	if (d->conf->jit_maps)
		symbolizer_request_maps(d->engine.sym, &how, say_hint);
	if (!symbolizer_resolve(d->engine.sym, &budget))
		log_warn("names-late", "not all names were found in time: the others are "
				       "module+offset");
	symbolizer_hints(d->engine.sym, say_hint);
}

static void add_stack(struct dump *d, const struct dump_thread *t, const struct store_view *view,
		      struct report *r)
{
	const struct store_entry *e = &d->store.entries.items[t->entry];

	vec_push(&r->stacks, (struct stack_row){ .task = store_task(&d->store, t->entry, view),
						 .kernel = d->conf->user_only ? 0 : e->kernel,
						 .user = e->user,
						 .is_rooted = e->is_rooted,
						 .value = 1,
						 .count = 1 });
	if (store_is_truncated(&d->store, t->entry))
		r->ledger.stacks.truncated++;
	else
		r->ledger.stacks.complete++;
	r->total++;
}

static void add_thread(struct dump *d, u32 i, const struct age_clock *clock, struct report *r)
{
	const struct dump_thread *t = &d->threads.v.items[i];
	const struct store_entry *e = &d->store.entries.items[t->entry];
	struct intern *strings = &d->engine.info.strings;
	struct thread_row row = {
		.stack = i,
		.pid = t->tgid,
		.tid = t->tid,
		.comm = intern_n(strings, t->comm, sizeof(t->comm)),
		.process = intern_n(strings, t->more.process, sizeof(t->more.process)),
		.age_ns = age_of(clock, t),
	};

	waiting_explain(&d->waiting, i, r, e->kernel, d->store.owners.items[e->owner].marks, &row);
	vec_push(&r->threads, row);
}

static void fill_report(struct dump *d, struct report *r)
{
	const struct store_view view = { .by = BY_DEFAULT, .is_last = true };
	struct age_clock clock = { 0 };
	const struct dump_thread *t;

	store_begin_report(&d->store);
	vec_for_each(t, &d->threads.v) {
		age_clock_take(&clock, t);
		add_stack(d, t, &view, r);
	}
	store_end_report(&d->store, r);
	r->kind = REPORT_THREADS;
	for (u32 i = 0; i < d->threads.v.n; i++)
		add_thread(d, i, &clock, r);
	report_relate_threads(r);
}

/* Totals of the run. */
static void read_ledger(struct dump *d, struct ledger *l)
{
	l->lost[LOST_ring_full] = d->skel->bss->lost[BPF_LOST_RING_FULL];
	l->lost[LOST_stack_full] = d->store.n_folded;
	if (d->engine.stats_fd >= 0)
		prog_run_stats(d->skel->obj, &l->cost.bpf_runs, &l->cost.bpf_ns);
}

static void fill_ledger(struct dump *d, struct report *r)
{
	struct truncations truncations;
	struct ledger now = { 0 };
	bool is_said = false;

	truncations_find(r, &truncations);
	runinfo_cost(d->engine.sym, d->skel->obj, &now);
	read_ledger(d, &now);
	now.stacks = r->ledger.stacks;
	truncations_settle(&truncations, &now);
	r->ledger = now;
	engine_take_losses(&d->engine, &now, r);
	truncations_print(&truncations, "dump", &is_said);
}

static int on_report(void *ctx, struct session_window *w, struct err *err)
{
	struct dump *d = ctx;
	struct report report = engine_report(&d->engine, w);
	int ret;

	name_frames(d);
	fill_report(d, &report);
	fill_ledger(d, &report);
	ret = output_report(d->engine.out, &report, err);
	report_release(&report);
	return ret;
}

static int on_end(void *ctx, struct run_end *end, struct err *err)
{
	struct dump *d = ctx;

	(void)err;
	end->ledger.stacks = d->engine.reported.stacks;
	end->ledger.symbols.no_unwind_info = d->engine.reported.symbols.no_unwind_info;
	read_ledger(d, &end->ledger);
	return 0;
}

static void describe(void *ctx, char *out, size_t size)
{
	(void)ctx;
	snprintf(out, size, "Taking threads");
}

static void progress(void *ctx, struct engine_progress *out)
{
	const struct dump *d = ctx;

	out->n = d->threads.v.n;
}

/* ---- the run ----------------------------------------------------------------------------- */

static const struct engine_ops ops = {
	.plan = plan,
	.load = load,
	.attach = attach,
	.settle = settle,
	.detach = detach,
	.is_done = is_done,
	.describe = describe,
	.progress = progress,
	.report = on_report,
	.end = on_end,
};

static void release(struct dump *d)
{
	waiting_release(&d->waiting);
	dump_threads_release(&d->threads);
	if (d->engine.sym)
		store_release(&d->store);
	unwinding_release(&d->unwinding);
	engine_release(&d->engine);
	dump_bpf__destroy(d->skel);
}

int dump_run(const struct dump_conf *conf, int argc, char **argv, int *status, struct err *err)
{
	struct dump d = {
		.conf = conf,
		.engine = {
			.conf = {
				.target = &conf->target,
				.output = &conf->output,
				.debug_dirs = &conf->debug_dirs,
			},
			.ops = &ops,
			.kinds = REPORT_THREADS,
			.render = {
				.delimited = conf->delimited,
				.annotate = conf->annotate,
				.addresses = conf->addresses,
				.offsets = conf->offsets,
				.inverted = conf->output.icicle,
				.each_thread = conf->by_thread,
			},
			.keep_addresses = conf->addresses,
			.info.run = {
				.command = "dump",
				.title = "Threads",
				.value_name = "threads",
				.unit = UNIT_THREADS,
			},
		},
	};
	int ret;

	d.engine.ctx = &d;
	engine_init(&d.engine);
	ret = engine_run(&d.engine, argc, argv, status, err);
	release(&d);
	return ret;
}
