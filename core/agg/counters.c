// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "agg/counters.h"

#include <errno.h>
#include <string.h>

#include <bpf/bpf.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/memlimit.h"
#include "run/prog.h"

#define NO_ROW UINT32_MAX

/* ---- rows --------------------------------------------------------------------------------- */

static u64 hash_of(const struct count_row *row, u32 n_keys)
{
	u64 h = hash_bytes(row->name, strlen(row->name));

	h = hash_mix(h, (u64)(uintptr_t)row->probe);
	for (u32 i = 0; row->key && i < n_keys; i++)
		h = hash_mix(h, hash_bytes(row->key[i], strlen(row->key[i])));
	return h;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool is_same(const struct count_row *a, const struct count_row *b, u32 n_keys)
{
	if (a->probe != b->probe || strcmp(a->name, b->name) != 0 || !same_text(a->mod, b->mod) ||
	    !a->key != !b->key)
		return false;
	for (u32 i = 0; a->key && i < n_keys; i++)
		if (strcmp(a->key[i], b->key[i]) != 0)
			return false;
	return true;
}

/* The row that looks like this one: a probe may be at several places. */
static u32 row_id(struct tally *t, const struct count_row *want, bool is_hidden)
{
	u64 hash = hash_of(want, t->by.n);
	size_t at = 0;
	u32 id;

	while (index_next(&t->by_name, hash, &at, &id))
		if (is_same(&t->rows.items[id].shown, want, t->by.n))
			return id;
	id = (u32)t->rows.n;
	vec_push(&t->rows, (struct tally_row){ .shown = *want, .is_hidden = is_hidden });
	index_add(&t->by_name, hash, id);
	return id;
}

static const char *label_of(struct tally *t, const struct probe *probe)
{
	if (!probe->spec.has_label)
		return NULL;
	return arena_view(&t->texts, span_view(&probe->spec.text, probe->spec.label));
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

/* One spec: functions by name alone, as bcc has them; several: with where they are. */
static const char *name_of(struct tally *t, const struct site *s)
{
	if (t->probes->v.n > 1)
		return s->name;
	if (s->kind == SITE_TRACEPOINT)
		return arena_printf(&t->texts, "%s:%s", s->category, s->func);
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

static void number_sites(struct tally *t)
{
	u32 n = 0;

	t->first = mem_alloc(t->probes->v.n + 1, sizeof(*t->first));
	t->hits = mem_alloc(t->probes->v.n + 1, sizeof(*t->hits));
	t->hits_before = mem_alloc(t->probes->v.n + 1, sizeof(*t->hits_before));
	for (size_t i = 0; i < t->probes->v.n; i++) {
		t->first[i] = n;
		n += (u32)t->probes->v.items[i]->plan.sites.n;
	}
	t->n_sites = n;
	t->row_of = mem_alloc(n + 1, sizeof(*t->row_of));
	for (size_t i = 0; i < t->probes->v.n && !t->opts.by; i++) {
		const struct probe *probe = t->probes->v.items[i];
		bool is_hidden = is_pattern(probe) && !probe->spec.has_label;

		for (u32 s = 0; s < probe->plan.sites.n; s++) {
			struct count_row row = look_of(t, probe, s);

			t->row_of[t->first[i] + s] = row_id(t, &row, is_hidden);
		}
	}
}

/* ---- what is summed ----------------------------------------------------------------------- */

/*
 * Did the call fail?  Where the type is known: a negative number, an error pointer.  Where it is
 * not, the register is looked at as an int with its sign extended, or with zeros above.
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

	return probes_compile(t->probes, &text, span_all(&text), g, CHECK_SCALAR, out, err);
}

static int bind_sums(struct tally *t, struct probe_group *g, struct err *err)
{
	u32 n = 0;
	int ret = 0;

	g->values = arena_alloc(&t->probes->arena, GEN_MAX_SUMS, sizeof(*g->values));
	if (t->opts.errors)
		ret = compile_own(t, g, failure_of(g->scope), &g->values[n++], err);
	if (!ret && t->opts.latency)
		ret = compile_own(t, g, "$latency", &g->values[n++], err);
	g->gen.values = (const struct tree *const *)g->values;
	g->gen.n_values = n;
	return ret;
}

/* ---- keys --------------------------------------------------------------------------------- */

static u64 count_of(void *ctx, const u64 *cell)
{
	(void)ctx;
	return cell[0];
}

static int find_cells(struct tally *t, u32 probe, u32 key_bytes, struct tally_cells **out,
		      struct err *err)
{
	const struct key_table_opts opts = {
		.key_bytes = key_bytes,
		.cell_bytes = t->n_sums * (u32)sizeof(u64),
		.max_keys = t->opts.max_keys,
		.has_windows = t->opts.has_windows,
		.count = count_of,
	};
	struct tally_cells *c;
	int ret = 0;

	vec_for_each(c, &t->cells) {
		*out = c;
		if (c->probe == probe && c->table.opts.key_bytes == key_bytes)
			return 0;
	}
	vec_push(&t->cells, (struct tally_cells){ .probe = probe, .other_row = NO_ROW });
	c = *out = &t->cells.items[t->cells.n - 1];
	if (t->probes->opts.is_offline)
		key_table_init_offline(&c->table, &opts);
	else
		ret = key_table_init(&c->table, &opts, err);
	return ret;
}

/* The site is the first part of each key. */
static int bind_key(struct tally *t, u32 probe, struct probe_group *g, struct err *err)
{
	const struct check_opts opts = { 0 };
	const struct key_exprs *by = &t->by;
	const struct tree **key = arena_alloc(&t->probes->arena, 1 + by->n, sizeof(*key));
	struct tally_cells *cells;
	int ret = compile_own(t, g, "$func", &key[0], err);

	for (u32 i = 0; i < by->n && !ret; i++) {
		ret = expr_check(&by->text, by->exprs[i], g->scope, CHECK_VALUE, &opts, &key[1 + i],
				 err);
		if (!ret && key[1 + i]->type->kind == TYPE_STACK)
			return text_error(&by->text, by->exprs[i]->at, err,
					  "--by: a stack is a key of bperf argdist");
	}
	if (ret)
		return ret;
	scope_mark_compat(g->scope, key, 1 + by->n);
	g->gen.action = GEN_KEYED;
	g->gen.cell = CELL_COUNT;
	g->gen.key = (const struct tree *const *)key;
	g->gen.n_key = 1 + by->n;
	ret = find_cells(t, probe, gen_key_bytes(g->gen.key, g->gen.n_key), &cells, err);
	key_table_bind(&cells->table, &g->gen);
	return ret;
}

static int bind_group(struct tally *t, u32 i, struct probe_group *g, struct err *err)
{
	struct probe *probe = t->probes->v.items[i];
	int ret = probes_check_predicate(t->probes, probe, g, err) ?: bind_sums(t, g, err);

	if (ret)
		return ret;
	if (t->opts.by)
		return bind_key(t, i, g, err);
	g->gen.action = GEN_COUNT;
	g->gen.index = t->first[i];
	g->gen.counts_fd = t->counts_fd;
	return 0;
}

static int make_counts(struct tally *t, struct err *err)
{
	t->counts_fd = bpf_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, "counts", sizeof(u32),
				      t->n_sums * (u32)sizeof(u64), t->n_sites, NULL);
	return t->counts_fd < 0 ? prog_explain(errno, "create", "the table of counters", err) : 0;
}

int tally_init(struct tally *t, const struct tally_opts *opts, struct probes *probes,
	       struct symbolizer *sym, struct err *err)
{
	struct tally_cells *c;
	int ret = 0;

	*t = (struct tally){ .opts = *opts, .probes = probes, .counts_fd = -1 };
	t->show.sym = sym;
	t->n_sums = 1 + opts->errors + opts->latency;
	if (opts->by)
		ret = key_exprs_parse(&probes->arena, opts->by, COUNT_MAX_KEYS, &t->by, err);
	number_sites(t);
	if (!ret && !opts->by && !probes->opts.is_offline)
		ret = make_counts(t, err);
	for (u32 i = 0; i < probes->v.n && !ret; i++)
		for (size_t n = 0; n < probes->v.items[i]->groups.n && !ret; n++)
			ret = bind_group(t, i, probes->v.items[i]->groups.items[n], err);
	t->windows.is_used = opts->has_windows;
	vec_for_each(c, &t->cells)
		vec_push(&t->windows.tables, &c->table);
	return ret;
}

void tally_release(struct tally *t)
{
	struct tally_cells *c;

	vec_for_each(c, &t->cells) {
		key_table_release(&c->table);
		vec_release(&c->rows);
	}
	vec_release(&t->cells);
	vec_release(&t->rows);
	index_release(&t->by_name);
	close_p(&t->counts_fd);
	free(t->first);
	free(t->hits);
	free(t->hits_before);
	arena_release(&t->texts);
	key_windows_release(&t->windows);
	free(t->row_of);
}

/* ---- reading ------------------------------------------------------------------------------ */

/* A cell, into a row. */
static void add_cell(struct tally *t, u32 row, const u64 *cell, u32 probe)
{
	u64 *sum = t->rows.items[row].sum;

	for (u32 i = 0; sum && i < t->n_sums; i++)
		sum[i] += cell[i];
	t->hits[probe] += cell[0];
}

/* The same of all CPUs' cells, one after the other. */
static void add_cells(struct tally *t, u32 row, const u64 *per_cpu, u32 probe)
{
	for (int cpu = 0; cpu < libbpf_num_possible_cpus(); cpu++)
		add_cell(t, row, per_cpu + (u32)cpu * t->n_sums, probe);
}

static int read_counts(struct tally *t, u64 *per_cpu, struct err *err)
{
	for (u32 i = 0; i < t->probes->v.n; i++)
		for (u32 s = 0; s < t->probes->v.items[i]->plan.sites.n; s++) {
			u32 at = t->first[i] + s;

			if (bpf_map_lookup_elem(t->counts_fd, &at, per_cpu))
				return err_errno(err, errno, "cannot read the counters");
			add_cells(t, t->row_of[at], per_cpu, i);
		}
	return 0;
}

/* The row of a key that was not met before. */
static u32 new_row(struct tally *t, const struct tally_cells *c, const u8 *key)
{
	struct probe *probe = t->probes->v.items[c->probe];
	struct shown shown[1 + COUNT_MAX_KEYS];
	const struct probe_group *g;
	struct count_row row;
	const char **texts;
	u64 site;

	memcpy(&site, key, sizeof(site));
	if (site >= probe->plan.sites.n)
		return NO_ROW;
	g = probe_group_of(probe, (u32)site);
	if (!show_unpack_key(key, c->table.opts.key_bytes, g->gen.key, g->gen.n_key, shown))
		return NO_ROW;
	t->show.plan = &probe->plan;
	row = look_of(t, probe, (u32)site);
	texts = arena_alloc(&t->texts, t->by.n, sizeof(*texts));
	for (u32 i = 0; i < t->by.n; i++)
		texts[i] = key_text(&t->show, &t->texts, &shown[1 + i]);
	row.key = texts;
	return row_id(t, &row, true);
}

/* Keys that had no room. */
static u32 other_row(struct tally *t, const struct tally_cells *c)
{
	const struct probe *probe = t->probes->v.items[c->probe];
	struct count_row row = { .probe = probe->name, .label = label_of(t, probe) };

	row.name = row.label ? row.label : probe->name;
	return row_id(t, &row, true);
}

struct taking {
	struct tally *t;
	struct tally_cells *c;
};

static void take_cell(void *ctx, u32 id, const u64 *cell)
{
	struct taking *to = ctx;
	struct tally_cells *c = to->c;

	if (id == KEY_OTHER) {
		if (!cell[0])
			return;
		if (c->other_row == NO_ROW)
			c->other_row = other_row(to->t, c);
		add_cell(to->t, c->other_row, cell, c->probe);
		return;
	}
	while (c->rows.n <= id)
		vec_push(&c->rows, new_row(to->t, c, key_table_key(&c->table, (u32)c->rows.n)));
	if (c->rows.items[id] != NO_ROW)
		add_cell(to->t, c->rows.items[id], cell, c->probe);
}

/* The last report's rows are forgotten, and with them keys that may never come again. */
static void forget(struct tally *t)
{
	struct tally_cells *c;

	vec_for_each(c, &t->cells) {
		c->rows.n = 0;
		c->other_row = NO_ROW;
	}
	vec_release(&t->rows);
	index_release(&t->by_name);
	arena_release(&t->texts);
	if (mem_is_over())
		mem_trim();
	memcpy(t->hits, t->hits_before, t->probes->v.n * sizeof(*t->hits));
}

static int read_window(struct tally *t, bool is_snapshot, struct err *err)
{
	struct tally_cells *c;
	u32 half;
	int ret = key_windows_begin(&t->windows, t->probes, is_snapshot, &half, err);

	if (ret)
		return ret;
	forget(t);
	vec_for_each(c, &t->cells) {
		struct taking to = { t, c };

		ret = ret ?: key_table_read(&c->table, half, take_cell, &to, err);
	}
	key_windows_end(&t->windows, is_snapshot);
	if (t->windows.is_used && !is_snapshot)
		memcpy(t->hits_before, t->hits, t->probes->v.n * sizeof(*t->hits));
	return ret;
}

/* All counters since the start, into the rows' sums. */
static int read_all(struct tally *t, struct err *err)
{
	_cleanup_(free_p) u64 *per_cpu =
		mem_alloc((size_t)libbpf_num_possible_cpus() * t->n_sums, sizeof(u64));
	struct tally_row *row;

	vec_for_each(row, &t->rows)
		memset(row->sum, 0, sizeof(row->sum));
	memset(t->hits, 0, t->probes->v.n * sizeof(*t->hits));
	return read_counts(t, per_cpu, err);
}

int tally_report(struct tally *t, struct report *r, struct err *err)
{
	struct tally_row *row;
	int ret = t->opts.by ? read_window(t, r->is_snapshot, err) : read_all(t, err);

	if (ret)
		return ret;
	r->kind = REPORT_COUNTS;
	r->ledger.lost[LOST_map_full] += key_windows_folded(&t->windows);
	r->count_view.has_errors = t->opts.errors;
	r->count_view.has_times = t->opts.latency;
	r->count_view.key_names = t->by.names;
	r->count_view.n_keys = t->by.n;
	vec_for_each(row, &t->rows) {
		struct count_row shown = row->shown;
		u32 n = 1;

		shown.value = row->value = row->sum[0] - row->last[0];
		if (t->opts.errors) {
			shown.errors = row->sum[n] - row->last[n];
			n++;
		}
		if (t->opts.latency)
			shown.time_ns = row->sum[n] - row->last[n];
		/* Those of keys are of the window alone. */
		if (!r->is_snapshot && !t->opts.by)
			memcpy(row->last, row->sum, sizeof(row->last));
		if (!shown.value && row->is_hidden && !r->count_view.is_wide)
			continue;
		r->total += shown.value;
		vec_push(&r->counts, shown);
	}
	return 0;
}

bool tally_value(void *ctx, const char *name, double *value)
{
	const struct tally *t = ctx;
	const struct tally_row *row;

	vec_for_each(row, &t->rows) {
		if (strcmp(row->shown.name, name) != 0 &&
		    (!row->shown.func || strcmp(row->shown.func, name) != 0))
			continue;
		*value = (double)row->value;
		return true;
	}
	return false;
}

const char *tally_name(void *ctx, u32 i)
{
	const struct tally *t = ctx;

	return i < t->rows.n ? t->rows.items[i].shown.name : NULL;
}

u64 tally_hits(const struct tally *t, u32 probe)
{
	return t->hits[probe];
}
