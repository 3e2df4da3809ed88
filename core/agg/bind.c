// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Turns argdist's specs into the work of programs: keys, values, and the cells that they share. */
#include <string.h>

#include <bpf/libbpf.h>

#include "agg/dist.h"
#include "bpf/abi/cells.h"
#include "syntax/parse.h"

/* Without --keys: this many keys, unless their cells would take more than this many bytes. */
#define KEYS_DEFAULT 10240
#define KEYS_BYTES   (16U << 20)

/* The parts of a spec after its site. */
struct spec_exprs {
	const struct text *t;
	struct ast_type **types;
	struct ast **exprs;
	u32 n_types, n;
};

/* ---- keys and values ---------------------------------------------------------------------- */

/* The default, as in bcc: a function's return value; other sites count hits.  A span's default is
 * its length. */
static const char *default_expr(const struct probe *probe, const struct scope *scope)
{
	if (probe->spec.span)
		return "$latency";
	if (scope->side != SIDE_RETURN || !scope->retval)
		return NULL;
	return scope->is_retval_plain ? "(int)$retval" : "$retval";
}

static int read_parts(struct dists *d, const struct probe *probe, struct spec_exprs *p,
		      struct err *err)
{
	const struct probe_spec *spec = &probe->spec;
	struct arena *a = &d->agg.probes->arena;
	int ret;

	*p = (struct spec_exprs){ .t = &spec->text };
	ret = parse_exprs(a, p->t, spec->exprs, &p->exprs, &p->n, err);
	if (!ret && spec->types.n)
		ret = parse_types(a, p->t, spec->types, &p->types, &p->n_types, err);
	if (!ret && p->n_types && p->n_types != p->n)
		ret = text_error(p->t, spec->types, err, "%u type%s for %u expression%s",
				 p->n_types, p->n_types == 1 ? "" : "s", p->n,
				 p->n == 1 ? "" : "s");
	return ret;
}

static int check_expr(struct spec_exprs *p, u32 i, struct probe_group *g, enum check_as as,
		      const struct tree **out, struct err *err)
{
	const struct check_opts opts = { 0 };
	int ret = expr_check(p->t, p->exprs[i], g->scope, as, &opts, out, err);

	if (!ret && p->n_types)
		ret = expr_convert(p->t, *out, p->types[i], g->scope, out, err);
	return ret;
}

static int compile_own(struct dists *d, struct probe_group *g, const char *expr, enum check_as as,
		       const struct tree **out, struct err *err)
{
	const struct text text = text_of(arena_printf(&d->agg.probes->arena, "%s", expr));

	return probes_compile(d->agg.probes, &text, span_all(&text), g, as, out, err);
}

/* -H, -S: one number. */
static int bind_value(struct dists *d, const struct probe *probe, struct probe_group *g,
		      struct spec_exprs *p, struct err *err)
{
	const char *own = default_expr(probe, g->scope);
	int ret;

	if (p->n > 1)
		return text_error(p->t, p->exprs[1]->at, err,
				  "a histogram takes one value; --by makes a histogram for "
				  "each value of another expression");
	if (!p->n && !own) {
		text_error(p->t, probe->spec.site, err, "nothing to measure was given");
		return err_hint(err, "the form is SITE(signature):type:expression");
	}
	if (p->n)
		ret = check_expr(p, 0, g, CHECK_SCALAR, &g->gen.work.value, err);
	else
		ret = compile_own(d, g, own, CHECK_SCALAR, &g->gen.work.value, err);
	if (!ret && !type_is_scalar(g->gen.work.value->type))
		ret = text_error(p->t, p->exprs[0]->at, err,
				 "this is not a number; only numbers have a distribution");
	return ret;
}

/* In a pattern of tracepoints, exits of system calls are events like all others. */
static bool is_any_tracepoint(const struct probe *probe, const struct probe_group *g)
{
	const struct site *site = group_site(g, 0);
	const struct site_pattern *p = &probe->spec.alternatives.items[site->pattern];

	return site->kind == SITE_TRACEPOINT && (p->is_glob || p->is_regex);
}

/* -C: the expressions are the last parts of the key. */
static int bind_key(struct dists *d, const struct probe *probe, struct probe_group *g,
		    struct spec_exprs *p, bool is_count, struct err *err)
{
	const struct key_exprs *by = &d->agg.by;
	const char *own = is_count && !p->n && !probe->spec.span && !is_any_tracepoint(probe, g)
				  ? default_expr(probe, g->scope)
				  : NULL;
	u32 n = is_count ? p->n + (own != NULL) : 0;
	const struct tree **key;
	int ret = 0;

	if (by->n + n > DIST_MAX_KEYS)
		return text_error(p->t, p->exprs[0]->at, err, "more than %u keys", DIST_MAX_KEYS);
	key = arena_alloc(&d->agg.probes->arena, by->n + n + 1, sizeof(*key));
	ret = key_exprs_check(by, g, key, err);
	for (u32 i = 0; i < n && !ret; i++)
		ret = own ? compile_own(d, g, own, CHECK_VALUE, &key[by->n], err)
			  : check_expr(p, i, g, CHECK_VALUE, &key[by->n + i], err);
	if (!ret)
		key_bind(g, key, by->n + n);
	return ret;
}

/* ---- cells -------------------------------------------------------------------------------- */

static enum gen_cell cell_of(const struct dists *d, enum dist_kind kind)
{
	static const enum gen_cell histograms[] = {
		[SCALE_LOG2] = CELL_LOG2,
		[SCALE_LINEAR] = CELL_LINEAR,
		[SCALE_BOUNDS] = CELL_BOUNDS,
	};

	switch (kind) {
	case DIST_HISTOGRAM:
		return histograms[d->opts.scale.kind];
	case DIST_STATISTICS:
		return CELL_STATS;
	default:
		return CELL_COUNT;
	}
}

/* Do the keys of both have the same bytes in the kernel? */
static bool same_key(const struct agg_table *t, const struct gen_plan *g)
{
	if (gen_key_has_bits(t->key, t->n_key) != gen_key_has_bits(g->work.key, g->work.n_key))
		return false;
	for (u32 i = 0; i < g->work.n_key; i++)
		if (!type_same(t->key[i]->type, g->work.key[i]->type))
			return false;
	return true;
}

static bool is_pair(enum gen_cell cell)
{
	return cell == CELL_SUM || cell == CELL_MIN || cell == CELL_MAX;
}

static bool same_layout(const struct agg_table *t, u32 result, const struct gen_plan *g)
{
	const struct dist_cells *c = dist_cells_of(t);

	if (c->result != result || t->n_key != g->work.n_key || !c->value != !g->work.value)
		return false;
	if (!is_pair(g->work.cell) && g->work.value &&
	    c->value->is_signed != g->work.value->type->is_signed)
		return false;
	return same_key(t, g);
}

/* The words `least` and `greatest` of struct cell_stats. */
static bool is_stats_extreme(const void *ctx, u32 i)
{
	(void)ctx;
	return i == offsetof(struct cell_stats, least) / sizeof(u64) ||
	       i == offsetof(struct cell_stats, greatest) / sizeof(u64);
}

static struct cell_layout layout_of(const struct dists *d, const struct gen_plan *g)
{
	struct cell_layout l = { .n_words = gen_cell_bytes(g) / (u32)sizeof(u64), .ctx = d };

	if (g->work.cell == CELL_STATS)
		l.is_extreme = is_stats_extreme;
	else if (is_pair(g->work.cell))
		l.is_extreme = dist_is_table_extreme;
	return l;
}

static struct cell_table_opts table_opts(const struct dists *d, const struct gen_plan *g)
{
	u64 n_cpus = d->agg.probes->opts.is_offline ? 1 : (u64)libbpf_num_possible_cpus();
	struct cell_table_opts o = {
		.key_bytes = g->work.n_key ? gen_cell_key_bytes(g->work.key, g->work.n_key) : 0,
		.n_cells = 1,
		.layout = layout_of(d, g),
		.max_keys = d->opts.max_keys,
		.has_windows = d->opts.has_windows,
	};

	if (!o.max_keys)
		o.max_keys = KEYS_BYTES / cell_table_bytes(&o);
	if (!d->opts.max_keys && o.max_keys > KEYS_DEFAULT)
		o.max_keys = KEYS_DEFAULT;
	/* The kernel allocates the values of each CPU key by key, which takes ten times as long as
	 * a table that CPUs share, and is of no use if there is only one CPU. */
	o.is_shared = n_cpus == 1 || cell_table_bytes(&o) * n_cpus * o.max_keys > KEYS_BYTES;
	return o;
}

static int find_table(struct dists *d, u32 result, const struct probe *probe,
		      const struct gen_plan *g, struct agg_table **out, struct err *err)
{
	const struct cell_table_opts cells = table_opts(d, g);
	struct dist_result *r = &d->results.items[result];
	struct agg_table like = { .rows = r->rows, .probe = probe };
	struct dist_cells *about;

	for (size_t i = 0; i < d->agg.tables.n; i++) {
		*out = d->agg.tables.items[i];
		if (same_layout(*out, result, g))
			return 0;
	}
	about = arena_new(&d->agg.probes->arena, struct dist_cells);
	*about = (struct dist_cells){ d, result, g->work.value ? g->work.value->type : NULL,
				      g->work.value };
	like.key = g->work.key;
	like.n_key = g->work.n_key;
	like.owner = about;
	like.events = r->shown.kind == DIST_TABLE ? dist_table_events : NULL;
	r->layout = cells.layout;
	return agg_add_table(&d->agg, &like, &cells, dist_count_cell, out, err);
}

/* ---- the result --------------------------------------------------------------------------- */

static const char *text_at(struct dists *d, const struct text *t, struct text_range at)
{
	return arena_view(&d->agg.probes->arena, span_view(t, span_trim(t, at)));
}

static const char *name_key(struct dists *d, const struct spec_exprs *p, u32 i)
{
	if (i < d->agg.by.n)
		return d->agg.by.names[i];
	return p->n ? column_of_key(&d->agg.probes->arena, p->t, p->exprs[i - d->agg.by.n])
		    : "retval";
}

static void name_keys(struct dists *d, struct dist *shown, const struct spec_exprs *p,
		      const struct probe_group *g)
{
	struct arena *a = &d->agg.probes->arena;
	const char **names = arena_alloc(a, g->gen.work.n_key + 1, sizeof(*names));

	for (u32 i = 0; i < g->gen.work.n_key; i++)
		if (!key_is_stack(g->gen.work.key[i]))
			names[shown->n_keys++] = name_key(d, p, i);
	shown->key_names = names;
}

static u32 n_texts(const struct probe_group *g)
{
	u32 n = 0;

	for (u32 i = 0; i < g->gen.work.n_key; i++)
		n += !key_is_stack(g->gen.work.key[i]);
	return n;
}

/* All groups of a probe have the same names; their values may differ in sign. */
static int describe(struct dists *d, struct dist *shown, const struct probe *probe,
		    const struct spec_exprs *p, const struct probe_group *g, struct err *err)
{
	const struct type *value = g->gen.work.value ? g->gen.work.value->type : NULL;

	if (shown->key_names && shown->n_keys != n_texts(g))
		return text_error(p->t, probe->spec.site, err,
				  "some of these sites return a value, some don't: give an "
				  "expression, or a spec for each kind");
	if (!shown->key_names)
		name_keys(d, shown, p, g);
	shown->event_name = "total calls";
	shown->value_name = p->n	       ? text_at(d, p->t, p->exprs[0]->at)
			    : probe->spec.span ? "$latency"
					       : "$retval";
	if (!value)
		return 0;
	/* MIN, STEP and bounds are always signed, even if the values are not. */
	shown->is_signed |= value->is_signed ||
			    (shown->kind == DIST_HISTOGRAM && shown->scale.kind != SCALE_LOG2);
	shown->unit = value->show == SHOW_NS ? "ns" : NULL;
	return 0;
}

/* -C, -H, -S: key and value. */
static int bind_parts(struct dists *d, struct probe *probe, struct probe_group *g,
		      struct dist_result *r, struct err *err)
{
	bool is_count = r->shown.kind == DIST_COUNTS;
	struct spec_exprs p;
	int ret = read_parts(d, probe, &p, err);

	if (!ret && !is_count)
		ret = bind_value(d, probe, g, &p, err);
	ret = ret ?: bind_key(d, probe, g, &p, is_count, err)
		  ?: dist_take_key_stacks(d, probe, r, &g->gen, err)
		  ?: describe(d, &r->shown, probe, &p, g, err);
	g->gen.work.cell = r->cell = cell_of(d, r->shown.kind);
	return ret;
}

int dist_bind_group(struct dists *d, u32 index, struct probe_group *g, struct err *err)
{
	struct probe *probe = d->agg.probes->v.items[index];
	u32 result = d->result_of[index];
	struct dist_result *r = &d->results.items[result];
	struct agg_table *table;
	int ret = probes_check_predicate(d->agg.probes, probe, g, err);

	if (!ret && r->shown.kind == DIST_TABLE)
		ret = dist_bind_column(d, index, g, err);
	else if (!ret)
		ret = bind_parts(d, probe, g, r, err);
	if (ret)
		return ret;
	g->gen.work.action = GEN_KEYED;
	g->gen.work.min = d->opts.scale.min;
	g->gen.work.step = d->opts.scale.step;
	g->gen.work.n_buckets = d->opts.scale.n;
	g->gen.work.bounds = d->opts.scale.bounds;
	r->rows->n_keys = r->shown.n_keys;
	ret = find_table(d, result, probe, &g->gen, &table, err);
	cell_table_bind(&table->cells, &g->gen);
	if (!ret && d->opts.is_open)
		ret = dist_bind_open(d, probe, g, err);
	return ret;
}
