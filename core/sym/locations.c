// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/locations.h"

#include <stdlib.h>

#include "base/hash.h"

static u64 loc_hash(const struct loc *l)
{
	u64 h = hash_mix(l->at, (u64)l->owner << 8 | (u64)l->space << 1 | l->is_return);

	return hash_mix(h, l->addr);
}

static bool is_same(const struct loc *a, const struct loc *b)
{
	return a->at == b->at && a->owner == b->owner && a->space == b->space &&
	       a->is_return == b->is_return && a->addr == b->addr;
}

u32 locs_get(struct locs *l, const struct loc *key, bool *is_new)
{
	u64 hash = loc_hash(key);
	size_t at = 0;
	u32 id;

	*is_new = false;
	while (index_next(&l->index, hash, &at, &id))
		if (is_same(&l->list.items[id], key))
			return id;
	*is_new = true;
	id = (u32)l->list.n;
	vec_push(&l->list, *key);
	vec_push(&l->frames, (struct frame){ 0 });
	if (key->is_pending)
		vec_push(&l->pending, id);
	index_add(&l->index, hash, id);
	return id;
}

void locs_reindex(struct locs *l)
{
	index_release(&l->index);
	for (u32 i = 0; i < l->list.n; i++)
		index_add(&l->index, loc_hash(&l->list.items[i]), i);
	vec_fit(&l->list);
	vec_fit(&l->frames);
}

void locs_release(struct locs *l)
{
	vec_release(&l->list);
	vec_release(&l->frames);
	vec_release(&l->pending);
	index_release(&l->index);
}
