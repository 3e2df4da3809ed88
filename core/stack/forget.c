// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Makes the store forget stacks that were not met for some reports. */
#include <stdlib.h>

#include "stack/store.h"

void store_age(struct store *s)
{
	const struct store_gap *gap;
	struct store_entry *e;

	vec_for_each(e, &s->entries)
		e->idle += e->idle < STORE_IDLE;
	vec_for_each(gap, &s->open_gaps)
		s->entries.items[gap->entry].idle = 0;
	s->n_folded += s->n_folded_now;
	s->n_folded_now = 0;
}

static bool is_idle(const struct store_entry *e)
{
	return e->idle >= STORE_IDLE && !e->sent[0] && !e->sent[1];
}

static bool may_go(const struct store_entry *e, u32 generation)
{
	return is_idle(e) && e->generation < generation;
}

struct store_idle store_idle(const struct store *s, u32 generation)
{
	struct store_idle idle = { 0 };
	const struct store_entry *e;

	vec_for_each(e, &s->entries) {
		idle.n += is_idle(e);
		idle.n_settled += may_go(e, generation);
	}
	return idle;
}

/* ---- entries ---- */

static u32 *forget_entries(struct store *s, u32 generation,
			   void (*gone)(void *ctx, const u64 id[2]), void *ctx)
{
	u32 *moved = mem_alloc(s->entries.n + 1, sizeof(*moved));
	size_t n = 0;

	for (size_t i = 0; i < s->entries.n; i++) {
		const struct store_entry e = s->entries.items[i];

		moved[i] = STORE_NONE;
		if (may_go(&e, generation)) {
			gone(ctx, e.id);
			continue;
		}
		moved[i] = (u32)n;
		s->entries.items[n++] = e;
	}
	s->entries.n = n;
	s->n_ids = 0;
	for (size_t i = 0; i < n; i++)
		s->n_ids += s->entries.items[i].is_folded;
	return moved;
}

static void move_gaps(struct store *s, const u32 *moved)
{
	struct store_gap *gap;

	vec_for_each(gap, &s->open_gaps)
		gap->entry = moved[gap->entry];
	/* The stacks that fill gaps are needed only while gaps are open. */
	if (!s->open_gaps.n)
		gaps_release(&s->gaps);
}

/* ---- owners ---- */

static void forget_owners(struct store *s, const u32 *moved)
{
	u32 *to = mem_alloc(s->owners.n + 1, sizeof(*to)), n = 0;
	struct intern strings = { 0 };
	struct store_entry *e;

	vec_for_each(e, &s->entries)
		to[e->owner] = 1;
	for (u32 i = 0; i < s->owners.n; i++) {
		struct store_owner o = s->owners.items[i];

		if (!to[i])
			continue;
		o.comm = intern(&strings, o.comm);
		o.label = o.label ? intern(&strings, o.label) : NULL;
		o.other = o.other && moved[o.other - 1] != STORE_NONE ? moved[o.other - 1] + 1 : 0;
		o.task = 0;
		to[i] = n;
		s->owners.items[n++] = o;
	}
	s->owners.n = n;
	vec_for_each(e, &s->entries)
		e->owner = to[e->owner];
	intern_release(&s->strings);
	s->strings = strings;
	s->tasks.n = 0;
	free(to);
}

/* ---- nodes ---- */

static void mark_path(const struct store *s, bool *used, u32 node)
{
	for (; node && !used[node]; node = s->nodes.items[node].parent)
		used[node] = true;
}

static bool *used_nodes(const struct store *s)
{
	bool *used = mem_alloc(s->nodes.n + 1, sizeof(*used));
	const struct store_entry *e;
	const struct gaps_path *path;

	vec_for_each(e, &s->entries) {
		mark_path(s, used, e->kernel);
		mark_path(s, used, e->user);
	}
	vec_for_each(path, &s->gaps.paths)
		mark_path(s, used, path->node);
	return used;
}

/* A parent has a smaller index than its children, so its new index is known before theirs. */
static void forget_nodes(struct store *s)
{
	bool *used = used_nodes(s);
	u32 *to = mem_alloc(s->nodes.n + 1, sizeof(*to)), n = 1;
	struct gaps_path *path;
	struct store_entry *e;

	for (u32 i = 1; i < s->nodes.n; i++) {
		struct stack_node node = s->nodes.items[i];

		if (!used[i])
			continue;
		node.parent = to[node.parent];
		to[i] = n;
		s->nodes.items[n++] = node;
	}
	s->nodes.n = n;
	vec_for_each(e, &s->entries) {
		e->kernel = to[e->kernel];
		e->user = to[e->user];
	}
	vec_for_each(path, &s->gaps.paths)
		path->node = to[path->node];
	free(used);
	free(to);
}

/* ---- locations ---- */

/* All locations that the store refers to. */
static void for_each_loc(struct store *s, void (*visit)(void *ctx, u32 *loc), void *ctx)
{
	u32 *const own[] = { &s->loc_truncated, &s->loc_missed_user, &s->loc_full, &s->loc_unknown,
			     &s->loc_other };
	struct store_gap *gap;

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		visit(ctx, own[i]);
	for (u32 i = 1; i < s->nodes.n; i++)
		visit(ctx, &s->nodes.items[i].frame);
	vec_for_each(gap, &s->open_gaps)
		if (gap->loc_leaf != STORE_NONE)
			visit(ctx, &gap->loc_leaf);
}

static void mark_loc(void *ctx, u32 *loc)
{
	bool *used = ctx;

	used[*loc] = true;
}

static void move_loc(void *ctx, u32 *loc)
{
	const u32 *to = ctx;

	*loc = to[*loc];
}

static void forget_locs(struct store *s)
{
	bool *used;
	size_t n;
	u32 *to;

	symbolizer_frames(s->sym, &n);
	used = mem_alloc(n + 1, sizeof(*used));
	for_each_loc(s, mark_loc, used);
	to = symbolizer_forget(s->sym, used);
	for_each_loc(s, move_loc, to);
	free(used);
	free(to);
}

/* ---- everything ---- */

u32 *store_forget(struct store *s, u32 generation, void (*gone)(void *ctx, const u64 id[2]),
		  void *ctx)
{
	u32 *moved = forget_entries(s, generation, gone, ctx);

	store_drop_indices(s);
	move_gaps(s, moved);
	forget_owners(s, moved);
	forget_nodes(s);
	forget_locs(s);
	vec_fit(&s->entries);
	vec_fit(&s->owners);
	vec_fit(&s->nodes);
	return moved;
}
