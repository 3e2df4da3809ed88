/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * "did you mean": the nearest of many names, within an edit distance that a typo explains.
 *
 *	struct nearest near = { .word = word };
 *	for each name
 *		nearest_offer(&near, name);
 *	if (near.best) ...
 */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include "base/types.h"

struct nearest {
	const char *word;
	const char *best; /* NULL: none is near; borrowed from the caller */
	u32 distance;
};

void nearest_offer(struct nearest *n, const char *name); /* NULL is ignored */

/* The nearest of `n` names, or NULL. */
const char *nearest_of(const char *word, const char *const *names, size_t n);

#endif
