// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Rank chains of wakers by their appearance.
 *
 * Links are ranked first, so that a chain becomes a sequence of numbers: many chains share links,
 * and the stacks of each link are compared once.  Links sort in the order in which the shape draws
 * them, because chains that look alike up to some point must be adjacent.  SHAPE_CHAIN draws a
 * waker upside down: from the leaf of its kernel part to the root of its user part, then the
 * waker's name.  SHAPE_WAKEUP draws the waker's name, then its stack from the root on.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "model/order.h"
#include "model/report.h"

static const struct waker_chain no_chain = { .end = CHAIN_END_UNKNOWN };

const struct waker_chain *report_chain(const struct report *r, u32 chain)
{
	return chain ? &r->chains[chain] : &no_chain;
}

struct ranking {
	const struct report *report;
	const struct merged *m;
	u32 *links; /* rank of each link; NULL until links are ranked */
};

/* The objects to rank, identified by their index in the report. */
struct subject {
	size_t n;
	u64 (*hash)(const struct ranking *k, u32 i);
	int (*cmp)(const struct ranking *k, u32 a, u32 b);
};

/* ---- links ---- */

static int who_cmp(const struct ranking *k, const struct waker_link *a, const struct waker_link *b)
{
	int c = num_cmp(a->kind, b->kind);

	if (c || a->kind != WAKER_THREAD)
		return c ? c : text_cmp(a->name, b->name);
	return num_cmp(k->m->tasks[a->task], k->m->tasks[b->task]);
}

static int path_cmp(const struct ranking *k, u32 a, u32 b)
{
	return num_cmp(k->m->paths[a], k->m->paths[b]);
}

/* Compare leaf first.  Nodes of equal path ranks have equal frames from there to the root. */
static int upside_down_cmp(const struct ranking *k, u32 a, u32 b)
{
	const struct stack_node *nodes = k->report->nodes;
	const u32 *looks = k->m->looks;

	for (; path_cmp(k, a, b); a = nodes[a].parent, b = nodes[b].parent) {
		int c = a && b ? num_cmp(looks[nodes[a].frame], looks[nodes[b].frame])
			       : num_cmp(a > 0, b > 0);

		if (c)
			return c;
	}
	return 0;
}

static int link_cmp(const struct ranking *k, u32 x, u32 y)
{
	const struct waker_link *a = &k->report->links[x], *b = &k->report->links[y];
	int c;

	if (k->m->shape == SHAPE_WAKEUP) {
		c = who_cmp(k, a, b);
		c = c ? c : path_cmp(k, a->user, b->user);
		return c ? c : path_cmp(k, a->kernel, b->kernel);
	}
	c = upside_down_cmp(k, a->kernel, b->kernel);
	c = c ? c : upside_down_cmp(k, a->user, b->user);
	return c ? c : who_cmp(k, a, b);
}

static u64 link_hash(const struct ranking *k, u32 i)
{
	const struct waker_link *l = &k->report->links[i];
	u64 h = hash_mix(k->m->paths[l->kernel], k->m->paths[l->user]);

	if (l->kind == WAKER_THREAD)
		return hash_mix(h, k->m->tasks[l->task]);
	h = hash_mix(h, l->kind);
	return l->name ? hash_mix(h, hash_bytes(l->name, strlen(l->name))) : h;
}

/* ---- chains ---- */

/* A chain that is a prefix of another sorts first.  Chains with equal links sort by their end,
 * which is drawn as a box; CHAIN_END_NONE, for which no box is drawn, comes first. */
static int chain_cmp(const struct ranking *k, u32 x, u32 y)
{
	const struct waker_chain *a = report_chain(k->report, x);
	const struct waker_chain *b = report_chain(k->report, y);
	int c;

	for (u32 i = 0; i < a->n && i < b->n; i++) {
		c = num_cmp(k->links[a->first + i], k->links[b->first + i]);
		if (c)
			return c;
	}
	c = num_cmp(a->n, b->n);
	return c ? c : num_cmp(a->end, b->end);
}

static u64 chain_hash(const struct ranking *k, u32 i)
{
	const struct waker_chain *chain = report_chain(k->report, i);
	u64 h = chain->end;

	for (u32 l = 0; l < chain->n; l++)
		h = hash_mix(h, k->links[chain->first + l]);
	return h;
}

/* ---- links and chains ---- */

/* The index of the first equal object, or `i` if there is none before it. */
static u32 find_first(struct index *t, const struct ranking *k, const struct subject *s, u32 i)
{
	u64 hash = s->hash(k, i);
	size_t at = 0;
	u32 id;

	while (index_next(t, hash, &at, &id))
		if (!s->cmp(k, id, i))
			return id;
	index_add(t, hash, i);
	return i;
}

struct ordering {
	const struct ranking *ranking;
	const struct subject *subject;
};

static int order_cmp(const void *a, const void *b, void *ctx)
{
	const struct ordering *o = ctx;

	return o->subject->cmp(o->ranking, *(const u32 *)a, *(const u32 *)b);
}

static u32 *rank(const struct ranking *k, const struct subject *s)
{
	struct ordering o = { k, s };
	u32 *first = mem_alloc(s->n + 1, sizeof(*first));
	u32 *order = mem_alloc(s->n + 1, sizeof(*order));
	u32 *ranks = mem_alloc(s->n + 1, sizeof(*ranks));
	struct index t = { 0 };
	u32 n = 0;

	for (u32 i = 0; i < s->n; i++) {
		first[i] = find_first(&t, k, s, i);
		if (first[i] == i)
			order[n++] = i;
	}
	index_release(&t);
	qsort_r(order, n, sizeof(*order), order_cmp, &o);
	for (u32 i = 0; i < n; i++)
		ranks[order[i]] = i;
	for (u32 i = 0; i < s->n; i++)
		first[i] = ranks[first[i]];
	free(order);
	free(ranks);
	return first;
}

u32 *report_chains(const struct report *r, const struct merged *m)
{
	const struct subject links = { r->n_links, link_hash, link_cmp };
	const struct subject chains = { r->n_chains ? r->n_chains : 1, chain_hash, chain_cmp };
	struct ranking k = { r, m, NULL };
	u32 *ranks;

	k.links = rank(&k, &links);
	ranks = rank(&k, &chains);
	free(k.links);
	return ranks;
}
