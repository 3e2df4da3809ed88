// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* argdist --table: sites that fill the columns of one row per key, and columns derived from
 * them. */
#include <math.h>
#include <string.h>

#include "agg/dist.h"
#include "bpf/abi/cells.h"
#include "syntax/parse.h"

static const struct {
	enum gen_cell cell;
	enum dist_fn fn;
} fns[] = {
	[SPEC_FN_COUNT] = { CELL_SUM, DIST_FN_COUNT }, [SPEC_FN_SUM] = { CELL_SUM, DIST_FN_SUM },
	[SPEC_FN_AVG] = { CELL_SUM, DIST_FN_AVG },     [SPEC_FN_MIN] = { CELL_MIN, DIST_FN_MIN },
	[SPEC_FN_MAX] = { CELL_MAX, DIST_FN_MAX },
};

/* ---- keys --------------------------------------------------------------------------------- */

/* Keys get their names from the first spec; stacks have no names. */
static void name_keys(struct dists *d, struct dist *shown, const struct text *t,
		      struct ast *const *exprs, const struct gen_plan *g)
{
	struct arena *a = &d->agg.probes->arena;
	const char **names = arena_alloc(a, g->work.n_key + 1, sizeof(*names));

	for (u32 i = 0; i < g->work.n_key; i++)
		if (!key_is_stack(g->work.key[i]))
			names[shown->n_keys++] =
				i < d->agg.by.n ? d->agg.by.names[i]
						: column_of_key(a, t, exprs[i - d->agg.by.n]);
	shown->key_names = names;
}

static int check_part(const struct text *t, const struct ast *e, struct probe_group *g,
		      const struct tree **out, struct err *err)
{
	const struct check_opts opts = { 0 };

	return expr_check(t, e, g->scope, CHECK_VALUE, &opts, out, err);
}

/* All specs of a table must have the same number of keys. */
static int check_number(struct dists *d, struct dist_result *r, const struct probe_spec *spec,
			u32 n, struct err *err)
{
	if (d->agg.by.n + n > DIST_MAX_KEYS)
		return text_error(&spec->text, spec->key, err, "more than %u keys", DIST_MAX_KEYS);
	if (r->shown.key_names && r->n_key != d->agg.by.n + n)
		return text_error(
			&spec->text, spec->key.n ? spec->key : spec->site, err,
			"all specs of a table must have as many keys: this one has %u, the first %u",
			n, r->n_key - d->agg.by.n);
	r->n_key = d->agg.by.n + n;
	return 0;
}

static int bind_key(struct dists *d, struct dist_result *r, const struct probe *probe,
		    struct probe_group *g, struct err *err)
{
	const struct probe_spec *spec = &probe->spec;
	struct arena *a = &d->agg.probes->arena;
	const struct tree **key;
	struct ast **exprs;
	u32 n;
	int ret = parse_exprs(a, &spec->text, spec->key, &exprs, &n, err)
			  ?: check_number(d, r, spec, n, err);

	if (ret)
		return ret;
	key = arena_alloc(a, d->agg.by.n + n + 1, sizeof(*key));
	ret = key_exprs_check(&d->agg.by, g, key, err);
	for (u32 i = 0; i < n && !ret; i++)
		ret = check_part(&spec->text, exprs[i], g, &key[d->agg.by.n + i], err);
	if (!ret)
		key_bind(g, key, d->agg.by.n + n);
	ret = ret ?: dist_take_key_stacks(d, probe, r, &g->gen, err);
	if (!ret && !r->shown.key_names)
		name_keys(d, &r->shown, &spec->text, exprs, &g->gen);
	return ret;
}

/* ---- columns ------------------------------------------------------------------------------ */

/* The index of the probe's column, which is added for its first group. */
static u32 column_of(struct dists *d, u32 probe, const struct spec_column *c)
{
	const struct probe_spec *spec = &d->agg.probes->v.items[probe]->spec;
	struct dist_column column = { .fn = fns[c->fn].fn };

	for (u32 i = 0; i < d->columns.n; i++)
		if (d->column_probes.items[i] == probe)
			return i;
	column.name = arena_view(&d->agg.probes->arena, span_view(&spec->text, c->name));
	vec_push(&d->column_probes, probe);
	vec_push(&d->columns, column);
	return (u32)d->columns.n - 1;
}

static u32 n_columns(const struct dists *d)
{
	u32 n = 0;

	for (size_t i = 0; i < d->agg.probes->v.n; i++)
		n += d->opts.words[i].kind == DIST_TABLE;
	return n;
}

int dist_bind_column(struct dists *d, u32 index, struct probe_group *g, struct err *err)
{
	static const char zero[] = "0";
	const struct text none = text_of(zero);
	const struct probe *probe = d->agg.probes->v.items[index];
	const struct probe_spec *spec = &probe->spec;
	const struct spec_column *c = &spec->columns.items[d->opts.words[index].column];
	bool is_plain = c->fn == SPEC_FN_COUNT && !c->expr.n;
	int ret = bind_key(d, &d->results.items[d->result_of[index]], probe, g, err);

	if (!ret)
		ret = probes_compile(d->agg.probes, is_plain ? &none : &spec->text,
				     is_plain ? span_all(&none) : c->expr, g, CHECK_SCALAR,
				     &g->gen.work.value, err);
	if (ret)
		return ret;
	g->gen.work.index = column_of(d, index, c);
	g->gen.work.cell = fns[c->fn].cell;
	g->gen.work.cell_bytes = n_columns(d) * (u32)sizeof(struct cell_pair);
	d->columns.items[g->gen.work.index].is_signed |= g->gen.work.value->type->is_signed;
	return 0;
}

bool dist_is_table_extreme(const void *dists, u32 i)
{
	const struct dists *d = dists;
	enum dist_fn fn = d->columns.items[i / CELL_PAIR_WORDS].fn;

	return i % CELL_PAIR_WORDS && (fn == DIST_FN_MIN || fn == DIST_FN_MAX);
}

/* ---- rows --------------------------------------------------------------------------------- */

/* Looks up columns by name in a row that is being made (NULL: only checks that they exist). */
struct row_of {
	const struct dists *d;
	const struct dist_row *row;
};

static bool column_value(void *ctx, const char *name, double *value)
{
	const struct row_of *of = ctx;

	for (u32 i = 0; i < of->d->columns.n; i++) {
		const struct dist_column *c = &of->d->columns.items[i];

		if (strcmp(c->name, name) != 0)
			continue;
		*value = of->row ? dist_cell_number(c, &of->row->cells[i]) : (double)NAN;
		return true;
	}
	return false;
}

static const char *column_name(void *ctx, u32 i)
{
	const struct row_of *of = ctx;

	return i < of->d->columns.n ? of->d->columns.items[i].name : NULL;
}

static struct derive_names names_of(struct row_of *of)
{
	const struct dists *d = of->d;

	return (struct derive_names){
		.lookup = column_value,
		.name = column_name,
		.ctx = of,
		.before = d->derived.items,
		.n_before = d->derived.n,
		.seconds = d->seconds,
	};
}

static struct dist_cell take_cell(const struct dists *d, const struct agg_row *e, u32 i)
{
	const struct dist_column *c = &d->columns.items[i];
	u32 at = i * CELL_PAIR_WORDS;
	struct dist_cell cell = { .count = agg_word(e, at) };
	u64 word = agg_word(e, at + 1);

	switch (c->fn) {
	case DIST_FN_MIN:
		cell.value = cell_order(~word, c->is_signed);
		break;
	case DIST_FN_MAX:
		cell.value = cell_order(word, c->is_signed);
		break;
	default:
		cell.value = word;
	}
	return cell;
}

/* The columns of one spec count the same events, unless one of them cannot read its value. */
struct events {
	u64 of_specs, of_spec; /* that the specs so far have; that the last one has */
};

static void add_events(const struct dists *d, u32 column, u64 n, struct events *e)
{
	if (!d->agg.probes->v.items[d->column_probes.items[column]]->is_column) {
		e->of_specs += e->of_spec;
		e->of_spec = 0;
	}
	if (e->of_spec < n)
		e->of_spec = n;
}

u64 dist_table_events(const struct agg_table *t, const u64 *cell)
{
	const struct dists *d = t->agg->opts.owner;
	struct events e = { 0 };

	for (u32 i = 0; i < d->columns.n; i++)
		add_events(d, i, cell[CELL_PAIR_WORDS * i], &e);
	return e.of_specs + e.of_spec;
}

void dist_take_table(struct dists *d, const struct agg_row *e, struct dist_row *row)
{
	struct row_of of = { d, row };
	struct events events = { 0 };

	row->cells = mem_alloc(d->columns.n + 1, sizeof(*row->cells));
	row->derived = mem_alloc(d->derived.n + 1, sizeof(*row->derived));
	for (u32 i = 0; i < d->columns.n; i++) {
		row->cells[i] = take_cell(d, e, i);
		add_events(d, i, row->cells[i].count, &events);
	}
	row->count = events.of_specs + events.of_spec;
	derive_values(d->derived.items, d->derived.n, names_of(&of), row->derived);
}

/* ---- derived columns ---------------------------------------------------------------------- */

static int check_sort(const struct dists *d, struct err *err)
{
	struct row_of of = { d, NULL };
	double ignored;

	if (!d->opts.sort || column_value(&of, d->opts.sort, &ignored))
		return 0;
	for (u32 i = 0; i < d->derived.n; i++)
		if (!strcmp(d->derived_names[i], d->opts.sort))
			return 0;
	err_set(err, ERR_USAGE, "--sort: no column has the name '%s'", d->opts.sort);
	return derive_hint(column_name, &of, err);
}

int dist_bind_table(struct dists *d, struct err *err)
{
	struct row_of of = { d, NULL };
	struct dist_result *r;
	int ret = 0;

	d->derived_names = arena_alloc(&d->agg.probes->arena, d->opts.n_derived + 1,
				       sizeof(*d->derived_names));
	for (u32 i = 0; i < d->opts.n_derived && !ret; i++) {
		struct derive_names names = names_of(&of);
		struct derived derived;

		ret = derive_parse(&d->agg.probes->arena, d->opts.derived[i], &names, &derived,
				   err);
		d->derived_names[i] = derived.name;
		vec_push(&d->derived, derived);
	}
	vec_for_each(r, &d->results) {
		if (r->shown.kind != DIST_TABLE)
			continue;
		r->shown.columns = d->columns.items;
		r->shown.n_columns = (u32)d->columns.n;
		r->shown.derived_names = d->derived_names;
		r->shown.n_derived = (u32)d->derived.n;
	}
	return ret ?: check_sort(d, err);
}
