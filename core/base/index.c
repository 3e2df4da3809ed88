// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/index.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* The slot at which the search for a hash begins.  Items are in the order of these slots, except
 * where a slot was occupied and the item was put into a later one. */
static size_t home(u32 hash, size_t cap)
{
	return (u64)(hash * 0x9e3779b1U) * cap >> 32;
}

static size_t next_slot(size_t at, size_t cap)
{
	return at + 1 < cap ? at + 1 : 0;
}

static void put(const struct index *t, struct index_slot item)
{
	size_t at = home(item.hash, t->cap);

	while (t->slots[at].id)
		at = next_slot(at, t->cap);
	t->slots[at] = item;
}

/* Move all items to the end, in their order, and clear the slots before them.  Returns the slot of
 * the first item. */
static size_t move_to_end(const struct index *t, size_t old_cap)
{
	size_t first = t->cap;

	for (size_t i = old_cap; i-- > 0;)
		if (t->slots[i].id)
			t->slots[--first] = t->slots[i];
	memset(t->slots, 0, first * sizeof(*t->slots));
	return first;
}

/* Put an item in its place if that is before slot `end`, where the items that are not placed yet
 * begin. */
static bool place_before(const struct index *t, struct index_slot item, size_t end)
{
	size_t at = home(item.hash, t->cap);

	while (at < end && t->slots[at].id)
		at++;
	if (at >= end)
		return false;
	t->slots[at] = item;
	return true;
}

/* Grow by half, in place: a second, larger copy of a large index would need twice the memory. An
 * item whose new slot is still occupied by an item that was not moved yet is put in at the end. */
static void grow(struct index *t)
{
	VEC(struct index_slot) waiting = { 0 };
	size_t old_cap = t->cap;
	const struct index_slot *item;

	t->cap = old_cap ? old_cap + old_cap / 2 : 64;
	t->slots = mem_realloc(t->slots, t->cap, sizeof(*t->slots));
	for (size_t i = move_to_end(t, old_cap); i < t->cap; i++) {
		struct index_slot moved = t->slots[i];

		t->slots[i] = (struct index_slot){ 0 };
		if (!place_before(t, moved, i + 1))
			vec_push(&waiting, moved);
	}
	vec_for_each(item, &waiting)
		put(t, *item);
	vec_release(&waiting);
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
	put(t, (struct index_slot){ .hash = (u32)hash, .id = id + 1 });
	t->n++;
}

void index_release(struct index *t)
{
	free(t->slots);
	*t = (struct index){ 0 };
}
