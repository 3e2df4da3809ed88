// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Turns the values of intervals.c into rows of a report. */
#include <stdlib.h>

#include "wait/account_int.h"

#include "base/hash.h"
#include "wait/pieces_int.h"

static const char *const part_names[WAIT_N_PARTS] = {
	[WAIT_BLOCKED] = "[blocked]",
	[WAIT_RUNQUEUE] = "[waiting for CPU]",
	[WAIT_PREEMPTED] = "[preempted]",
	[WAIT_THROTTLED] = "[throttled]",
};

static const enum chain_end chain_ends[] = {
	[WAIT_END_NONE] = CHAIN_END_NONE,	[WAIT_END_IRQ] = CHAIN_END_IRQ,
	[WAIT_END_RUNNING] = CHAIN_END_RUNNING, [WAIT_END_CYCLE] = CHAIN_END_CYCLE,
	[WAIT_END_DEPTH] = CHAIN_END_DEPTH,	[WAIT_END_UNKNOWN] = CHAIN_END_UNKNOWN,
	[WAIT_END_OPEN] = CHAIN_END_OPEN,
};

static struct waker_link show_link(struct waits *w, u32 entry, const struct store_view *view)
{
	const struct store_entry *e = &w->store->entries.items[entry];
	const struct store_owner *o = &w->store->owners.items[e->owner];
	struct waker_link link = { .kernel = e->kernel, .user = e->user };

	if (o->marks & STORE_INTERRUPT) {
		link.kind = (enum waker_kind)o->kind;
		link.name = o->label;
	} else {
		link.task = store_task(w->store, entry, view);
	}
	return link;
}

/* Index of the chain; 0 if wakers are not recorded. */
static u32 show_chain(struct waits *w, const struct wait_def *d, const struct store_view *view)
{
	size_t path = (size_t)(d - w->defs.items) * w->conf.levels;
	struct waker_chain chain = {
		.first = (u32)w->shown.n,
		.n = d->n,
		.end = chain_ends[d->end],
	};

	if (!w->conf.levels)
		return 0;
	for (u32 i = 0; i < d->n; i++) {
		struct waker_link link = show_link(w, w->links.items[d->first + i], view);

		if (w->conf.want_path)
			link.value = w->path_now.items[path + i];
		vec_push(&w->shown, link);
	}
	vec_push(&w->chains, chain);
	return (u32)w->chains.n - 1;
}

/* Variance of a sum of x, each sampled with probability 1/N: N (N - 1) sum of x^2
 * (Horvitz-Thompson). */
static double variance_of(const struct waits *w, double squares)
{
	double n = w->conf.weight;

	return n * (n - 1) * squares;
}

static void add_row(struct waits *w, const struct wait_def *d, const struct stack_row *row,
		    u64 value, const char *leaf, struct report *out)
{
	struct stack_row r = *row;

	if (leaf) {
		u32 *part = r.kernel || !r.user ? &r.kernel : &r.user;

		*part = store_leaf(w->store, *part, leaf);
	}
	r.value = value;
	vec_push(&out->stacks, r);
	out->total += value;
	report_count_whole(out, &r);
	if (store_is_truncated(w->store, d->waiter))
		out->ledger.stacks.truncated++;
	else
		out->ledger.stacks.complete++;
}

/* ---- cap at the thread's lifetime (--sample) ---------------------------------------------- */

/* One life of a thread. */
struct thread_sum {
	u32 tid;
	u64 start_time;
	u64 sure_ns, scaled_ns; /* time of unsampled waits; of sampled waits, scaled */
	u64 exit_ns;		/* UINT64_MAX: not known to have ended */
};

struct thread_sums {
	VEC(struct thread_sum) v;
	struct index by_id;
};

static struct thread_sum *sum_of(struct thread_sums *sums, u32 tid, u64 start_time)
{
	u64 hash = hash_mix(tid, start_time);
	size_t at = 0;
	u32 i;

	while (sums->v.items && index_next(&sums->by_id, hash, &at, &i))
		if (sums->v.items[i].tid == tid && sums->v.items[i].start_time == start_time)
			return &sums->v.items[i];
	index_add(&sums->by_id, hash, (u32)sums->v.n);
	vec_push(&sums->v, (struct thread_sum){
				   .tid = tid, .start_time = start_time, .exit_ns = UINT64_MAX });
	return &sums->v.items[sums->v.n - 1];
}

static u64 total_of(const struct wait_values *v)
{
	u64 sum = 0;

	for (u32 i = 0; v && i < WAIT_N_PARTS; i++)
		sum += v->ns[i];
	return sum;
}

static struct thread_sum *sum_of_def(const struct waits *w, struct thread_sums *sums,
				     const struct wait_def *d)
{
	const struct store_owner *o = waits_owner(w, d->waiter);

	/* Lost stacks have no known owner. */
	return o->tid ? sum_of(sums, o->tid, o->start_time) : NULL;
}

/* The factor by which the thread's sampled time must be scaled so that it fits, together with its
 * unsampled time, into its life in the window; 1: it fits already. */
static double excess_of(const struct waits *w, const struct thread_sum *t)
{
	u64 from = t->start_time > w->start_ns ? t->start_time : w->start_ns;
	u64 to = t->exit_ns < w->cut_ns ? t->exit_ns : w->cut_ns;
	u64 wall = to > from ? to - from : 0;
	u64 room = wall > t->sure_ns ? wall - t->sure_ns : 0;

	return t->scaled_ns > room ? (double)room / (double)t->scaled_ns : 1;
}

static void scale(struct wait_values *v, double by)
{
	for (u32 i = 0; i < WAIT_N_PARTS; i++) {
		v->ns[i] = (u64)((double)v->ns[i] * by);
		v->squares[i] *= by * by;
	}
}

/* Sampled time, scaled up, may be longer than the thread's life in the window. */
static void cap_threads(struct waits *w)
{
	struct thread_sums sums = { 0 };
	const struct wait_exit *e;
	struct thread_sum *t;
	struct wait_def *d;

	vec_for_each(d, &w->defs) {
		t = sum_of_def(w, &sums, d);
		if (t)
			*(d->is_sampled ? &t->scaled_ns : &t->sure_ns) +=
				total_of(&d->now) + total_of(waits_whole_of(w, d));
	}
	vec_for_each(e, &w->exits)
		sum_of(&sums, e->tid, e->start_time)->exit_ns = e->exit_ns;
	vec_for_each(d, &w->defs) {
		t = d->is_sampled ? sum_of_def(w, &sums, d) : NULL;
		if (!t || excess_of(w, t) >= 1)
			continue;
		scale(&d->now, excess_of(w, t));
		if (d->whole)
			scale(waits_whole_of(w, d), excess_of(w, t));
	}
	vec_release(&sums.v);
	index_release(&sums.by_id);
}

/* ---- rows -------------------------------------------------------------------------------- */

/* The next row shows these parts of the def. */
static void note_row(struct waits *w, const struct wait_def *d, u32 first, u32 n,
		     const struct report *out)
{
	size_t at = (size_t)(d - w->defs.items) * WAIT_N_PARTS;

	for (u32 i = first; w->rows && i < first + n; i++)
		w->rows[at + i] = (u32)out->stacks.n + 1;
}

static void add_rows(struct waits *w, const struct wait_def *d, const struct wait_values *v,
		     const struct store_view *view, struct report *out)
{
	const struct store_entry *e = &w->store->entries.items[d->waiter];
	struct stack_row row = {
		.kernel = e->kernel,
		.user = e->user,
		.is_rooted = e->is_rooted,
		.count = v->count,
		.n_open = v->n_open,
		.is_whole = v != &d->now,
	};
	u64 sum = total_of(v);

	if (!sum)
		return;
	if (e->is_folded)
		w->store->n_folded_now += v->count + v->n_open;
	row.task = store_task(w->store, d->waiter, view);
	row.chain = show_chain(w, d, view);
	if (!w->conf.split) {
		row.variance = variance_of(w, v->squares[0]);
		note_row(w, d, 0, WAIT_N_PARTS, out);
		add_row(w, d, &row, sum, NULL, out);
		return;
	}
	if (waits_owner(w, d->waiter)->marks & STORE_RUNNING) {
		note_row(w, d, WAIT_RUN, 1, out);
		add_row(w, d, &row, v->ns[WAIT_RUN], FRAME_ON_CPU, out);
		return;
	}
	for (u32 i = 0; i < WAIT_N_PARTS; i++)
		if (v->ns[i]) {
			row.variance = variance_of(w, v->squares[i]);
			note_row(w, d, i, 1, out);
			add_row(w, d, &row, v->ns[i], part_names[i], out);
		}
}

static void add_def(struct waits *w, const struct wait_def *d, const struct store_view *view,
		    struct report *out)
{
	const struct wait_values *whole = waits_whole_of(w, d);

	add_rows(w, d, &d->now, view, out);
	if (whole)
		add_rows(w, d, whole, view, out);
}

void waits_report(struct waits *w, const struct store_view *view, struct report *out)
{
	w->chains.n = 1;
	w->shown.n = 0;
	if (w->conf.weight > 1)
		cap_threads(w);
	if (w->conf.keeps_times)
		w->rows = mem_alloc(w->defs.n * WAIT_N_PARTS + 1, sizeof(*w->rows));
	store_begin_report(w->store);
	for (size_t i = 0; i < w->defs.n; i++)
		add_def(w, &w->defs.items[i], view, out);
	store_end_report(w->store, out);
	if (w->rows)
		waits_report_pieces(w, view->is_snapshot, out);
	free(w->rows);
	w->rows = NULL;
	if (w->conf.want_path)
		out->kind = REPORT_PATHS;
	out->chains = w->chains.items;
	out->n_chains = w->chains.n;
	out->links = w->shown.items;
	out->n_links = w->shown.n;
	out->n_open = w->n_open;
	out->left_ns = w->left_ns;
}
