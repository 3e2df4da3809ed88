/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A sparse array of u64 over a long range that is mostly 0: only the words from the first to the
 * last index in use are stored. */
#ifndef BASE_SPARSE_H
#define BASE_SPARSE_H

#include "base/types.h"

/* Zero-initialize. */
struct sparse {
	u32 from, n;
	u64 *v; /* owned */
};

/* Make room for the words from..end (end > from); new ones are 0. */
void sparse_cover(struct sparse *w, u32 from, u32 end);

/* 0 for words that are not stored. */
u64 sparse_at(const struct sparse *w, u32 i);

void sparse_release(struct sparse *w);

#endif
