/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Three-way comparisons for ranking. */
#ifndef MODEL_ORDER_H
#define MODEL_ORDER_H

#include <string.h>

#include "base/types.h"

/* NULL sorts before any text. */
static inline int text_cmp(const char *a, const char *b)
{
	if (a == b)
		return 0;
	return a && b ? strcmp(a, b) : (a > b) - (a < b);
}

static inline int num_cmp(u64 a, u64 b)
{
	return (a > b) - (a < b);
}

static inline int signed_cmp(s64 a, s64 b)
{
	return (a > b) - (a < b);
}

#endif
