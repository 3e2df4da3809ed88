/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Arena allocator: everything in it is freed at once.  Meant for trees, whose nodes point at each
 * other and have the same lifetime.  Zero-initialize; arena_release frees everything.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/types.h"
#include "base/view.h"

struct arena_block;

struct arena {
	struct arena_block *blocks;
	size_t used, cap; /* bytes in the newest block */
};

/* n * size zeroed bytes, aligned for any type.  Ends the program when out of memory. */
void *arena_alloc(struct arena *a, size_t n, size_t size);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) PRINTF(2, 3);
void arena_release(struct arena *a);

/* Free everything that was allocated since `mark` was copied from `a`. */
void arena_rewind(struct arena *a, const struct arena *mark);

#define arena_new(a, type) ((type *)arena_alloc((a), 1, sizeof(type)))

static inline char *arena_view(struct arena *a, struct view v)
{
	return arena_strndup(a, v.p, v.n);
}

#endif
