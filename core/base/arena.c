// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

#define BLOCK_BYTES 8192

struct arena_block {
	struct arena_block *next;
	alignas(max_align_t) char bytes[];
};

void *arena_alloc(struct arena *a, size_t n, size_t size)
{
	size_t bytes;
	void *p;

	if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 2)
		bytes = SIZE_MAX / 2; /* mem_alloc will report it and exit */
	bytes = (bytes + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	if (!a->blocks || a->cap - a->used < bytes) {
		size_t cap = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
		struct arena_block *b = mem_alloc(1, sizeof(*b) + cap);

		b->next = a->blocks;
		a->blocks = b;
		a->used = 0;
		a->cap = cap;
	}
	p = a->blocks->bytes + a->used;
	a->used += bytes;
	return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *p = arena_alloc(a, n + 1, 1);

	memcpy(p, s, n);
	return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap, again;
	char *p;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	p = arena_alloc(a, n > 0 ? (size_t)n + 1 : 1, 1);
	if (n > 0)
		vsnprintf(p, (size_t)n + 1, fmt, again);
	va_end(again);
	return p;
}

static void free_until(struct arena *a, const struct arena_block *last)
{
	while (a->blocks != last) {
		struct arena_block *next = a->blocks->next;

		free(a->blocks);
		a->blocks = next;
	}
}

void arena_release(struct arena *a)
{
	free_until(a, NULL);
	*a = (struct arena){ 0 };
}

void arena_rewind(struct arena *a, const struct arena *mark)
{
	size_t used = a->blocks == mark->blocks ? a->used : mark->cap;

	free_until(a, mark->blocks);
	*a = *mark;
	if (a->blocks)
		memset(a->blocks->bytes + a->used, 0, used - a->used);
}
