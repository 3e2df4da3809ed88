// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "agg/dist.h"

#include <string.h>

#include "bpf/abi/cells.h"

#define STATS_WORD(field) (offsetof(struct cell_stats, field) / sizeof(u64))

static bool is_folded(const struct dists *d, const struct dist_result *r, const struct agg_row *row)
{
	return row->key && ((r->has_kernel && dist_stacks_is_folded(d->stacks, row->ids[0])) ||
			    (r->has_user && dist_stacks_is_folded(d->stacks, row->ids[1])));
}

/* Each column of a table is filled by one probe. */
static void on_cell(struct agg *a, const struct agg_table *t, const struct agg_row *row,
		    const u64 *cell)
{
	const struct dists *d = a->opts.owner;
	const struct dist_result *r = dist_result_of(t);
	u64 count = t->events ? t->events(t, cell) : dist_count_cell(t, cell);

	if (is_folded(d, r, row))
		a->folded.stacks += count;
	if (r->shown.kind != DIST_TABLE) {
		a->hits[t->probe->index] += count;
		return;
	}
	for (u32 i = 0; i < d->columns.n; i++)
		a->hits[d->column_probes.items[i]] += cell[CELL_PAIR_WORDS * i];
}

/* ---- rows --------------------------------------------------------------------------------- */

/* Allocate the row's buckets [first, end). */
static void make_buckets(struct dist_row *row, u32 first, u32 end)
{
	row->first = first;
	row->n = end - first;
	row->buckets = mem_alloc(row->n + 1, sizeof(*row->buckets));
}

/* Copy the buckets from the first to the last one that is not 0. */
static void take_buckets(const struct agg_row *e, struct dist_row *row)
{
	u32 from = 0, end = e->tail.n ? e->tail.from + e->tail.n : AGG_HEAD;

	while (end > from && !agg_word(e, end - 1))
		end--;
	while (from < end && !agg_word(e, from))
		from++;
	make_buckets(row, from, end);
	for (u32 i = from; i < end; i++) {
		row->buckets[i - from] = agg_word(e, i);
		row->count += row->buckets[i - from];
	}
}

/* The same for statistics: the tail holds the buckets in another order. */
static void take_fine(const struct agg_row *e, struct dist_row *row)
{
	u32 first = UINT32_MAX, end = 0;

	for (u32 i = 0; i < e->tail.n; i++) {
		u32 bucket = dist_fine_bucket_at(e->tail.from + i);

		if (!e->tail.v[i])
			continue;
		first = bucket < first ? bucket : first;
		end = bucket >= end ? bucket + 1 : end;
	}
	make_buckets(row, first < end ? first : end, end);
	for (u32 i = row->first; i < end; i++)
		row->buckets[i - row->first] = sparse_at(&e->tail, dist_fine_word(i));
}

_Static_assert(CELL_STATS_HEAD == AGG_HEAD, "the tail of statistics is their buckets");

static void take_statistics(const struct agg_row *e, const struct dist *shown, struct dist_row *row)
{
	row->count = agg_word(e, STATS_WORD(count));
	row->sum = agg_word(e, STATS_WORD(sum));
	row->least = cell_order(~agg_word(e, STATS_WORD(least)), shown->is_signed);
	row->greatest = cell_order(agg_word(e, STATS_WORD(greatest)), shown->is_signed);
	take_fine(e, row);
}

static void take_row(struct dists *d, const struct agg_row *e, struct dist *out)
{
	struct dist_row row = {
		.key = e->key,
		.marks = e->marks,
		.kernel = e->nodes.kernel,
		.user = e->nodes.user,
		.is_rooted = e->nodes.is_rooted,
	};

	if (out->kind == DIST_COUNTS)
		row.count = agg_word(e, 0);
	else if (out->kind == DIST_HISTOGRAM)
		take_buckets(e, &row);
	else if (out->kind == DIST_TABLE)
		dist_take_table(d, e, &row);
	else
		take_statistics(e, out, &row);
	if (!row.count) {
		dist_row_release(&row);
		return;
	}
	out->total += row.count;
	vec_push(&out->rows, row);
}

/* ---- reports ------------------------------------------------------------------------------ */

/* List the rows' stacks: callers check whether they are complete. */
static void list_stacks(const struct dist *shown, struct report *out)
{
	const struct dist_row *row;

	vec_for_each(row, &shown->rows)
		if (row->key)
			vec_push(&out->stacks, (struct stack_row){ .kernel = row->kernel,
								   .user = row->user,
								   .is_rooted = row->is_rooted,
								   .value = row->count,
								   .count = row->count });
}

static void add_dist(struct dists *d, const struct dist_result *result, struct report *r)
{
	struct dist out = result->shown;
	const struct agg_row *e;

	vec_for_each(e, &result->rows->v)
		if (dist_is_called(d, r, e->nodes.kernel, e->nodes.user))
			take_row(d, e, &out);
	if (out.has_stacks)
		list_stacks(&out, r);
	r->total += out.total;
	vec_push(&r->dists, out);
}

int dists_report(struct dists *d, struct report *r, struct err *err)
{
	struct dist_result *result;
	int ret = agg_read(&d->agg, r->is_snapshot, err);

	d->tasks.n = 0;
	if (ret)
		return ret;
	agg_report_ledger(&d->agg, &r->ledger);
	if (!d->opts.has_windows)
		r->start_ns = 0;
	d->seconds = (double)(r->end_ns - r->start_ns) / (double)NS_PER_SEC;
	if (d->is_of_stacks) {
		dist_take_stacks(d, &d->results.items[0], r);
		return 0;
	}
	if (dists_has_stacks(d))
		dist_name_stacks(d, r);
	r->kind = REPORT_DISTS;
	vec_for_each(result, &d->results)
		add_dist(d, result, r);
	return 0;
}

/* ---- creation and release ----------------------------------------------------------------- */

static void add_result(struct dists *d, u32 i)
{
	const struct dist_word *word = &d->opts.words[i];
	const struct probe *probe = d->agg.probes->v.items[i];
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
			arena_view(&d->agg.probes->arena, span_view(&spec->text, spec->label));
	r.rows = agg_add_rows(&d->agg);
	d->result_of[i] = (u32)d->results.n;
	vec_push(&d->results, r);
}

/* All words of --table share one result. */
static void add_table(struct dists *d, u32 i)
{
	struct dist_result r = { .shown = { .kind = DIST_TABLE, .sort = d->opts.sort },
				 .cell = CELL_SUM };

	for (d->result_of[i] = 0; d->result_of[i] < d->results.n; d->result_of[i]++)
		if (d->results.items[d->result_of[i]].shown.kind == DIST_TABLE)
			return;
	r.rows = agg_add_rows(&d->agg);
	vec_push(&d->results, r);
}

static int bind_probe(struct dists *d, u32 i, struct err *err)
{
	const struct probe *probe = d->agg.probes->v.items[i];
	int ret = 0;

	if (d->opts.words[i].kind == DIST_TABLE)
		add_table(d, i);
	else
		add_result(d, i);
	for (size_t n = 0; n < probe->groups.n && !ret; n++)
		ret = dist_bind_group(d, i, probe->groups.items[n], err);
	return ret;
}

int dists_init(struct dists *d, const struct dist_opts *opts, struct probes *probes,
	       struct symbolizer *sym, struct err *err)
{
	const struct agg_opts agg = {
		.by = opts->by,
		.max_by = DIST_MAX_KEYS,
		.has_windows = opts->has_windows,
		.on_cell = on_cell,
		.make_cells = opts->is_open ? dist_make_open : NULL,
		.owner = d,
	};
	int ret;

	*d = (struct dists){ .opts = *opts };
	ret = agg_init(&d->agg, &agg, probes, sym, err);
	d->result_of = mem_alloc(probes->v.n + 1, sizeof(*d->result_of));
	for (u32 i = 0; i < probes->v.n && !ret; i++)
		ret = bind_probe(d, i, err);
	return ret ?: dist_bind_table(d, err);
}

void dists_release(struct dists *d)
{
	agg_release(&d->agg);
	vec_release(&d->results);
	vec_release(&d->tasks);
	vec_release(&d->columns);
	vec_release(&d->column_probes);
	vec_release(&d->derived);
	free(d->result_of);
}
