// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "agg/funccount.h"

#include "agg/counters.h"
#include "agg/derive.h"
#include "base/cleanup.h"
#include "probe/needs.h"
#include "render/render.h"

/* ---- probes -------------------------------------------------------------------------------- */

struct funccount {
	const struct funccount_conf *conf;
	struct proberun run;
	struct tally tally;
	VEC(struct derived) columns;
	const char **column_names;
	double *column_values;
};

/* The duration and result of a call are known only when it returns. */
static int want_return(const struct probe *probe, struct site_pattern *p, const char *option,
		       struct err *err)
{
	enum site_kind kind = site_kind_return(p->kind);

	if (kind == SITE_KIND_N) {
		text_error(&probe->spec.text, p->at, err,
			   "%s: only functions and system calls return", option);
		return err_hint(err, "to time two events, use a span: span(START ; END)");
	}
	p->kind = kind;
	return 0;
}

static int add_specs(void *ctx, struct err *err)
{
	struct funccount *f = ctx;
	const struct funccount_conf *conf = f->conf;
	const struct spec_opts spec = { .is_regex = conf->is_regex };
	struct probes *probes = &f->run.probes;
	int ret = 0;

	for (size_t i = 0; i < conf->run.n_words && !ret; i++) {
		struct site_pattern *p;
		struct probe *probe;

		ret = probes_add(probes, conf->run.words[i], SPEC_FUNCCOUNT, &spec, err);
		if (ret || (!conf->latency && !conf->errors))
			continue;
		probe = probes->v.items[i];
		if (conf->errors && probe->spec.span)
			ret = text_error(&probe->spec.text, probe->spec.site, err,
					 "--errors: a span has no return value");
		vec_for_each(p, &probe->spec.alternatives)
			ret = ret
				      ?: want_return(probe, p,
						     conf->latency ? "--latency" : "--errors", err);
	}
	/* Names of arguments are looked up only if something can use them. */
	probes->opts.wants_types = !ret && asked_wants_types(probes, conf->by, conf->errors);
	return ret;
}

static struct derive_names names_of(struct funccount *f)
{
	return (struct derive_names){
		.lookup = tally_value,
		.name = tally_name,
		.ctx = &f->tally,
		.before = f->columns.items,
		.n_before = f->columns.n,
	};
}

static int parse_columns(struct funccount *f, struct err *err)
{
	const struct opt_strings *words = &f->conf->columns;
	int ret = 0;

	f->column_names = mem_alloc(words->v.n + 1, sizeof(*f->column_names));
	f->column_values = mem_alloc(words->v.n + 1, sizeof(*f->column_values));
	for (size_t i = 0; i < words->v.n && !ret; i++) {
		const struct derive_names names = names_of(f);
		struct derived d;

		ret = derive_parse(&f->run.probes.arena, words->v.items[i], &names, &d, err);
		f->column_names[i] = d.name;
		vec_push(&f->columns, d);
	}
	return ret;
}

static int bind_counts(void *ctx, struct err *err)
{
	struct funccount *f = ctx;
	const struct tally_opts opts = {
		.errors = f->conf->errors,
		.latency = f->conf->latency,
		.by = f->conf->by,
		.max_keys = f->conf->max_keys,
		.has_windows = proberun_has_windows(&f->conf->run),
	};

	int ret = tally_init(&f->tally, &opts, &f->run.probes, f->run.engine.sym, err);

	f->run.wants_mappings = keys_have_user_symbols(&f->run.probes);
	return ret ?: parse_columns(f, err);
}

/* ---- the run ------------------------------------------------------------------------------- */

static int report(void *ctx, struct session_window *w, struct err *err)
{
	struct funccount *f = ctx;
	struct report r = proberun_report(&f->run, w);
	struct derive_names names = names_of(f);
	int ret;

	names.seconds = (double)(r.end_ns - r.start_ns) / (double)NS_PER_SEC;
	keys_find_mappings(&f->run);
	r.count_view.is_wide = f->conf->wide;
	ret = tally_report(&f->tally, &r, err);
	derive_values(f->columns.items, f->columns.n, names, f->column_values);
	r.count_view.columns = f->column_names;
	r.count_view.derived = f->column_values;
	r.count_view.n_columns = (u32)f->columns.n;
	ret = ret ?: output_report(f->run.engine.out, &r, err);
	report_release(&r);
	return ret;
}

static void on_end(void *ctx, struct event_probe *counts, struct run_end *end)
{
	struct funccount *f = ctx;

	for (u32 i = 0; i < end->n_probes; i++)
		counts[i].hits = counts[i].shown = f->tally.agg.hits[i];
	agg_run_ledger(&f->tally.agg, &end->ledger);
}

static void on_tick(void *ctx, u64 now)
{
	struct funccount *f = ctx;

	agg_tidy(&f->tally.agg, now);
}

static const struct proberun_ops run_ops = {
	.doing = "Counting at",
	.add = add_specs,
	.bind = bind_counts,
	.on_tick = on_tick,
	.report = report,
	.end = on_end,
};

static void release(struct funccount *f)
{
	tally_release(&f->tally);
	proberun_release(&f->run);
	vec_release(&f->columns);
	free(f->column_names);
	free(f->column_values);
}

int funccount_run(const struct funccount_conf *conf, int argc, char **argv, int *status,
		  struct err *err)
{
	_cleanup_(release) struct funccount f = {
		.conf = conf,
		.run = {
			.conf = &conf->run,
			.ops = &run_ops,
			.ctx = &f,
			.engine = {
				.kinds = REPORT_COUNTS,
				.info.run = {
					.command = "funccount",
					.title = "counts",
					.value_name = "calls",
					.unit = UNIT_EVENTS,
				},
			},
		},
	};

	return proberun_run(&f.run, argc, argv, status, err);
}
