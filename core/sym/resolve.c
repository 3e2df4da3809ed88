// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/resolve.h"

#include <stdlib.h>

/* Stops at a table in which every symbol covers every address, which would take days. */
#define MAX_STEPS      (64ULL << 20)
/* Cost of comparing two names of SYM_NAME_MAX, in steps of a meter. */
#define STEPS_PER_NAME 512

void wants_add(struct wants *w, u32 id, u64 at)
{
	vec_push(&w->list, (struct sym_query){ .id = id, .at = at });
}

static int compare_at(const void *a, const void *b)
{
	u64 x = ((const struct sym_query *)a)->at, y = ((const struct sym_query *)b)->at;

	return (x > y) - (x < y);
}

void wants_sort(struct wants *w)
{
	if (w->list.n)
		qsort(w->list.items, w->list.n, sizeof(*w->list.items), compare_at);
}

/* The index of the first want at or above an address. */
static size_t lower_bound(const struct wants *w, u64 at)
{
	size_t lo = 0, hi = w->list.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (w->list.items[mid].at < at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool beats(const struct wants *w, const struct sym_match *old, const struct sym_entry *o)
{
	if (!old->is_set || w->last_wins)
		return true;
	if (old->start != o->start)
		return o->start > old->start;
	if (old->rank != o->rank)
		return o->rank > old->rank;
	return w->is_better && meter_step(w->meter, STEPS_PER_NAME) &&
	       w->is_better(w->ctx, old->ref, o->ref);
}

static void set_match(struct sym_match *c, const struct sym_entry *o)
{
	c->start = o->start;
	c->size = o->size;
	c->ref = o->ref;
	c->rank = o->rank;
	c->is_set = true;
	str_clear(&c->name);
	if (o->name.n)
		str_add(&c->name, o->name.p, o->name.n < SYM_NAME_MAX ? o->name.n : SYM_NAME_MAX);
}

void wants_cover(struct wants *w, const struct sym_entry *o)
{
	size_t i = lower_bound(w, o->start);

	for (; i < w->list.n && w->steps < MAX_STEPS && meter_step(w->meter, 1); i++) {
		struct sym_query *want = &w->list.items[i];

		if (want->at - o->start >= o->size)
			break;
		w->steps++;
		if (!want->is_named && beats(w, &want->best, o))
			set_match(&want->best, o);
	}
}

void wants_near(struct wants *w, const struct sym_entry *o)
{
	size_t i = lower_bound(w, o->start);
	struct sym_match *near = i < w->list.n ? &w->list.items[i].near : NULL;

	if (!near)
		return;
	/* A sized symbol here only ends others, so it does not matter which of its names is
	 * kept. */
	if (near->is_set && near->start == o->start && near->size)
		return;
	if (o->size ? !near->is_set || o->start >= near->start : beats(w, near, o))
		set_match(near, o);
}

void want_near(struct sym_query *want, const struct sym_entry *o)
{
	set_match(&want->near, o);
}

static void candidate_copy(struct sym_match *to, const struct sym_match *from)
{
	struct sym_entry o = {
		.start = from->start,
		.size = from->size,
		.ref = from->ref,
		.name = str_view(&from->name),
		.rank = from->rank,
	};

	set_match(to, &o);
}

void wants_settle(struct wants *w)
{
	for (size_t i = 1; i < w->list.n; i++) {
		struct sym_match *below = &w->list.items[i - 1].near;
		struct sym_match *near = &w->list.items[i].near;

		if (below->is_set && !near->is_set)
			candidate_copy(near, below);
	}
}

static void candidate_clear(struct sym_match *c)
{
	str_release(&c->name);
	*c = (struct sym_match){ 0 };
}

void wants_clear(struct wants *w)
{
	struct sym_query *want;

	w->steps = 0;
	vec_for_each(want, &w->list) {
		candidate_clear(&want->best);
		candidate_clear(&want->near);
	}
}

void want_name(struct sym_query *want, const struct sym_match *from, struct view name)
{
	if (!name.n)
		return;
	str_clear(&want->found);
	str_add(&want->found, name.p, name.n < SYM_NAME_MAX ? name.n : SYM_NAME_MAX);
	want->start = from->start;
	want->is_named = true;
}

size_t wants_left(const struct wants *w)
{
	const struct sym_query *want;
	size_t n = 0;

	vec_for_each(want, &w->list)
		n += !want->is_named;
	return n;
}

void wants_release(struct wants *w)
{
	struct sym_query *want;

	wants_clear(w);
	vec_for_each(want, &w->list) {
		str_release(&want->found);
		str_release(&want->module);
	}
	vec_release(&w->list);
	*w = (struct wants){ 0 };
}
