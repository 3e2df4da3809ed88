// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a result has of each key, and how the kernel's cells are read into it. */
#include <string.h>

#include "agg/dist.h"
#include "base/hash.h"
#include "bpf/abi/cells.h"

#define STATS_WORD(field) (offsetof(struct cell_stats, field) / sizeof(u64))

/* ---- the words of a cell ---- */

u32 dist_cell_words(const struct dist_cells *c)
{
	return c->table.opts.cell_bytes / (u32)sizeof(u64);
}

/* How many events made the cell what it is. */
static u64 count_words(enum gen_cell kind, const u64 *cell, u32 n)
{
	u64 sum = 0;

	if (kind == CELL_COUNT || kind == CELL_STATS)
		return cell[0];
	for (u32 i = 0; i < n; i++)
		sum += cell[i];
	return sum;
}

u64 dist_count_cell(void *ctx, const u64 *cell)
{
	const struct dist_cells *c = ctx;
	const struct dists *d = c->dists;
	const struct dist_result *r = &d->results.items[c->result];
	u64 sum = 0;

	if (r->shown.kind != DIST_TABLE)
		return count_words(r->cell, cell, dist_cell_words(c));
	for (u32 i = 0; i < d->columns.n; i++)
		sum += cell[2 * i];
	return sum;
}

/* In the cell, negative values stand after the others, from 0 downwards (bpf/abi/cells.h). */
u32 dist_fine_word(u32 bucket)
{
	u32 i = bucket >= DIST_FINE_ZERO ? bucket - DIST_FINE_ZERO
					 : CELL_STATS_HALF + (DIST_FINE_ZERO - 1 - bucket);

	return (u32)STATS_WORD(buckets) + i;
}

/* ---- entries ---- */

void dist_add_words(struct words *to, const struct words *more, const struct key_table_opts *o)
{
	u32 from = more->from, end = from + more->n;

	while (end > from && !words_at(more, end - 1))
		end--;
	while (from < end && !words_at(more, from))
		from++;
	if (from == end)
		return;
	words_cover(to, from, end);
	for (u32 i = from; i < end; i++) {
		u64 *word = &to->v[i - to->from], one = words_at(more, i);

		if (!o->is_extreme || !o->is_extreme(o->ctx, i))
			*word += one;
		else if (one > *word)
			*word = one;
	}
}

static u64 hash_key(const struct dist_entry *e, u32 n)
{
	u64 h = e->key ? n : UINT64_MAX;

	for (u32 i = 0; e->key && i < n; i++)
		h = hash_mix(h, hash_bytes(e->key[i], strlen(e->key[i])));
	return hash_mix(h, hash_bytes(e->stacks, sizeof(e->stacks)));
}

static bool same_key(const struct dist_entry *a, const struct dist_entry *b, u32 n)
{
	if (!a->key || !b->key)
		return a->key == b->key;
	for (u32 i = 0; i < n; i++)
		if (strcmp(a->key[i], b->key[i]) != 0)
			return false;
	return !memcmp(a->stacks, b->stacks, sizeof(a->stacks));
}

u32 dist_entry_of(struct dist_result *r, struct dist_entry want)
{
	size_t at = 0;
	u32 id;

	want.hash = hash_key(&want, r->shown.n_keys);
	while (index_next(&r->by_key, want.hash, &at, &id))
		if (same_key(&r->entries.items[id], &want, r->shown.n_keys))
			return id;
	id = (u32)r->entries.n;
	want.now = (struct words){ 0 };
	vec_push(&r->entries, want);
	index_add(&r->by_key, want.hash, id);
	return id;
}

/* What is an extreme is the same in all cells of a result. */
static const struct key_table_opts *opts_of(const struct dists *d, const struct dist_result *r)
{
	size_t i = 0;

	while (&d->results.items[d->cells.items[i]->result] != r)
		i++;
	return &d->cells.items[i]->table.opts;
}

void dist_refill(struct dists *d, struct dist_result *r)
{
	struct dist_result was = *r;
	struct dist_entry *e;

	memset(&r->entries, 0, sizeof(r->entries));
	index_release(&r->by_key);
	vec_for_each(e, &was.entries) {
		u32 id = dist_entry_of(r, *e);

		dist_add_words(&r->entries.items[id].now, &e->now, opts_of(d, r));
		words_release(&e->now);
	}
	vec_release(&was.entries);
}
