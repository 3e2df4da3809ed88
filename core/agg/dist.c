// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "agg/dist.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/memlimit.h"
#include "bpf/abi/cells.h"

#define STATS_WORD(field) (offsetof(struct cell_stats, field) / sizeof(u64))

/* ---- entries ------------------------------------------------------------------------------ */

static u32 new_entry(struct dists *d, const struct dist_cells *c, u32 id)
{
	struct arena *a = &d->texts;
	struct shown shown[DIST_MAX_KEYS];
	const char **texts = arena_alloc(a, c->n_key + 1, sizeof(*texts));
	struct dist_entry e = { .key = texts };
	u32 n = 0;

	d->show.plan = &c->probe->plan;
	if (c->n_key && !show_unpack_key(key_table_key(&c->table, id), c->table.opts.key_bytes,
					 c->key, c->n_key, shown))
		e.key = NULL;
	for (u32 i = 0; e.key && i < c->n_key; i++)
		if (dist_is_stack(c->key[i]))
			memcpy(e.stacks[c->key[i]->type->space == SPACE_USER], shown[i].bytes.p,
			       sizeof(e.stacks[0]));
		else
			texts[n++] = key_text(&d->show, a, &shown[i]);
	return dist_entry_of(&d->results.items[c->result], e);
}

/* ---- reading ------------------------------------------------------------------------------ */

struct taking {
	struct dists *d;
	struct dist_cells *c;
};

/* Each column is filled by one probe. */
static void count_columns(struct dists *d, const u64 *cell)
{
	for (u32 i = 0; i < d->columns.n; i++)
		d->hits[d->column_probes.items[i]] += cell[2 * i];
}

static bool is_folded(const struct dists *d, const struct dist_result *r,
		      const struct dist_entry *e)
{
	return e->key && ((r->has_kernel && dist_stacks_is_folded(d->stacks, e->stacks[0])) ||
			  (r->has_user && dist_stacks_is_folded(d->stacks, e->stacks[1])));
}

static void take_cell(void *ctx, u32 id, const u64 *cell)
{
	struct taking *to = ctx;
	struct dist_cells *c = to->c;
	struct dist_result *r = &to->d->results.items[c->result];
	u64 count = dist_count_cell(c, cell);
	u32 entry;

	if (!count && id == KEY_OTHER)
		return;
	if (r->shown.kind == DIST_TABLE)
		count_columns(to->d, cell);
	else
		to->d->hits[c->probe->index] += count;
	if (id == KEY_OTHER) {
		entry = dist_entry_of(r, (struct dist_entry){ .key = NULL });
	} else {
		while (c->entries.n <= id)
			vec_push(&c->entries, new_entry(to->d, c, (u32)c->entries.n));
		entry = c->entries.items[id];
		if (is_folded(to->d, r, &r->entries.items[entry]))
			to->d->n_stack_full += count;
	}
	/* Only read from. */
	dist_add_words(&r->entries.items[entry].now,
		       &(struct words){ .n = dist_cell_words(c), .v = (u64 *)(uintptr_t)cell },
		       &c->table.opts);
}

/* Several cells of one result are of one span's ends: its starts are read once. */
static bool is_read(const struct dists *d, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (d->cells.items[k]->result == d->cells.items[i]->result)
			return true;
	return false;
}

/* The last report's rows are forgotten, and with them keys that may never come again. */
static void forget(struct dists *d)
{
	struct dist_result *r;
	struct dist_entry *e;

	vec_for_each(r, &d->results) {
		vec_for_each(e, &r->entries)
			words_release(&e->now);
		vec_release(&r->entries);
		index_release(&r->by_key);
	}
	for (size_t i = 0; i < d->cells.n; i++)
		d->cells.items[i]->entries.n = 0;
	d->tasks.n = 0;
	arena_release(&d->texts);
	if (mem_is_over())
		mem_trim();
	memcpy(d->hits, d->hits_before, d->probes->v.n * sizeof(*d->hits));
	d->n_stack_full = d->n_stack_full_before;
}

/* All cells of the window, into the entries; or the spans that are open. */
static int read_all(struct dists *d, u32 half, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < d->cells.n && !ret; i++) {
		struct taking to = { d, d->cells.items[i] };

		if (!d->opts.is_open)
			ret = key_table_read(&to.c->table, half, take_cell, &to, err);
		else if (!is_read(d, i))
			dist_read_open(d, to.c, take_cell, &to);
	}
	return ret;
}

static int read_window(struct dists *d, struct report *r, struct err *err)
{
	u32 half;
	int ret = key_windows_begin(&d->windows, d->probes, r->is_snapshot, &half, err);

	if (ret)
		return ret;
	forget(d);
	ret = read_all(d, half, err);
	key_windows_end(&d->windows, r->is_snapshot);
	r->ledger.lost[LOST_map_full] += key_windows_folded(&d->windows);
	r->ledger.lost[LOST_stack_full] += d->n_stack_full - d->n_stack_full_before;
	if (!d->windows.is_used || r->is_snapshot)
		return ret;
	memcpy(d->hits_before, d->hits, d->probes->v.n * sizeof(*d->hits));
	d->n_stack_full_before = d->n_stack_full;
	return ret;
}

/* ---- rows --------------------------------------------------------------------------------- */

/* The buckets that hold something, from the first on. */
static void take_buckets(const struct dist_entry *e, struct dist_row *row)
{
	u32 from = e->now.from, end = e->now.from + e->now.n;

	while (end > from && !words_at(&e->now, end - 1))
		end--;
	while (from < end && !words_at(&e->now, from))
		from++;
	row->first = from;
	row->n = end - from;
	row->buckets = mem_alloc(row->n + 1, sizeof(*row->buckets));
	for (u32 i = from; i < end; i++) {
		row->buckets[i - from] = words_at(&e->now, i);
		row->count += row->buckets[i - from];
	}
}

static void take_fine(const struct dist_entry *e, struct dist_row *row)
{
	u32 from = 0, end = DIST_FINE_N;

	while (end > from && !words_at(&e->now, dist_fine_word(end - 1)))
		end--;
	while (from < end && !words_at(&e->now, dist_fine_word(from)))
		from++;
	row->first = from;
	row->n = end - from;
	row->buckets = mem_alloc(row->n + 1, sizeof(*row->buckets));
	for (u32 i = from; i < end; i++)
		row->buckets[i - from] = words_at(&e->now, dist_fine_word(i));
}

static void take_statistics(const struct dist_entry *e, const struct dist *shown,
			    struct dist_row *row)
{
	row->count = words_at(&e->now, STATS_WORD(count));
	row->sum = words_at(&e->now, STATS_WORD(sum));
	row->least = cell_order(~words_at(&e->now, STATS_WORD(least)), shown->is_signed);
	row->greatest = cell_order(words_at(&e->now, STATS_WORD(greatest)), shown->is_signed);
	take_fine(e, row);
}

static void take_row(struct dists *d, const struct dist_entry *e, struct dist *out)
{
	struct dist_row row = {
		.key = e->key,
		.kernel = e->nodes.kernel,
		.user = e->nodes.user,
	};

	if (out->kind == DIST_COUNTS)
		row.count = words_at(&e->now, 0);
	else if (out->kind == DIST_HISTOGRAM)
		take_buckets(e, &row);
	else if (out->kind == DIST_TABLE)
		dist_take_table(d, e, &row);
	else
		take_statistics(e, out, &row);
	if (!row.count) {
		free(row.buckets);
		free(row.cells);
		free(row.derived);
		return;
	}
	out->total += row.count;
	vec_push(&out->rows, row);
}

/* ---- reports ------------------------------------------------------------------------------ */

/* The rows' stacks, for who looks whether they are whole. */
static void list_stacks(const struct dist *shown, struct report *out)
{
	const struct dist_row *row;

	vec_for_each(row, &shown->rows)
		if (row->key)
			vec_push(&out->stacks, (struct stack_row){ .kernel = row->kernel,
								   .user = row->user,
								   .value = row->count,
								   .count = row->count });
}

int dists_report(struct dists *d, struct report *r, struct err *err)
{
	struct dist_result *result;
	struct dist_entry *e;
	int ret = read_window(d, r, err);

	if (ret)
		return ret;
	if (!d->opts.has_windows)
		r->start_ns = 0;
	if (d->is_of_stacks) {
		dist_take_stacks(d, &d->results.items[0], r);
		return 0;
	}
	if (dists_has_stacks(d))
		dist_name_stacks(d, r);
	r->kind = REPORT_DISTS;
	vec_for_each(result, &d->results) {
		struct dist out = result->shown;

		vec_for_each(e, &result->entries)
			take_row(d, e, &out);
		if (out.has_stacks)
			list_stacks(&out, r);
		r->total += out.total;
		vec_push(&r->dists, out);
	}
	return 0;
}

/* ---- the whole ---------------------------------------------------------------------------- */

static void add_result(struct dists *d, u32 i)
{
	const struct dist_word *word = &d->opts.words[i];
	const struct probe *probe = d->probes->v.items[i];
	const struct probe_spec *spec = &probe->spec;
	struct dist_result r = { .shown = {
					 .kind = word->kind,
					 .title = word->text,
					 .probe = probe->name,
					 .scale = d->opts.scale,
					 .percentiles = d->opts.percentiles,
					 .n_percentiles = d->opts.n_percentiles,
				 } };

	if (spec->has_label)
		r.shown.title = r.shown.label =
			arena_view(&d->probes->arena, span_view(&spec->text, spec->label));
	d->result_of[i] = (u32)d->results.n;
	vec_push(&d->results, r);
}

/* All words of --table fill one. */
static void add_table(struct dists *d, u32 i)
{
	struct dist_result r = { .shown = { .kind = DIST_TABLE, .sort = d->opts.sort },
				 .cell = CELL_SUM };

	for (d->result_of[i] = 0; d->result_of[i] < d->results.n; d->result_of[i]++)
		if (d->results.items[d->result_of[i]].shown.kind == DIST_TABLE)
			return;
	vec_push(&d->results, r);
}

int dists_init(struct dists *d, const struct dist_opts *opts, struct probes *probes,
	       struct symbolizer *sym, struct err *err)
{
	int ret = 0;

	*d = (struct dists){ .opts = *opts, .probes = probes, .show.sym = sym };
	d->windows.is_used = opts->has_windows;
	d->hits = mem_alloc(probes->v.n + 1, sizeof(*d->hits));
	d->hits_before = mem_alloc(probes->v.n + 1, sizeof(*d->hits_before));
	d->result_of = mem_alloc(probes->v.n + 1, sizeof(*d->result_of));
	if (opts->by)
		ret = key_exprs_parse(&probes->arena, opts->by, DIST_MAX_KEYS, &d->by, err);
	for (u32 i = 0; i < probes->v.n && !ret; i++) {
		const struct probe *probe = probes->v.items[i];

		if (opts->words[i].kind == DIST_TABLE)
			add_table(d, i);
		else
			add_result(d, i);
		for (size_t n = 0; n < probe->groups.n && !ret; n++)
			ret = dist_bind_group(d, i, probe->groups.items[n], err);
	}
	return ret ?: dist_bind_table(d, err);
}

void dists_release(struct dists *d)
{
	struct dist_result *r;
	struct dist_entry *e;

	vec_for_each(r, &d->results) {
		vec_for_each(e, &r->entries)
			words_release(&e->now);
		vec_release(&r->entries);
		index_release(&r->by_key);
	}
	vec_release(&d->results);
	for (size_t i = 0; i < d->cells.n; i++) {
		key_table_release(&d->cells.items[i]->table);
		vec_release(&d->cells.items[i]->entries);
		free(d->cells.items[i]);
	}
	vec_release(&d->cells);
	vec_release(&d->tasks);
	vec_release(&d->columns);
	vec_release(&d->column_probes);
	vec_release(&d->derived);
	free(d->result_of);
	free(d->hits);
	free(d->hits_before);
	arena_release(&d->texts);
	key_windows_release(&d->windows);
}
