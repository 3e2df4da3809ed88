// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Moves from one window to the next: clears reported values, and keeps values after the cut. */
#include "wait/intervals.h"

#include "base/hash.h"

/* Drop the credits of waits that have ended.  A wait that a snapshot did not count may still count
 * in its window's report. */
static void forget_credits(struct waits *w)
{
	size_t n = 0;

	index_release(&w->by_credit);
	for (size_t i = 0; i < w->credits.n; i++) {
		struct wait_credit c = w->credits.items[i];

		if (c.until_ns != w->cut_ns)
			continue;
		if (c.is_unfit || c.is_whole)
			c.until_ns = w->start_ns;
		index_add(&w->by_credit, hash_mix(c.pid, 0), (u32)n);
		w->credits.items[n++] = c;
	}
	w->credits.n = n;
}

/* A thread that ended after the cut also lived in the next window. */
static void forget_exits(struct waits *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->exits.n; i++)
		if (w->exits.items[i].exit_ns > w->cut_ns)
			w->exits.items[n++] = w->exits.items[i];
	w->exits.n = n;
}

static void add_values(struct wait_values *to, const struct wait_values *more)
{
	to->count += more->count;
	for (u32 i = 0; i < WAIT_N_PARTS; i++) {
		to->ns[i] += more->ns[i];
		to->squares[i] += more->squares[i];
	}
}

/* The window that continues, or the next one, gets the values after the cut.  Values after its own
 * end belong to the window after it. */
static void take_next(struct waits *w)
{
	const struct wait_later *l;
	struct wait_def *d;

	vec_for_each(d, &w->defs) {
		add_values(&d->now, &d->next);
		d->next = (struct wait_values){ 0 };
		d->later = d->whole = 0;
	}
	vec_for_each(l, &w->later)
		w->defs.items[l->def].next = l->values;
	for (size_t i = 0; i < w->path_now.n; i++) {
		w->path_now.items[i] += w->path_next.items[i];
		w->path_next.items[i] = 0;
	}
	for (size_t i = 0; i < w->path_later.n; i++)
		w->path_next.items[w->later.items[i / w->conf.levels].def * w->conf.levels +
				   i % w->conf.levels] = w->path_later.items[i];
	w->later.n = w->path_later.n = w->whole.n = 0;
}

void waits_end_report(struct waits *w, bool is_snapshot)
{
	struct wait_def *d;

	w->clocks.n = 0;
	if (!is_snapshot) {
		waits_touch(w);
		vec_for_each(d, &w->defs)
			d->now = (struct wait_values){ 0 };
		for (size_t i = 0; i < w->path_now.n; i++)
			w->path_now.items[i] = 0;
		w->start_ns = w->cut_ns;
		forget_exits(w);
	}
	take_next(w);
	forget_credits(w);
	w->n_open = w->left_ns = 0;
	w->cut_ns = w->next_cut_ns = UINT64_MAX;
}
