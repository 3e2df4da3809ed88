// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "agg/counters.h"

#include <string.h>

#include "base/hash.h"

/* ---- names of sites ----------------------------------------------------------------------- */

static u64 hash_of(const struct count_row *look)
{
	return hash_mix(hash_bytes(look->name, strlen(look->name)), (u64)(uintptr_t)look->probe);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* The number of the look, which several sites of a probe share if they have the same name. */
static u32 look_id(struct tally *t, const struct count_row *want, bool is_hidden)
{
	u64 hash = hash_of(want);
	size_t at = 0;
	u32 id;

	while (index_next(&t->by_name, hash, &at, &id)) {
		const struct count_row *look = &t->looks.items[id].shown;

		if (look->probe == want->probe && !strcmp(look->name, want->name) &&
		    same_text(look->mod, want->mod))
			return id;
	}
	id = (u32)t->looks.n;
	vec_push(&t->looks, (struct tally_look){ .shown = *want, .is_hidden = is_hidden });
	index_add(&t->by_name, hash, id);
	return id;
}

static const char *label_of(struct tally *t, const struct probe *probe)
{
	if (!probe->spec.has_label)
		return NULL;
	return arena_view(&t->agg.probes->arena, span_view(&probe->spec.text, probe->spec.label));
}

static const char *module_of(const struct site *s)
{
	if (s->file)
		return s->file->path;
	if (s->category)
		return s->category;
	if (s->kind == SITE_FUNC || s->kind == SITE_FUNC_RET)
		return s->module ? s->module : "kernel";
	return NULL;
}

/* With one spec, the function's name alone, as in bcc; with several, the site's full name. */
static const char *name_of(struct tally *t, const struct site *s)
{
	if (t->agg.probes->v.n > 1)
		return s->name;
	if (s->kind == SITE_TRACEPOINT)
		return arena_printf(&t->agg.probes->arena, "%s:%s", s->category, s->func);
	return s->func;
}

static bool is_pattern(const struct probe *probe)
{
	const struct site_pattern *p;

	vec_for_each(p, &probe->spec.alternatives)
		if (p->is_glob || p->is_regex)
			return true;
	return false;
}

static struct count_row look_of(struct tally *t, const struct probe *probe, u32 site)
{
	const struct site *s = &probe->plan.sites.items[site];
	struct count_row row = { .probe = probe->name, .label = label_of(t, probe) };

	row.name = row.label ? row.label : name_of(t, s);
	if (probe->spec.span && !row.label)
		row.name = probe->name;
	if (probe->spec.span || (row.label && probe->plan.sites.n > 1))
		return row;
	row.func = s->func;
	row.mod = module_of(s);
	return row;
}

/* Number the looks of a probe's sites, and that of its keys that did not fit. */
static void number_sites(struct tally *t, u32 index)
{
	const struct probe *probe = t->agg.probes->v.items[index];
	bool is_hidden = is_pattern(probe) && !probe->spec.has_label;
	struct count_row other = { .probe = probe->name, .label = label_of(t, probe) };

	for (u32 s = 0; s < probe->plan.sites.n; s++) {
		struct count_row look = look_of(t, probe, s);

		t->look_of[t->first[index] + s] = look_id(t, &look, is_hidden);
	}
	if (!t->opts.by)
		return;
	other.name = other.label ? other.label : probe->name;
	t->other_look[index] = look_id(t, &other, true);
}

static void number_all_sites(struct tally *t)
{
	const struct probes *p = t->agg.probes;
	u32 n = 0;

	t->first = mem_alloc(p->v.n + 1, sizeof(*t->first));
	t->other_look = mem_alloc(p->v.n + 1, sizeof(*t->other_look));
	for (size_t i = 0; i < p->v.n; i++) {
		t->first[i] = n;
		n += (u32)p->v.items[i]->plan.sites.n;
	}
	t->n_sites = n;
	t->look_of = mem_alloc(n + 1, sizeof(*t->look_of));
	for (u32 i = 0; i < p->v.n; i++)
		number_sites(t, i);
}

/* ---- sums --------------------------------------------------------------------------------- */

/*
 * Did the call fail?  If the type is known: it returned a negative number or an error pointer.
 * Otherwise, the register is read as an int, sign-extended or zero-extended.
 */
static const char *failure_of(const struct scope *scope)
{
	const struct type *type = scope->retval ? scope->retval->type : NULL;

	if (!type || type->kind == TYPE_VOID)
		return "0";
	if (type->kind == TYPE_POINTER)
		return scope->is_user ? "0" : "IS_ERR($retval)";
	if (type->is_bool)
		return "0";
	if (type->is_signed && !scope->is_retval_plain)
		return "$retval < 0";
	if (!scope->is_user)
		return "(long)$retval < 0 && (long)$retval >= -4095";
	return "(int)$retval < 0 && ((unsigned long)$retval >> 32 == 0 || "
	       "(unsigned long)$retval >> 32 == 0xffffffff)";
}

static int compile_own(struct tally *t, struct probe_group *g, const char *expr,
		       const struct tree **out, struct err *err)
{
	const struct text text = text_of(expr);

	return probes_compile(t->agg.probes, &text, span_all(&text), g, CHECK_SCALAR, out, err);
}

static int bind_sums(struct tally *t, struct probe_group *g, struct err *err)
{
	u32 n = 0;
	int ret = 0;

	g->values = arena_alloc(&t->agg.probes->arena, GEN_MAX_SUMS, sizeof(*g->values));
	if (t->opts.errors)
		ret = compile_own(t, g, failure_of(g->scope), &g->values[n++], err);
	if (!ret && t->opts.latency)
		ret = compile_own(t, g, "$latency", &g->values[n++], err);
	g->gen.work.values = (const struct tree *const *)g->values;
	g->gen.work.n_values = n;
	return ret;
}

/* ---- cells -------------------------------------------------------------------------------- */

static u64 count_of(const void *table, const u64 *cell)
{
	(void)table;
	return cell[0];
}

static u64 look_of_site(const struct agg_table *table, u32 site)
{
	const struct tally *t = table->owner;
	u32 probe = table->probe->index;

	return site == AGG_OTHER ? t->other_look[probe] : t->look_of[t->first[probe] + site];
}

static void on_cell(struct agg *a, const struct agg_table *t, const struct agg_row *row,
		    const u64 *cell)
{
	(void)row;
	a->hits[t->probe->index] += cell[0];
}

/* The table of keys for all groups of a spec whose keys have the same size. */
static int find_keyed(struct tally *t, const struct probe *probe, const struct probe_group *g,
		      struct agg_table **out, struct err *err)
{
	const struct agg_table like = {
		.rows = t->rows,
		.probe = probe,
		.key = g->gen.work.key,
		.n_key = g->gen.work.n_key,
		.look = look_of_site,
		.owner = t,
	};
	const struct cell_table_opts cells = {
		.key_bytes = gen_cell_key_bytes(g->gen.work.key, g->gen.work.n_key),
		.layout.n_words = t->n_sums,
		.max_keys = t->opts.max_keys,
		.has_windows = t->opts.has_windows,
	};

	for (size_t i = 0; i < t->agg.tables.n; i++) {
		*out = t->agg.tables.items[i];
		if ((*out)->probe == probe && (*out)->cells.opts.key_bytes == cells.key_bytes)
			return 0;
	}
	return agg_add_table(&t->agg, &like, &cells, count_of, out, err);
}

/* The site is the first part of each key. */
static int bind_key(struct tally *t, const struct probe *probe, struct probe_group *g,
		    struct err *err)
{
	const struct key_exprs *by = &t->agg.by;
	const struct tree **key = arena_alloc(&t->agg.probes->arena, 1 + by->n, sizeof(*key));
	struct agg_table *table;
	int ret = compile_own(t, g, "$func", &key[0], err) ?: key_exprs_check(by, g, &key[1], err);

	for (u32 i = 0; i < by->n && !ret; i++)
		if (key_is_stack(key[1 + i]))
			ret = text_error(&by->text, by->exprs[i]->at, err,
					 "--by: a stack is a key of bperf argdist");
	if (ret)
		return ret;
	key_bind(g, key, 1 + by->n);
	g->gen.work.action = GEN_KEYED;
	g->gen.work.cell = CELL_COUNT;
	ret = find_keyed(t, probe, g, &table, err);
	cell_table_bind(&table->cells, &g->gen);
	return ret;
}

/* Without keys: an array with a cell for each of the probe's sites. */
static int add_array(struct tally *t, const struct probe *probe, struct agg_table **out,
		     struct err *err)
{
	const struct cell_table_opts cells = {
		.n_cells = (u32)probe->plan.sites.n,
		.layout.n_words = t->n_sums,
	};
	const struct agg_table like = {
		.rows = t->rows,
		.probe = probe,
		.look = look_of_site,
		.owner = t,
		.last = mem_alloc((size_t)cells.n_cells * t->n_sums + 1, sizeof(u64)),
	};

	return agg_add_table(&t->agg, &like, &cells, count_of, out, err);
}

static int bind_group(struct tally *t, const struct agg_table *array, struct probe *probe,
		      struct probe_group *g, struct err *err)
{
	int ret = probes_check_predicate(t->agg.probes, probe, g, err) ?: bind_sums(t, g, err);

	if (ret)
		return ret;
	if (!array)
		return bind_key(t, probe, g, err);
	g->gen.work.action = GEN_COUNT;
	g->gen.maps.counts = array->cells.halves[0].fd;
	return 0;
}

static int bind_probe(struct tally *t, struct probe *probe, struct err *err)
{
	struct agg_table *array = NULL;
	int ret = t->opts.by ? 0 : add_array(t, probe, &array, err);

	for (size_t i = 0; i < probe->groups.n && !ret; i++)
		ret = bind_group(t, array, probe, probe->groups.items[i], err);
	return ret;
}

int tally_init(struct tally *t, const struct tally_opts *opts, struct probes *probes,
	       struct symbolizer *sym, struct err *err)
{
	const struct agg_opts agg = {
		.by = opts->by,
		.max_by = COUNT_MAX_KEYS,
		.has_windows = opts->has_windows,
		.on_cell = on_cell,
		.owner = t,
	};
	int ret;

	*t = (struct tally){ .opts = *opts, .n_sums = 1 + opts->errors + opts->latency };
	ret = agg_init(&t->agg, &agg, probes, sym, err);
	t->rows = agg_add_rows(&t->agg);
	t->rows->n_keys = t->agg.by.n;
	number_all_sites(t);
	for (size_t i = 0; i < probes->v.n && !ret; i++)
		ret = bind_probe(t, probes->v.items[i], err);
	return ret;
}

void tally_release(struct tally *t)
{
	agg_release(&t->agg);
	vec_release(&t->looks);
	index_release(&t->by_name);
	free(t->first);
	free(t->look_of);
	free(t->other_look);
}

/* ---- reports ------------------------------------------------------------------------------ */

static const struct tally_look *look_of_row(const struct tally *t, const struct agg_row *row)
{
	return &t->looks.items[row->ids[0][0]];
}

/* A site found by a pattern is shown only if it was hit. */
static bool is_shown(const struct tally *t, const struct agg_row *row, const struct report *r)
{
	return row->head[0] || r->count_view.is_wide ||
	       (!t->opts.by && !look_of_row(t, row)->is_hidden);
}

static void add_row(const struct tally *t, const struct agg_row *row, struct report *r)
{
	struct count_row shown = look_of_row(t, row)->shown;
	u32 n = 1;

	shown.key = t->opts.by ? row->key : NULL;
	shown.marks = row->marks;
	shown.value = row->head[0];
	if (t->opts.errors)
		shown.errors = row->head[n++];
	if (t->opts.latency)
		shown.time_ns = row->head[n];
	r->total += shown.value;
	vec_push(&r->counts, shown);
}

int tally_report(struct tally *t, struct report *r, struct err *err)
{
	const struct agg_row *row;
	int ret = agg_read(&t->agg, r->is_snapshot, err);

	if (ret)
		return ret;
	r->kind = REPORT_COUNTS;
	agg_report_ledger(&t->agg, &r->ledger);
	r->count_view.has_errors = t->opts.errors;
	r->count_view.has_times = t->opts.latency;
	r->count_view.key_names = t->agg.by.names;
	r->count_view.n_keys = t->agg.by.n;
	vec_for_each(row, &t->rows->v)
		if (is_shown(t, row, r))
			add_row(t, row, r);
	return 0;
}

bool tally_value(void *ctx, const char *name, double *value)
{
	const struct tally *t = ctx;

	for (u32 i = 0; i < t->looks.n; i++) {
		const struct count_row *look = &t->looks.items[i].shown;
		struct agg_row like = { .ids[0][0] = i, .key = &look->name };
		u32 row;

		if (strcmp(look->name, name) != 0 && (!look->func || strcmp(look->func, name) != 0))
			continue;
		row = agg_rows_find(t->rows, &like);
		*value = row == AGG_NO_ROW ? 0 : (double)t->rows->v.items[row].head[0];
		return true;
	}
	return false;
}

const char *tally_name(void *ctx, u32 i)
{
	const struct tally *t = ctx;

	return i < t->looks.n ? t->looks.items[i].shown.name : NULL;
}
