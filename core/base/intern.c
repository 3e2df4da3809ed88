// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/intern.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

#define BLOCK_BYTES 16384

struct intern_block {
	struct intern_block *next;
	size_t used, cap;
	char bytes[];
};

static char *block_take(struct intern *t, size_t n)
{
	struct intern_block *b = t->blocks;

	if (!b || b->cap - b->used < n) {
		size_t cap = n > BLOCK_BYTES / 4 ? n : BLOCK_BYTES;

		b = mem_alloc(1, sizeof(*b) + cap);
		b->cap = cap;
		/* A long string gets a block of its own, inserted after the one being filled. */
		if (t->blocks && cap == n) {
			b->next = t->blocks->next;
			t->blocks->next = b;
		} else {
			b->next = t->blocks;
			t->blocks = b;
		}
	}
	b->used += n;
	return b->bytes + b->used - n;
}

static void grow(struct intern *t)
{
	size_t cap = t->cap ? t->cap * 2 : 256;
	const char **slots = mem_alloc(cap, sizeof(*slots));

	for (size_t i = 0; i < t->cap; i++) {
		size_t at;

		if (!t->slots[i])
			continue;
		at = hash_bytes(t->slots[i], strlen(t->slots[i])) & (cap - 1);
		while (slots[at])
			at = (at + 1) & (cap - 1);
		slots[at] = t->slots[i];
	}
	free(t->slots);
	t->slots = slots;
	t->cap = cap;
}

const char *intern_n(struct intern *t, const char *s, size_t n)
{
	size_t at;
	char *copy;

	n = strnlen(s, n);
	if (t->n * 2 >= t->cap)
		grow(t);
	for (at = hash_bytes(s, n) & (t->cap - 1); t->slots[at]; at = (at + 1) & (t->cap - 1))
		if (!strncmp(t->slots[at], s, n) && !t->slots[at][n])
			return t->slots[at];
	copy = block_take(t, n + 1);
	memcpy(copy, s, n);
	copy[n] = '\0';
	t->slots[at] = copy;
	t->n++;
	t->bytes += n + 1;
	return copy;
}

const char *intern(struct intern *t, const char *s)
{
	return intern_n(t, s, strlen(s));
}

void intern_release(struct intern *t)
{
	while (t->blocks) {
		struct intern_block *next = t->blocks->next;

		free(t->blocks);
		t->blocks = next;
	}
	free(t->slots);
	*t = (struct intern){ 0 };
}
