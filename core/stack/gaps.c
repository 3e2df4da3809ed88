// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stack/gaps.h"

#include <string.h>

#include "base/hash.h"

void gaps_release(struct gaps *g)
{
	vec_release(&g->paths);
	index_release(&g->by_key);
}

struct gaps_key gaps_key(const struct landmarks *landmarks, const u64 *frames, u32 n)
{
	struct gaps_key key = { { 0, 1 } };

	for (u32 i = 0; i < n; i++) {
		if (landmarks && landmarks_is_gap(landmarks, frames[i]))
			continue;
		key.hash[0] = hash_mix(key.hash[0], frames[i]);
		key.hash[1] = hash_mix(key.hash[1], frames[i]);
	}
	return key;
}

static const struct gaps_path *next(const struct gaps *g, const struct gaps_key *key, size_t *at)
{
	u32 i;

	while (index_next(&g->by_key, key->hash[0], at, &i))
		if (g->paths.items[i].key.hash[1] == key->hash[1] &&
		    g->paths.items[i].key.hash[0] == key->hash[0])
			return &g->paths.items[i];
	return NULL;
}

void gaps_learn(struct gaps *g, const struct gaps_key *key, u32 node)
{
	const struct gaps_path *path;
	size_t at = 0;

	while ((path = next(g, key, &at)))
		if (path->node == node)
			return;
	index_add(&g->by_key, key->hash[0], (u32)g->paths.n);
	vec_push(&g->paths, (struct gaps_path){ *key, node });
}

static bool is_same_name(const struct frame *a, const struct frame *b)
{
	return a == b || (a->name && b->name && !strcmp(a->name, b->name));
}

/* A function may make the call from several of its addresses, so names are compared. */
static bool is_same_path(const struct report *r, u32 a, u32 b)
{
	for (; a && b && a != b; a = r->nodes[a].parent, b = r->nodes[b].parent)
		if (!is_same_name(&r->frames[r->nodes[a].frame], &r->frames[r->nodes[b].frame]))
			return false;
	return a == b;
}

u32 gaps_fill(const struct gaps *g, const struct gaps_key *key, const struct report *r)
{
	size_t at = 0;
	const struct gaps_path *first = next(g, key, &at), *other;

	if (!first)
		return 0;
	while ((other = next(g, key, &at)))
		if (!is_same_path(r, first->node, other->node))
			return 0;
	return first->node;
}
