/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rows of a result: numbers by the text of their keys.  Several cells of the kernel may have
 * different keys with the same text, and then share a row.  Knows keys and numbers; must not know
 * the kernel's tables, nor reports.
 */
#ifndef AGG_ROWS_H
#define AGG_ROWS_H

#include "base/arena.h"
#include "base/index.h"
#include "base/mem.h"
#include "base/sparse.h"
#include "model/key.h"

/* How the words of two cells are merged. */
struct cell_layout {
	u32 n_words;
	/* Is word i a maximum?  Then the greater of two values is kept; all other words are added
	 * up.  NULL: no word is. */
	bool (*is_extreme)(const void *ctx, u32 i);
	const void *ctx;
};

static inline void cell_add_word(const struct cell_layout *l, u64 *to, u64 more, u32 i)
{
	if (!l->is_extreme || !l->is_extreme(l->ctx, i))
		*to += more;
	else if (more > *to)
		*to = more;
}

/* The number of leading words, which most cells have: counts and sums, and the words of statistics
 * before their buckets (bpf/abi/cells.h). */
#define AGG_HEAD 4

/* Leaf nodes in a report (model/report.h); 0: there are no such frames. */
struct agg_nodes {
	u32 kernel, user;
	bool is_rooted; /* the user part begins where its thread does */
};

struct agg_row {
	const char *const *key; /* texts; NULL: [other], all keys that did not fit */
	/* Rows are also told apart by these.  argdist: the ids of the kernel stack and the user
	 * stack, if they are keys, and later their ranks (stackkeys.c).  funccount: ids[0][0] is
	 * the site's look (counters.c). */
	u64 ids[2][2];
	struct key_marks marks; /* those of the key's texts */
	struct agg_nodes nodes;
	u64 hash;
	u64 head[AGG_HEAD];
	struct sparse tail; /* the others, by their number in the cell */
};

/* Zero-initialize, and set n_keys. */
struct agg_rows {
	u32 n_keys; /* texts of each key */
	VEC(struct agg_row) v;
	struct index by_key;
};

#define AGG_NO_ROW UINT32_MAX

/* Find the row that looks like `like`, and set like->hash; AGG_NO_ROW: there is none. */
u32 agg_rows_find(const struct agg_rows *r, struct agg_row *like);
/* Add a row that was not found.  The new row is empty. */
u32 agg_rows_add(struct agg_rows *r, const struct agg_row *like);

/* Merge rows that have become equal because their ids were changed.  The order of rows stays. */
void agg_rows_merge(struct agg_rows *r, const struct cell_layout *layout);

/* Free all rows, but not their texts, which belong to the caller. */
void agg_rows_release(struct agg_rows *r);

/* Put a cell into the row. */
void agg_row_add(struct agg_row *row, const u64 *cell, const struct cell_layout *layout);

static inline u64 agg_word(const struct agg_row *row, u32 i)
{
	return i < AGG_HEAD ? row->head[i] : sparse_at(&row->tail, i);
}

#endif
