// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "agg/argdist.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "probe/needs.h"
#include "render/render.h"
#include "stack/truncation_say.h"

/* Room for some thousand new stacks between two readings.  A ring's data is mapped twice. */
#define RING_BYTES     (1UL << 20)
#define CPU_RING_BYTES (64UL << 10) /* if each CPU has its own */

struct argdist {
	const struct argdist_conf *conf;
	struct proberun run;
	VEC(struct dist_word)
	words; /* one for each probe: a table's word has one for each column */
	struct dists dists;
	struct dist_stacks stacks;	/* open if keys contain stacks */
	struct truncations truncations; /* those of the last report */
	bool is_truncation_said;
};

/* Each program fills one column, so a table's word becomes one probe per column. */
static int add_spec(struct argdist *a, const struct dist_word *word, struct err *err)
{
	const struct spec_opts spec = { .is_regex = a->conf->is_regex };
	struct probes *probes = &a->run.probes;
	bool is_table = word->kind == DIST_TABLE;
	size_t n = 1;
	int ret = 0;

	for (u32 i = 0; i < n && !ret; i++) {
		struct dist_word one = *word;

		one.column = i;
		vec_push(&a->words, one);
		ret = probes_add(probes, word->text, is_table ? SPEC_TABLE : SPEC_ARGDIST, &spec,
				 err);
		if (ret)
			return ret;
		probes->v.items[probes->v.n - 1]->is_column = i > 0;
		if (is_table)
			n = probes->v.items[probes->v.n - 1]->spec.columns.n;
	}
	return ret;
}

static int add_specs(void *ctx, struct err *err)
{
	struct argdist *a = ctx;
	struct probes *probes = &a->run.probes;
	const struct dist_word *word;
	int ret = 0;

	if (a->conf->includes.v.n)
		log_note("-I is not needed: types come from BTF.");
	vec_for_each(word, &a->conf->words)
		ret = ret ?: add_spec(a, word, err);
	probes->opts.wants_types = !ret && asked_wants_types(probes, a->conf->by, false);
	probes->opts.wants_kstack = a->conf->by && strstr(a->conf->by, "kstack");
	return ret;
}

/* The run's result is a report of stacks, in any format that supports them. */
static void show_stacks(struct argdist *a)
{
	const struct dist *shown = &a->dists.results.items[0].shown;
	struct run_info *run = &a->run.engine.info.run;

	a->run.engine.kinds = REPORT_STACKS;
	a->run.engine.render.inverted = a->conf->run.output.icicle;
	run->title = shown->title;
	if (shown->kind != DIST_STATISTICS)
		return;
	run->unit = UNIT_VALUES;
	run->value_name = shown->value_name;
}

static int bind_cells(void *ctx, struct err *err)
{
	struct argdist *a = ctx;
	const struct argdist_conf *conf = a->conf;
	const struct dist_opts opts = {
		.words = a->words.items,
		.by = conf->by,
		.max_keys = conf->max_keys,
		.scale = conf->scale.scaling,
		.percentiles = conf->percentiles.v.items,
		.n_percentiles = (u32)conf->percentiles.v.n,
		.has_windows = proberun_has_windows(&conf->run) && !conf->is_cumulative &&
			       conf->open_ns == UINT64_MAX,
		.is_over_time = conf->heat,
		.is_open = conf->open_ns != UINT64_MAX,
		.open_ns = conf->open_ns,
		.derived = conf->columns.v.items,
		.n_derived = (u32)conf->columns.v.n,
		.sort = conf->sort,
		.caller = conf->caller,
	};

	int ret = dists_init(&a->dists, &opts, &a->run.probes, a->run.engine.sym, err);

	if (!ret && conf->caller && !dists_has_stacks(&a->dists))
		ret = err_set(err, ERR_USAGE, "--caller needs a stack as key");
	a->run.wants_mappings = a->dists.has_user || keys_have_user_symbols(&a->run.probes);
	if (ret || !dists_has_stacks(&a->dists))
		return ret;
	a->run.probes.opts.ring_bytes =
		libbpf_num_possible_cpus() > PROBES_ONE_RING_CPUS ? CPU_RING_BYTES : RING_BYTES;
	if (a->dists.is_of_stacks)
		show_stacks(a);
	return 0;
}

/* The ring is read as soon as it contains records: a process may be gone when the report is
 * made. */
static int open_stacks(void *ctx, struct err *err)
{
	struct argdist *a = ctx;

	if (!dists_has_stacks(&a->dists))
		return 0;
	a->dists.stacks = &a->stacks;
	a->stacks.may_forget = a->dists.opts.has_windows && !a->dists.has_saved_stacks;
	return dist_stacks_open(&a->stacks, &a->run, err);
}

static void on_tick(void *ctx, u64 now)
{
	struct argdist *a = ctx;

	agg_tidy(&a->dists.agg, now);
}

static void look_for_cuts(struct argdist *a, struct report *r)
{
	truncations_find(r, &a->truncations);
	truncations_settle(&a->truncations, &r->ledger);
	truncations_print(&a->truncations, "argdist", &a->is_truncation_said);
}

static int report(void *ctx, struct session_window *w, struct err *err)
{
	struct argdist *a = ctx;
	bool is_last = a->run.engine.is_detached;
	struct report r = proberun_report(&a->run, w);
	int ret;

	if (a->dists.stacks)
		engine_drain_all(&a->run.engine);
	keys_find_mappings(&a->run);
	stackring_set_urgent(&a->stacks, false);
	a->dists.end_ns = w->end_ns;
	a->stacks.names_until_ns = is_last ? 0 : w->is_snapshot ? w->due_ns : w->next_due_ns;
	ret = dists_report(&a->dists, &r, err);
	if (!ret && r.stacks.n)
		look_for_cuts(a, &r);
	ret = ret ?: output_report(a->run.engine.out, &r, err);
	report_release(&r);
	if (a->dists.stacks && !is_last && !w->is_snapshot)
		dist_stacks_forget(&a->stacks);
	if (!is_last)
		stackring_set_urgent(&a->stacks, true);
	return ret;
}

static void on_end(void *ctx, struct event_probe *counts, struct run_end *end)
{
	struct argdist *a = ctx;

	for (u32 i = 0; i < end->n_probes; i++)
		counts[i].hits = counts[i].shown = a->dists.agg.hits[i];
	truncations_settle(&a->truncations, &end->ledger);
	agg_run_ledger(&a->dists.agg, &end->ledger);
	end->ledger.lost[LOST_ring_full] += a->stacks.n_bad;
	proberun_say_malformed(a->stacks.n_bad);
}

static const struct proberun_ops run_ops = {
	.doing = "Measuring at",
	.add = add_specs,
	.bind = bind_cells,
	.open = open_stacks,
	.on_tick = on_tick,
	.report = report,
	.end = on_end,
};

static void release(struct argdist *a)
{
	dists_release(&a->dists);
	dist_stacks_release(&a->stacks);
	vec_release(&a->words);
	proberun_release(&a->run);
}

int argdist_run(const struct argdist_conf *conf, int argc, char **argv, int *status,
		struct err *err)
{
	_cleanup_(release) struct argdist a = {
		.conf = conf,
		.run = {
			.conf = &conf->run,
			.ops = &run_ops,
			.ctx = &a,
			.engine = {
				.kinds = conf->heat ? REPORT_HEAT : REPORT_DISTS,
				.render.heat = conf->heat,
				.render.is_in_place = conf->in_place,
				.render.keys_first = conf->keys_first,
				.render.greatest_first = conf->greatest_first,
				.render.offsets = conf->offsets,
				.info.run = {
					.command = "argdist",
					.title = conf->heat ? "Heat map" : "distributions",
					.value_name = "events",
					.unit = UNIT_EVENTS,
				},
			},
		},
	};

	return proberun_run(&a.run, argc, argv, status, err);
}
