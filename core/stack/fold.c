// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Stacks that arrive when memory is full: they are counted below [other stacks]. */
#include "stack/store_int.h"

/* id[1] of the entries for [other stacks]; a hash is never as small. */
#define STORE_ID_OTHER 9

/* The owner that stands for processes that are not known. */
u32 store_owner_other(struct store *s)
{
	return store_add_owner(s, &(struct store_owner){ .comm = intern(&s->strings, "[other]") });
}

static struct store_entry *other_of(struct store *s, u32 owner)
{
	struct store_entry *e, other = { .owner = owner, .is_folded = true };
	struct store_owner *o = &s->owners.items[owner];

	if (o->other)
		return &s->entries.items[o->other - 1];
	other.id[0] = ++s->n_others;
	other.id[1] = STORE_ID_OTHER;
	other.user = store_child_of(s, 0, s->loc_other);
	e = store_push_entry(s, &other);
	o->other = (u32)s->entries.n;
	return e;
}

/* Memory is full.  The id is still kept, because the kernel's counters arrive under it; but no more
 * ids than the kernel's tables have room for. */
struct store_entry *store_fold(struct store *s, const struct raw_stack *raw, u32 owner)
{
	const struct store_entry e = {
		.id = { raw->id[0], raw->id[1] },
		.owner = owner,
		.user = store_child_of(s, 0, s->loc_other),
		.generation = raw->generation,
		.is_folded = true,
	};

	if (s->max_ids && s->n_ids >= s->max_ids) {
		s->has_left_ids = true;
		return other_of(s, owner);
	}
	s->n_ids++;
	return store_push_entry(s, &e);
}

/* ---- entries of [other stacks] for the callers ---- */

u32 store_other(struct store *s, u32 entry)
{
	struct store_entry *e;

	store_need_indices(s);
	e = other_of(s, s->entries.items[entry].owner);
	e->idle = 0;
	return (u32)(e - s->entries.items);
}

bool store_adopt(struct store *s, const u64 id[2])
{
	struct store_entry e = { .id = { id[0], id[1] }, .is_folded = true };

	store_need_indices(s);
	if (!s->has_left_ids)
		return false;
	e.owner = store_owner_other(s);
	e.user = store_child_of(s, 0, s->loc_other);
	s->n_ids++;
	store_push_entry(s, &e);
	return true;
}

u32 store_nobody(struct store *s)
{
	struct store_entry *e;

	store_need_indices(s);
	e = other_of(s, store_owner_other(s));
	e->idle = 0;
	return (u32)(e - s->entries.items);
}
