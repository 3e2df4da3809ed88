// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/index.h"

#include <stdlib.h>

#include "base/mem.h"

static void put(struct index_slot *slots, size_t cap, struct index_slot item)
{
	size_t at = item.hash & (cap - 1);

	while (slots[at].id)
		at = (at + 1) & (cap - 1);
	slots[at] = item;
}

static void grow(struct index *t)
{
	size_t cap = t->cap ? t->cap * 2 : 64;
	struct index_slot *slots = mem_alloc(cap, sizeof(*slots));

	for (size_t i = 0; i < t->cap; i++)
		if (t->slots[i].id)
			put(slots, cap, t->slots[i]);
	free(t->slots);
	t->slots = slots;
	t->cap = cap;
}

/* *at counts the slots visited, so that the search ends even in a full table. */
bool index_next(const struct index *t, u64 hash, size_t *at, u32 *id)
{
	while (*at < t->cap) {
		const struct index_slot *slot = &t->slots[((u32)hash + *at) & (t->cap - 1)];

		if (!slot->id)
			return false;
		++*at;
		if (slot->hash == (u32)hash) {
			*id = slot->id - 1;
			return true;
		}
	}
	return false;
}

void index_add(struct index *t, u64 hash, u32 id)
{
	if (t->n * 4 >= t->cap * 3)
		grow(t);
	put(t->slots, t->cap, (struct index_slot){ .hash = (u32)hash, .id = id + 1 });
	t->n++;
}

void index_release(struct index *t)
{
	free(t->slots);
	*t = (struct index){ 0 };
}
