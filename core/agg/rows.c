// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "agg/rows.h"

#include <string.h>

#include "base/hash.h"

static u64 hash_row(const struct agg_row *row, u32 n_keys)
{
	u64 h = row->key ? n_keys : UINT64_MAX;

	for (u32 i = 0; row->key && i < n_keys; i++)
		h = hash_mix(h, hash_bytes(row->key[i], strlen(row->key[i])));
	h = hash_mix(h + row->marks.cut, row->marks.unreadable);
	return hash_mix(h, hash_bytes(row->ids, sizeof(row->ids)));
}

static bool looks_same(const struct agg_row *a, const struct agg_row *b, u32 n_keys)
{
	if (!a->key != !b->key || !key_marks_equal(a->marks, b->marks) ||
	    memcmp(a->ids, b->ids, sizeof(a->ids)) != 0)
		return false;
	for (u32 i = 0; a->key && i < n_keys; i++)
		if (strcmp(a->key[i], b->key[i]) != 0)
			return false;
	return true;
}

u32 agg_rows_find(const struct agg_rows *r, struct agg_row *like)
{
	size_t at = 0;
	u32 id;

	like->hash = hash_row(like, r->n_keys);
	while (index_next(&r->by_key, like->hash, &at, &id))
		if (looks_same(&r->v.items[id], like, r->n_keys))
			return id;
	return AGG_NO_ROW;
}

u32 agg_rows_add(struct agg_rows *r, const struct agg_row *like)
{
	u32 id = (u32)r->v.n;
	struct agg_row row = {
		.key = like->key, .marks = like->marks, .nodes = like->nodes, .hash = like->hash
	};

	memcpy(row.ids, like->ids, sizeof(row.ids));
	vec_push(&r->v, row);
	index_add(&r->by_key, row.hash, id);
	return id;
}

/* Add words of a cell; v[0] is word number `from`. */
static void add_tail(struct sparse *to, const u64 *v, u32 from, u32 n,
		     const struct cell_layout *layout)
{
	u32 first = 0;

	while (n && !v[n - 1])
		n--;
	while (first < n && !v[first])
		first++;
	if (first == n)
		return;
	sparse_cover(to, from + first, from + n);
	for (u32 i = first; i < n; i++)
		cell_add_word(layout, &to->v[from + i - to->from], v[i], from + i);
}

void agg_row_add(struct agg_row *row, const u64 *cell, const struct cell_layout *layout)
{
	for (u32 i = 0; i < layout->n_words && i < AGG_HEAD; i++)
		cell_add_word(layout, &row->head[i], cell[i], i);
	if (layout->n_words > AGG_HEAD)
		add_tail(&row->tail, cell + AGG_HEAD, AGG_HEAD, layout->n_words - AGG_HEAD, layout);
}

static void add_row(struct agg_row *to, const struct agg_row *more,
		    const struct cell_layout *layout)
{
	for (u32 i = 0; i < layout->n_words && i < AGG_HEAD; i++)
		cell_add_word(layout, &to->head[i], more->head[i], i);
	add_tail(&to->tail, more->tail.v, more->tail.from, more->tail.n, layout);
}

void agg_rows_merge(struct agg_rows *r, const struct cell_layout *layout)
{
	struct agg_rows was = *r;
	struct agg_row *row;

	*r = (struct agg_rows){ .n_keys = was.n_keys };
	vec_for_each(row, &was.v) {
		u32 id = agg_rows_find(r, row);

		if (id == AGG_NO_ROW)
			id = agg_rows_add(r, row);
		add_row(&r->v.items[id], row, layout);
	}
	agg_rows_release(&was);
}

void agg_rows_release(struct agg_rows *r)
{
	struct agg_row *row;

	vec_for_each(row, &r->v)
		sparse_release(&row->tail);
	vec_release(&r->v);
	index_release(&r->by_key);
}
