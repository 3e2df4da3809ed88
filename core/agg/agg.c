// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "agg/agg.h"

#include <string.h>

#include <bpf/libbpf.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/memlimit.h"
#include "model/count.h"
#include "model/dist.h"
#include "model/key.h"

/* ---- creation and release ----------------------------------------------------------------- */

int agg_init(struct agg *a, const struct agg_opts *opts, struct probes *probes,
	     struct symbolizer *sym, struct err *err)
{
	*a = (struct agg){ .opts = *opts, .probes = probes, .show.sym = sym };
	a->hits = mem_alloc(probes->v.n + 1, sizeof(*a->hits));
	a->hits_before = mem_alloc(probes->v.n + 1, sizeof(*a->hits_before));
	if (!opts->by)
		return 0;
	return key_exprs_parse(&probes->arena, opts->by, opts->max_by, &a->by, err);
}

struct agg_rows *agg_add_rows(struct agg *a)
{
	struct agg_rows *rows = mem_alloc(1, sizeof(*rows));

	vec_push(&a->rows, rows);
	return rows;
}

int agg_add_table(struct agg *a, const struct agg_table *like, const struct cell_table_opts *cells,
		  u64 (*count)(const void *table, const u64 *cell), struct agg_table **out,
		  struct err *err)
{
	struct agg_table *t = mem_alloc(1, sizeof(*t));
	int ret;

	*t = *like;
	t->agg = a;
	vec_push(&a->tables, t);
	*out = t;
	ret = cell_table_init(&t->cells, cells, a->probes->opts.is_offline, err);
	t->cells.count = count;
	t->cells.ctx = t;
	if (cells->has_windows) {
		a->windows.is_used = true;
		vec_push(&a->windows.tables, &t->cells);
	}
	return ret;
}

void agg_release(struct agg *a)
{
	for (size_t i = 0; i < a->tables.n; i++) {
		cell_table_release(&a->tables.items[i]->cells);
		free(a->tables.items[i]->last);
		free(a->tables.items[i]);
	}
	vec_release(&a->tables);
	for (size_t i = 0; i < a->rows.n; i++) {
		agg_rows_release(a->rows.items[i]);
		free(a->rows.items[i]);
	}
	vec_release(&a->rows);
	cell_windows_release(&a->windows);
	free(a->hits);
	free(a->hits_before);
	key_texts_release(&a->apart);
	arena_release(&a->texts);
}

/* ---- from keys to rows -------------------------------------------------------------------- */

static const char *text_of_part(struct agg *a, const struct value_view *part)
{
	/* The string is kept as it is: each format handles characters that can't be printed. */
	bool is_kept = part->type->kind == TYPE_STRING && part->type->show != SHOW_QUOTED;
	_cleanup_(str_release) struct str text = { 0 };
	struct view shown = part->bytes;

	if (part->is_absent)
		return KEY_UNREADABLE;
	if (!is_kept) {
		show_plain(&a->show, part, &text);
		shown = str_view(&text);
	}
	if (*value_dots(part))
		return arena_printf(&a->texts, "%.*s" KEY_CUT, (int)shown.n, shown.p);
	return arena_view(&a->texts, shown);
}

/* The row of all keys that did not fit. */
static struct agg_row look_of_other(const struct agg_table *t)
{
	struct agg_row like = { .key = NULL };

	if (t->look)
		like.ids[0][0] = t->look(t, AGG_OTHER);
	return like;
}

/* A row by the parts of its key, from number `first` on. */
static struct agg_row look_of_parts(struct agg_table *t, const struct tree *const *key,
				    const struct value_view *parts, u32 first)
{
	struct agg *a = t->agg;
	const char **texts = arena_alloc(&a->texts, t->n_key + 1, sizeof(*texts));
	struct agg_row like = { .key = texts };
	u32 n = 0;

	a->show.plan = &t->probe->plan;
	for (u32 i = first; i < t->n_key; i++)
		if (key_is_stack(key[i])) {
			memcpy(like.ids[key[i]->type->space == SPACE_USER], parts[i].bytes.p,
			       sizeof(like.ids[0]));
		} else {
			like.marks.cut |= (parts[i].is_cut ? 1U : 0U) << n;
			like.marks.unreadable |= (parts[i].is_absent ? 1U : 0U) << n;
			texts[n++] = text_of_part(a, &parts[i]);
		}
	return like;
}

static struct agg_row look_of_key(struct agg_table *t, const u8 *bytes)
{
	const struct unpack_texts apart = key_texts_finder(&t->agg->apart);
	struct value_view parts[DIST_MAX_KEYS];

	if (t->n_key &&
	    !unpack_key(bytes, t->cells.opts.key_bytes, t->key, t->n_key, &apart, parts))
		return look_of_other(t);
	return look_of_parts(t, t->key, parts, 0);
}

/* The same, if the first part is the site: the site's group determines the other parts. */
static struct agg_row look_of_site(struct agg_table *t, const u8 *bytes)
{
	const struct unpack_texts apart = key_texts_finder(&t->agg->apart);
	const struct tree *const *key = t->key;
	struct value_view parts[1 + COUNT_MAX_KEYS];
	struct agg_row like;
	u32 site;

	memcpy(&site, bytes, sizeof(site));
	if (site >= t->probe->plan.sites.n)
		return look_of_other(t);
	if (t->n_key)
		key = probe_group_of(t->probe, site)->gen.work.key;
	if (t->n_key && !unpack_key(bytes, t->cells.opts.key_bytes, key, t->n_key, &apart, parts))
		return look_of_other(t);
	like = look_of_parts(t, key, parts, 1);
	like.ids[0][0] = t->look(t, site);
	return like;
}

static struct agg_row look_of(struct agg_table *t, const u8 *bytes)
{
	if (!bytes)
		return look_of_other(t);
	return t->look ? look_of_site(t, bytes) : look_of_key(t, bytes);
}

static u32 find_or_add(struct agg_rows *rows, struct agg_row *like)
{
	u32 id = agg_rows_find(rows, like);

	return id != AGG_NO_ROW ? id : agg_rows_add(rows, like);
}

/* A key's row; when memory is full, new keys go into the row of all others. */
static u32 row_of(struct agg_table *t, const void *key, u64 count)
{
	struct agg *a = t->agg;
	struct arena mark = a->texts;
	struct agg_row like = look_of(t, key);
	u32 id = agg_rows_find(t->rows, &like);

	if (id != AGG_NO_ROW) {
		arena_rewind(&a->texts, &mark);
		return id;
	}
	if (!t->cells.opts.key_bytes || !like.key || !mem_is_over())
		return agg_rows_add(t->rows, &like);
	arena_rewind(&a->texts, &mark);
	a->folded.keys += count;
	like = look_of_other(t);
	return find_or_add(t->rows, &like);
}

void agg_take(struct agg_table *t, const void *key, const u64 *cell)
{
	u64 count = t->events ? t->events(t, cell) : t->cells.count(t, cell);
	u32 row;

	if (!key && !count)
		return;
	row = row_of(t, key, count);
	if (t->rows->v.items[row].marks.cut)
		t->agg->n_cut_keys += count;
	t->agg->opts.on_cell(t->agg, t, &t->rows->v.items[row], cell);
	agg_row_add(&t->rows->v.items[row], cell, &t->cells.opts.layout);
}

/* ---- reading ------------------------------------------------------------------------------ */

#define GROWING_MAX 8 /* words of cells that only grow */

/* Take the growth of a cell since the last cut. */
static void take_growth(struct agg_table *t, u32 i, const u64 *cell)
{
	u32 n = t->cells.opts.layout.n_words;
	u64 since[GROWING_MAX], *last = t->last + (size_t)i * n;

	for (u32 k = 0; k < n && k < GROWING_MAX; k++) {
		since[k] = cell[k] - last[k];
		if (t->agg->is_cut)
			last[k] = cell[k];
	}
	agg_take(t, &i, since);
}

static void on_cell(void *ctx, const void *key, const u64 *cell)
{
	struct agg_table *t = ctx;

	if (t->last)
		take_growth(t, *(const u32 *)key, cell);
	else
		agg_take(t, key, cell);
}

/* The tables exist when the programs are loaded. */
static int fetch_texts(struct agg *a, struct err *err)
{
	const struct bpf_map *table;
	u32 i = a->apart.n_tables;

	while ((table = probes_key_texts(a->probes, i++)))
		key_texts_open(&a->apart, table, probes_key_texts_known_fd(a->probes));
	return key_texts_fetch(&a->apart, err);
}

/* Forget the last report's rows, together with keys that may never occur again. */
static void forget(struct agg *a)
{
	for (size_t i = 0; i < a->rows.n; i++)
		agg_rows_release(a->rows.items[i]);
	arena_release(&a->texts);
	if (mem_is_over())
		mem_trim();
	memcpy(a->hits, a->hits_before, a->probes->v.n * sizeof(*a->hits));
	a->folded = (struct agg_folded){ 0 };
	a->n_cut_keys = 0;
}

int agg_read(struct agg *a, bool is_snapshot, struct err *err)
{
	u32 half;
	int ret = cell_windows_begin(&a->windows, a->probes, is_snapshot, &half, err);

	ret = ret ?: fetch_texts(a, err);
	if (ret)
		return ret;
	a->is_cut = a->opts.has_windows && !is_snapshot;
	forget(a);
	for (size_t i = 0; i < a->tables.n && !ret; i++) {
		struct agg_table *t = a->tables.items[i];

		ret = a->opts.make_cells ? a->opts.make_cells(t, err)
					 : cell_table_read(&t->cells, half, on_cell, t, err);
	}
	cell_windows_end(&a->windows, is_snapshot);
	if (a->is_cut || a->opts.make_cells)
		key_texts_end_window(&a->apart, a->probes->has_kept_texts);
	if (a->is_cut) {
		memcpy(a->hits_before, a->hits, a->probes->v.n * sizeof(*a->hits));
		a->cut_folded.keys += a->folded.keys;
		a->cut_folded.stacks += a->folded.stacks;
		a->n_cut_keys_before += a->n_cut_keys;
	}
	return ret;
}

void agg_tidy(struct agg *a, u64 now)
{
	struct err ignored = { 0 };

	cell_windows_tidy(&a->windows, now);
	fetch_texts(a, &ignored);
}

/* ---- the ledger --------------------------------------------------------------------------- */

static void add_folded(const struct agg_folded *f, struct ledger *l)
{
	l->lost[LOST_map_full] += f->keys;
	l->lost[LOST_stack_full] += f->stacks;
}

void agg_report_ledger(const struct agg *a, struct ledger *l)
{
	add_folded(&a->folded, l);
	l->keys_cut += a->n_cut_keys;
}

void agg_run_ledger(const struct agg *a, struct ledger *l)
{
	u64 n_late = a->windows.n_late;

	add_folded(a->opts.has_windows ? &a->cut_folded : &a->folded, l);
	l->keys_cut += a->opts.has_windows ? a->n_cut_keys_before : a->n_cut_keys;
	l->lost[LOST_map_full] += n_late;
	if (n_late)
		log_warn("events-lost",
			 n_late == 1 ? "%llu event arrived after its report was made"
				     : "%llu events arrived after their reports were made",
			 n_late);
}
