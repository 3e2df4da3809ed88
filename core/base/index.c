// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/index.h"

#include <stdlib.h>

#include "base/mem.h"

/* Where the search for a hash begins.  `cap` is no power of two: a large index that doubles takes
 * four times what its entries need while it does. */
static size_t home(u32 hash, size_t cap)
{
	return (u64)(hash * 0x9e3779b1U) * cap >> 32;
}

static void put(struct index_slot *slots, size_t cap, struct index_slot item)
{
	size_t at = home(item.hash, cap);

	while (slots[at].id)
		at = at + 1 < cap ? at + 1 : 0;
	slots[at] = item;
}

static void grow(struct index *t)
{
	size_t cap = t->cap ? t->cap + t->cap / 2 : 64;
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
		size_t i = home((u32)hash, t->cap) + *at;
		const struct index_slot *slot = &t->slots[i < t->cap ? i : i - t->cap];

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
	if (t->n * 8 >= t->cap * 7)
		grow(t);
	put(t->slots, t->cap, (struct index_slot){ .hash = (u32)hash, .id = id + 1 });
	t->n++;
}

void index_release(struct index *t)
{
	free(t->slots);
	*t = (struct index){ 0 };
}
