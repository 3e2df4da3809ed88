// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Rank the nodes of the tree of frames by their path from the root.
 *
 * The tree is walked from the root, children in the order of their looks.  Children that look the
 * same are joined first: their own children become those of one of them.  The order of the visits
 * is then the order of the paths.  This needs only three numbers per node, because there may be
 * millions of nodes.
 */
#include <stdlib.h>

#include "model/report.h"

struct paths {
	const struct stack_node *nodes;
	const u32 *looks;
	u32 *child;	 /* first child of each node; 0: none */
	u32 *next;	 /* next sibling; 0: none */
	u32 *joined;	 /* the node that represents this one; itself if not joined */
	VEC(u32) family; /* the children of the current node */
};

static u32 look_of(const struct paths *p, u32 node)
{
	return p->looks[p->nodes[node].frame];
}

/* Add every node to the list of its parent, in the order of their numbers. */
static void list_children(struct paths *p, size_t n)
{
	for (u32 i = (u32)n; i-- > 1;) {
		u32 parent = p->nodes[i].parent;

		p->next[i] = p->child[parent];
		p->child[parent] = i;
		p->joined[i] = i;
	}
}

static int sibling_cmp(const void *a, const void *b, void *ctx)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;
	u32 look_x = look_of(ctx, x), look_y = look_of(ctx, y);

	if (look_x != look_y)
		return look_x < look_y ? -1 : 1;
	return (x > y) - (x < y);
}

/* Represent `twin`, which looks like `node`, by `node`: prepend its children to node's. */
static void join(struct paths *p, u32 node, u32 twin)
{
	u32 last = p->child[twin];

	p->joined[twin] = node;
	if (!last)
		return;
	while (p->next[last])
		last = p->next[last];
	p->next[last] = p->child[node];
	p->child[node] = p->child[twin];
}

/* Sort the children of a node by their looks and join those that look the same. */
static void order_children(struct paths *p, u32 node)
{
	u32 *family, *link = &p->child[node], last = 0;

	if (!*link || !p->next[*link])
		return;
	p->family.n = 0;
	for (u32 i = *link; i; i = p->next[i])
		vec_push(&p->family, i);
	family = p->family.items;
	if (p->family.n > 1)
		qsort_r(family, p->family.n, sizeof(*family), sibling_cmp, p);
	for (size_t i = 0; i < p->family.n; i++) {
		if (last && look_of(p, last) == look_of(p, family[i])) {
			join(p, last, family[i]);
			continue;
		}
		last = *link = family[i];
		link = &p->next[last];
	}
	*link = 0;
}

/* The next node in the order of paths.  A node's `child` is no longer needed once the node was
 * visited, so it is reused for the ranks. */
static u32 step(const struct paths *p, u32 node, u32 first_child)
{
	if (first_child)
		return first_child;
	while (node && !p->next[node])
		node = p->joined[p->nodes[node].parent];
	return node ? p->next[node] : 0;
}

static void rank(struct paths *p)
{
	u32 node = 0, n = 0;

	do {
		u32 first_child;

		order_children(p, node);
		first_child = p->child[node];
		p->child[node] = n++;
		node = step(p, node, first_child);
	} while (node);
}

/* A joined node has the rank of its representative, which is never joined itself. */
static void rank_twins(struct paths *p, size_t n)
{
	for (size_t i = 1; i < n; i++)
		p->child[i] = p->child[p->joined[i]];
}

u32 *report_paths(const struct report *r, const u32 *looks)
{
	size_t n = r->n_nodes ? r->n_nodes : 1;
	struct paths p = {
		.nodes = r->nodes,
		.looks = looks,
		.child = mem_alloc(n, sizeof(u32)),
		.next = mem_alloc(n, sizeof(u32)),
		.joined = mem_alloc(n, sizeof(u32)),
	};

	list_children(&p, n);
	rank(&p);
	rank_twins(&p, n);
	free(p.next);
	free(p.joined);
	vec_release(&p.family);
	return p.child;
}
