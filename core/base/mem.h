/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Allocation that the caller need not check: sizes are multiplied with overflow checks, and when
 * memory runs out the program prints a message and exits with status 1.  Every size from outside
 * must be bounded by its reader before it gets here.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdlib.h>

#include "base/types.h"

void *mem_alloc(size_t n, size_t size); /* zeroed */
void *mem_realloc(void *p, size_t n, size_t size);
char *mem_strdup(const char *s);
char *mem_strndup(const char *s, size_t n);
char *mem_printf(const char *fmt, ...) PRINTF(1, 2);

/*
 * A vector is three fields in any struct: VEC(struct frame) frames; then vec_push(&v, item),
 * v.items[i], v.n.  Zero-initialize; vec_release frees.
 */
#define VEC(type)              \
	struct {               \
		type *items;   \
		size_t n, cap; \
	}

#define vec_reserve(v, more)                                                                    \
	((v)->cap - (v)->n >= (size_t)(more)                                                    \
		 ? (void)0                                                                      \
		 : (void)((v)->items = mem_grow((v)->items, (v)->n + (size_t)(more), &(v)->cap, \
						sizeof(*(v)->items))))

/* The item is evaluated first: evaluating it may push to the same vector. */
#define vec_push(v, ...)                                     \
	do {                                                 \
		__typeof__(*(v)->items) item_ = __VA_ARGS__; \
		vec_reserve(v, 1);                           \
		(v)->items[(v)->n++] = item_;                \
	} while (0)

#define vec_for_each(item, v) for (item = (v)->items; item && item < (v)->items + (v)->n; item++)

#define vec_release(v) (free((v)->items), (v)->items = NULL, (v)->n = (v)->cap = 0)

/* Shrink the allocation if it is much larger than needed. */
#define vec_fit(v)                               \
	((v)->cap < 2 * (v)->n + 16              \
		 ? (void)0                       \
		 : (void)((v)->cap = (v)->n + 8, \
			  (v)->items = mem_realloc((v)->items, (v)->cap, sizeof(*(v)->items))))

/* vec_reserve's slow path: at least `need` items, doubling.  Returns the new block. */
void *mem_grow(void *items, size_t need, size_t *cap, size_t size);

#endif
