// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stack/occurrences.h"

#include <malloc.h>

#include <stdlib.h>

#include "base/cleanup.h"
#include "stack/counts.h"

static bool has_second_event(const struct occurrences *counted)
{
	return counted->c->engine.info.run.second_event;
}

static void take_sample(struct occurrences *counted, const struct stack_sample *sample)
{
	if (has_second_event(counted))
		weights_add(&counted->weights, &counted->c->store, sample);
	else
		samples_add(&counted->samples, &counted->c->store, sample);
}

static void on_record(void *ctx, const struct stack_record *rec, size_t size)
{
	struct occurrences *counted = ctx;
	struct raw_stack raw;

	if (size == sizeof(struct stack_sample))
		take_sample(counted, (const void *)rec);
	else if (collect_raw_stack(counted->c->max_frames, rec, size, &raw))
		store_add(&counted->c->store, &raw, rec->window);
}

static void cut(void *ctx, struct session_window *w)
{
	struct occurrences *counted = ctx;

	if (!w->is_snapshot)
		__atomic_store_n(counted->window, w->index + 1, __ATOMIC_RELEASE);
}

static void restart_count(void *ctx)
{
	struct occurrences *counted = ctx;

	counted->n_unknown = 0;
	store_restart_count(&counted->c->store);
}

/* A stack is sent before it is counted: if it is not known yet, it is still in the ring. */
static void take_count(void *ctx, const struct stack_id *id, const struct stack_count *n)
{
	struct occurrences *counted = ctx;
	struct store *store = &counted->c->store;

	if (store_count(store, id->hash, n->n, counted->parities))
		return;
	engine_drain_all(&counted->c->engine);
	if (store_count(store, id->hash, n->n, counted->parities))
		return;
	if (!store_adopt(store, id->hash) || !store_count(store, id->hash, n->n, counted->parities))
		counted->n_unknown += n->n[0] + n->n[1];
}

static int read_counts(void *ctx, const struct session_window *w, bool is_last, struct err *err)
{
	struct occurrences *counted = ctx;
	const struct counts_taker taker = { restart_count, take_count, counted };
	int ret;

	counted->parities = store_parities(w->index, is_last);
	ret = counts_read(counted->c->kernel.obj, &taker, err);
	if (!ret)
		counted->c->n_unknown = counted->n_unknown; /* the counters only grow */
	return ret;
}

static void report(void *ctx, const struct store_view *view, struct report *out)
{
	struct occurrences *counted = ctx;
	struct store *store = &counted->c->store;
	struct store_view with_rows = *view;
	size_t n = store->entries.n;
	u64 n_lost = 0;

	/* Finding names has freed much memory: return it, because a report needs the most. */
	malloc_trim(0);
	if (!counted->c->conf->wants_samples && !has_second_event(counted)) {
		store_report(store, view, out);
		return;
	}
	with_rows.rows = mem_alloc(n + 1, sizeof(*with_rows.rows));
	store_report(store, &with_rows, out);
	if (has_second_event(counted))
		n_lost = weights_report(&counted->weights, &with_rows, n, out);
	else
		samples_report(&counted->samples, &with_rows,
			       counted->c->engine.info.run.monotonic_ns, out);
	if (!view->is_snapshot)
		counted->c->n_unweighted += n_lost;
	free(with_rows.rows);
}

static void touch(void *ctx, const u64 id[2])
{
	store_find(ctx, id);
}

static void mark_used(void *ctx)
{
	struct occurrences *counted = ctx;

	counts_each_held(counted->c->kernel.obj, touch, &counted->c->store);
}

static void forget(void *ctx, u32 generation)
{
	_cleanup_(forgotten_release) struct forgotten f = { 0 };
	struct occurrences *counted = ctx;
	u32 *to = store_forget(&counted->c->store, generation, forgotten_add, &f);

	samples_move(&counted->samples, to);
	weights_move(&counted->weights, to);
	free(to);
	counts_forget(counted->c->kernel.obj, &f);
}

static u64 taken(void *ctx)
{
	struct occurrences *counted = ctx;

	return counts_taken(counted->c->kernel.obj);
}

const struct collect_source occurrence_source = {
	.take = on_record,
	.cut = cut,
	.read = read_counts,
	.report = report,
	.mark_used = mark_used,
	.forget = forget,
	.taken = taken,
};
