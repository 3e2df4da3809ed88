// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The words of argdist's cells (bpf/abi/cells.h). */
#include "agg/dist.h"
#include "bpf/abi/cells.h"

u64 dist_count_cell(const void *table, const u64 *cell)
{
	const struct agg_table *t = table;
	const struct dist_result *r = dist_result_of(t);
	u32 n = t->cells.opts.layout.n_words;
	u64 sum = 0;

	if (r->cell == CELL_COUNT || r->cell == CELL_STATS)
		return cell[0];
	for (u32 i = 0; i < n; i += r->shown.kind == DIST_TABLE ? CELL_PAIR_WORDS : 1)
		sum += cell[i];
	return sum;
}

/* In the cell, the buckets of negative values follow the others, from 0 downwards
 * (bpf/abi/cells.h). */
u32 dist_fine_word(u32 bucket)
{
	u32 i = bucket >= DIST_FINE_ZERO ? bucket - DIST_FINE_ZERO
					 : CELL_STATS_HALF + (DIST_FINE_ZERO - 1 - bucket);

	return (u32)CELL_STATS_HEAD + i;
}

u32 dist_fine_bucket_at(u32 word)
{
	u32 i = word - (u32)CELL_STATS_HEAD;

	return i < CELL_STATS_HALF ? DIST_FINE_ZERO + i
				   : DIST_FINE_ZERO - 1 - (i - CELL_STATS_HALF);
}
