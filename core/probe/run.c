// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "probe/run.h"
#include "probe/probes_int.h"

#include <stdio.h>

#include "base/cleanup.h"
#include "base/stop.h"

/* For commands that send nothing through the ring. */
#define RING_BYTES 4096

#define STRING_DEFAULT	   256
#define KEY_STRING_DEFAULT 4000 /* within one page after the string's first (gen_read_string) */

/* ---- for the commands --------------------------------------------------------------------- */

int proberun_open_rings(struct engine *e, const struct probes *p, ring_take_fn take, void *ctx,
			struct err *err)
{
	int ret = engine_open_rings(e, take, ctx, err);

	for (size_t i = 0; i < p->rings.n && !ret; i++)
		ret = engine_add_ring(e, p->rings.items[i], err);
	if (!ret && !p->n_rings)
		ret = engine_add_ring(e, bpf_object__find_map_fd_by_name(p->obj, "events"), err);
	return ret;
}

static void add_losses(struct proberun *r, struct report *out)
{
	_cleanup_(free_p) struct event_probe *counts = mem_alloc(r->probes.v.n, sizeof(*counts));
	struct ledger now = { 0 };
	struct err later = { 0 }; /* the ledger at the end fails for the same reason */

	if (probes_ledger(&r->probes, counts, &now, &later))
		return;
	engine_take_losses(&r->engine, &now, out);
}

struct report proberun_report(struct proberun *r, const struct session_window *w)
{
	struct report report = engine_report(&r->engine, w);

	add_losses(r, &report);
	return report;
}

/* ---- loading ------------------------------------------------------------------------------- */

static int compile(void *ctx, struct err *err)
{
	struct proberun *r = ctx;
	const struct proberun_conf *conf = r->conf;
	const struct probes_opts opts = {
		.btf = conf->btf,
		.method = conf->method,
		.wants_tables = unwinding_wants_tables(conf->unwind.how),
		.tgid = conf->target.pids.v.n ? conf->target.pids.v.items[0] : 0,
		.target = target_option(&conf->target),
		.string_size = conf->string_size ?: STRING_DEFAULT,
		.key_string_size = conf->string_size ?: KEY_STRING_DEFAULT,
		.is_offline = conf->dump != NULL,
		.ring_bytes = RING_BYTES,
		.max_spans = conf->max_spans,
		.program_tgid = (u32)r->engine.child.pid,
		.filter = &r->engine.filter,
		.cpus = &conf->target.cpus,
	};
	int ret = probes_init(&r->probes, &opts, err) ?: r->ops->add(r->ctx, err);

	if (ret)
		return ret;
	/* The helper is a process that belongs to bperf; probes in the kernel would report it. */
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

static void begin_unwinding(struct proberun *r)
{
	struct unwinding_kernel kernel = probes_unwinding(&r->probes);
	const struct unwind_patience patience = { engine_can_wait, &r->engine };

	unwinding_begin(&r->unwinding, r->probes.obj, &kernel, r->engine.sym, &patience,
			r->conf->unwind.max_bytes);
}

static int load(void *ctx, struct err *err)
{
	struct proberun *r = ctx;
	int ret;

	probes_warn(&r->probes);
	ret = probes_load(&r->probes, err);
	r->engine.obj = r->probes.obj;
	if (!ret && r->probes.has_tables)
		begin_unwinding(r);
	if (!ret && r->ops->open)
		ret = r->ops->open(r->ctx, err);
	return ret;
}

static int attach(void *ctx, struct err *err)
{
	struct proberun *r = ctx;

	if (r->wants_mappings)
		perfev_listen(&r->engine.perf);
	return probes_attach(&r->probes, stop_is_asked, err)
		       ?: probes_attach_descendants(&r->probes, err);
}

static void begin(void *ctx, u64 now)
{
	struct proberun *r = ctx;

	(void)now;
	probes_begin(&r->probes);
}

static int settle(void *ctx, struct err *err)
{
	struct proberun *r = ctx;

	(void)err;
	unwinding_tick(&r->unwinding);
	return 0;
}

static void detach(void *ctx)
{
	struct proberun *r = ctx;

	attach_ahead_end(&r->ahead);
	probes_end(&r->probes);
	probes_disable(&r->probes);
}

/* ---- the loop ------------------------------------------------------------------------------ */

static void drain(void *ctx)
{
	struct proberun *r = ctx;

	if (r->ops->drain)
		r->ops->drain(r->ctx);
	else
		engine_drain(&r->engine);
}

static void on_tick(void *ctx, u64 now)
{
	struct proberun *r = ctx;

	attach_ahead_end(&r->ahead);
	unwinding_tick(&r->unwinding);
	if (r->ops->on_tick)
		r->ops->on_tick(r->ctx, now);
	probes_reattach(&r->probes, now);
}

static bool is_done(void *ctx)
{
	struct proberun *r = ctx;

	return r->ops->is_done && r->ops->is_done(r->ctx);
}

static int report(void *ctx, struct session_window *w, struct err *err)
{
	struct proberun *r = ctx;

	return r->ops->report(r->ctx, w, err);
}

static void describe(void *ctx, char *out, size_t size)
{
	const struct proberun *r = ctx;
	size_t n = 0;

	probe_for_each(probe, &r->probes)
		n += probe->plan.sites.n;
	snprintf(out, size, "%s %zu site%s", r->ops->doing, n, n == 1 ? "" : "s");
}

static void progress(void *ctx, struct engine_progress *out)
{
	struct proberun *r = ctx;
	_cleanup_(free_p) struct event_probe *counts = mem_alloc(r->probes.v.n, sizeof(*counts));
	struct ledger now = { 0 };
	struct err later = { 0 }; /* the ledger at the end fails for the same reason */

	if (probes_ledger(&r->probes, counts, &now, &later))
		return;
	if (r->ops->taken)
		out->n = r->ops->taken(r->ctx);
	out->lost = ledger_total(&now);
}

/* ---- the end ------------------------------------------------------------------------------- */

static int end(void *ctx, struct run_end *end, struct err *err)
{
	struct proberun *r = ctx;
	int ret;

	r->counts = mem_alloc(r->probes.v.n, sizeof(*r->counts));
	ret = probes_ledger(&r->probes, r->counts, &end->ledger, err);
	if (ret)
		return ret;
	end->probes = r->counts;
	end->n_probes = r->probes.v.n;
	if (r->ops->end)
		r->ops->end(r->ctx, r->counts, end);
	end->n_probes = probes_join_columns(r->counts, r->probes.v.n);
	if (r->engine.stats_fd >= 0)
		end->ledger.cost.bpf_ns = probes_runs(&r->probes).ns;
	probes_say_ledger(r->counts, end->n_probes);
	return 0;
}

static const struct engine_ops engine_ops = {
	.plan = compile,
	.load = load,
	.attach = attach,
	.begin = begin,
	.settle = settle,
	.detach = detach,
	.drain = drain,
	.on_tick = on_tick,
	.is_done = is_done,
	.describe = describe,
	.progress = progress,
	.report = report,
	.end = end,
};

int proberun_run(struct proberun *r, int argc, char **argv, int *status, struct err *err)
{
	const struct proberun_conf *conf = r->conf;
	struct engine *e = &r->engine;

	e->ops = &engine_ops;
	e->ctx = r;
	e->conf = (struct engine_conf){
		.target = &conf->target,
		.output = &conf->output,
		.debug_dirs = &conf->debug_dirs,
		.interval_ns = conf->interval_ns,
		.count = conf->count,
		.timestamp = conf->timestamp,
	};
	e->keep_addresses = true;
	engine_init(e);
	if (conf->dump || conf->dry_run)
		return filter_build(&e->filter, &conf->target, err) ?:
		       engine_open_symbolizer(e, err) ?: compile(r, err) ?: print_plan(r, err);
	attach_remove_stale_later();
	return engine_run(e, argc, argv, status, err);
}

void proberun_release(struct proberun *r)
{
	unwinding_release(&r->unwinding);
	perfev_release(&r->engine.perf);
	probes_release(&r->probes);
	if (r->engine.is_begun)
		attach_ahead_wait(&r->ahead);
	engine_release(&r->engine);
	free(r->counts);
}

void proberun_say_malformed(u64 n)
{
	if (n)
		log_warn("events-lost",
			 n == 1 ? "%llu record is malformed: this is a bug in bperf"
				: "%llu records are malformed: this is a bug in bperf",
			 n);
}
