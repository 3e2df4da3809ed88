/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A hash index over an array that the caller owns: it maps a hash to the positions of the items
 * that may match.  The items stay where they are, and the caller compares them.
 *
 *	size_t at = 0;
 *	u32 id;
 *	while (index_next(&t, hash, &at, &id))
 *		if (items[id] is the one)
 *			return id;
 *	index_add(&t, hash, new_id);
 */
#ifndef BASE_INDEX_H
#define BASE_INDEX_H

#include "base/types.h"

struct index_slot {
	u32 hash; /* low half of the hash, so that growing needs no access to the items */
	u32 id;	  /* id + 1; 0: free */
};

/* Zero-initialize. */
struct index {
	struct index_slot *slots;
	size_t n, cap;
};

/* Find the next candidate with this hash: its position goes to *id.  Set *at to 0 before the first
 * call and keep it between calls.  Returns false if there are no more. */
bool index_next(const struct index *t, u64 hash, size_t *at, u32 *id);
void index_add(struct index *t, u64 hash, u32 id);
void index_release(struct index *t);

#endif
