// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Forgets the waits whose stacks the store has forgotten. */
#include <stdlib.h>

#include "wait/intervals.h"
#include "wait/pieces_int.h"

static bool has_values(const struct wait_values *v)
{
	u64 sum = v->count + v->n_open;

	for (u32 i = 0; i < WAIT_N_PARTS; i++)
		sum |= v->ns[i];
	return sum;
}

static void touch(struct waits *w, u32 entry)
{
	w->store->entries.items[entry].idle = 0;
}

void waits_touch(struct waits *w)
{
	const struct wait_sleeper *s;
	struct wait_def *d;

	vec_for_each(d, &w->defs) {
		d->idle += d->idle < STORE_IDLE;
		if (!has_values(&d->now) && !has_values(&d->next) && !d->later && !d->whole)
			continue;
		d->idle = 0;
		touch(w, d->waiter);
		for (u32 i = 0; i < d->n; i++)
			touch(w, w->links.items[d->first + i]);
	}
	vec_for_each(s, &w->sleepers)
		touch(w, s->entry);
}

void waits_touch_thread(struct waits *w, const struct wait_thread *t)
{
	store_find(w->store, (const u64 *)t->stack.hash);
	store_find(w->store, (const u64 *)t->run.hash);
	for (u32 i = 0; i < t->n_links && i < w->conf.levels; i++)
		store_find(w->store, (const u64 *)t->links[i].stack.hash);
}

/* All lost stacks share one entry of the store, so a wait with a lost stack is forgotten only when
 * the wait itself has not been met for some reports. */
static bool is_gone(const struct waits *w, const struct wait_def *d, const u32 *moved,
		    u32 generation)
{
	bool is_gone = moved[d->waiter] == STORE_NONE;

	for (u32 i = 0; i < d->n; i++)
		is_gone |= moved[w->links.items[d->first + i]] == STORE_NONE;
	return is_gone || (d->has_lost && d->idle >= STORE_IDLE && d->generation < generation);
}

static void move_links(struct waits *w, struct wait_def *d, u32 *n_links, const u32 *moved)
{
	u32 first = *n_links;

	for (u32 i = 0; i < d->n; i++)
		w->links.items[first + i] = moved[w->links.items[d->first + i]];
	d->first = first;
	*n_links += d->n;
}

static void move_path(struct waits *w, size_t from, size_t to)
{
	u32 levels = w->conf.levels;

	for (u32 i = 0; w->conf.want_path && i < levels; i++) {
		w->path_now.items[to * levels + i] = w->path_now.items[from * levels + i];
		w->path_next.items[to * levels + i] = w->path_next.items[from * levels + i];
	}
	for (u32 i = 0; w->conf.want_path && i < 2 * levels; i++)
		w->path_taken.items[2 * to * levels + i] =
			w->path_taken.items[2 * from * levels + i];
}

static void cut_lists(struct waits *w, size_t n_defs, u32 n_links)
{
	w->defs.n = n_defs;
	w->links.n = n_links;
	if (w->conf.want_path) {
		w->path_now.n = w->path_next.n = n_defs * w->conf.levels;
		w->path_taken.n = 2 * n_defs * w->conf.levels;
	}
	vec_fit(&w->defs);
	vec_fit(&w->links);
	w->n_ids = 0;
	index_release(&w->by_id);
	for (size_t i = 0; i < w->defs.n; i++) {
		index_add(&w->by_id, w->defs.items[i].id[0], (u32)i);
		w->n_ids += w->store->entries.items[w->defs.items[i].waiter].is_folded;
	}
}

void waits_forget(struct waits *w, const u32 *moved, u32 generation,
		  void (*gone)(void *ctx, const u64 id[2]), void *ctx)
{
	struct wait_sleeper *s;
	u32 *to = w->pieces.n ? mem_alloc(w->defs.n + 1, sizeof(*to)) : NULL;
	u32 n_links = 0;
	size_t n = 0;

	for (size_t i = 0; i < w->defs.n; i++) {
		struct wait_def d = w->defs.items[i];

		if (is_gone(w, &d, moved, generation)) {
			gone(ctx, d.id);
			continue;
		}
		d.waiter = moved[d.waiter];
		move_links(w, &d, &n_links, moved);
		move_path(w, i, n);
		w->defs.items[n++] = d;
		if (to)
			to[i] = (u32)n;
	}
	waits_move_pieces(w, to);
	free(to);
	cut_lists(w, n, n_links);
	vec_for_each(s, &w->sleepers)
		s->entry = moved[s->entry];
	w->chains.n = 1;
	w->shown.n = 0;
	vec_fit(&w->chains);
	vec_fit(&w->shown);
}
