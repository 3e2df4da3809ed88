// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which programs are worth to be made sleepable: those that read user memory that may not be there.
 */
#include "cmd/probe.h"

struct needs {
	bool user_memory, stack;
};

static void look(const struct tree *t, struct needs *n)
{
	if (!t)
		return;
	n->stack |= t->type && t->type->kind == TYPE_STACK;
	n->user_memory |=
		(t->kind == TREE_LOAD || t->kind == TREE_STRING || t->kind == TREE_BYTES) &&
		t->space == SPACE_USER;
	look(t->a, n);
	look(t->b, n);
	look(t->c, n);
	look(t->length, n);
}

static void look_all(const struct gen_plan *plan, struct needs *n)
{
	look(plan->predicate, n);
	look(plan->when, n);
	for (u32 i = 0; i < plan->n_span_key; i++)
		look(plan->span_key[i], n);
	for (u32 i = 0; i < plan->n_values; i++)
		look(plan->values[i], n);
	for (u32 i = 0; i < plan->n_key; i++)
		look(plan->key[i], n);
	look(plan->value, n);
	n->stack |= plan->want_kstack || plan->want_ustack;
}

bool probes_may_sleep(const struct probe_group *g)
{
	const struct site *site = group_site(g, 0);
	struct needs n = { 0 };

	if (site->kind != SITE_UFUNC && site->kind != SITE_UFUNC_RET && site->kind != SITE_USDT)
		return false;
	look_all(&g->gen, &n);
	if (g->has_entry)
		look_all(&g->entry, &n);
	return n.user_memory && !n.stack;
}
