// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Sites with different scopes are in different groups, because expressions may use their names.  If
 * it turns out that the programs are the same except for their site, the groups are merged: a
 * program takes a millisecond to load, and at a tracepoint shared by all system calls each call
 * runs all programs.
 *
 * The columns of a table's row, number, sum and maximum of a span's length, for example, are probes
 * of their own at the same sites.  One program fills all that differ only in the value.
 */
#include "probe/probes_int.h"

#include <string.h>

#include "type/build.h"

static bool same_or_none(const struct tree *a, const struct tree *b)
{
	return a && b ? tree_same(a, b) : a == b;
}

/* Are the values equal, including their types and the names of their numbers? */
static bool same_values(const struct tree *const *a, u32 n_a, const struct tree *const *b, u32 n_b)
{
	if (n_a != n_b)
		return false;
	for (u32 i = 0; i < n_a; i++)
		if (!tree_same(a[i], b[i]) || a[i]->type->names != b[i]->type->names)
			return false;
	return true;
}

/* Do the calls save the same values, and find the entry in the same way? */
static bool same_call(const struct gen_call *a, const struct gen_call *b)
{
	return a->index == b->index && same_or_none(a->stack_pointer, b->stack_pointer) &&
	       same_values(a->kept.values, a->kept.n, b->kept.values, b->kept.n);
}

static bool same_cells(const struct gen_plan *a, const struct gen_plan *b)
{
	return a->maps.counts == b->maps.counts && a->work.index == b->work.index &&
	       a->work.cell == b->work.cell && a->work.cell_bytes == b->work.cell_bytes &&
	       !memcmp(a->maps.cells, b->maps.cells, sizeof(a->maps.cells)) &&
	       !memcmp(a->maps.other, b->maps.other, sizeof(a->maps.other));
}

/* Compares plans without guards and without members that are the same for all groups of a probe. */
static bool same_plan(const struct gen_plan *a, const struct gen_plan *b)
{
	return a->work.action == b->work.action && same_cells(a, b) &&
	       same_call(&a->call, &b->call) && same_or_none(a->predicate, b->predicate) &&
	       same_or_none(a->hook.caller, b->hook.caller) &&
	       same_or_none(a->work.value, b->work.value) &&
	       same_values(a->work.key, a->work.n_key, b->work.key, b->work.n_key) &&
	       same_values(a->work.values, a->work.n_values, b->work.values, b->work.n_values);
}

/* The guard, unless it only checks the call's number, which is looked up in the table of sites
 * anyway. */
static const struct tree *guard_of(const struct scope *scope)
{
	return scope->ctx == SCOPE_SYSCALL ? scope->any_guard : scope->guard;
}

static bool same_scope(const struct scope *a, const struct scope *b)
{
	return a->ctx == b->ctx && a->side == b->side && !a->entry == !b->entry &&
	       same_or_none(guard_of(a), guard_of(b)) && same_or_none(a->number, b->number);
}

static bool is_same(const struct probe_group *a, const struct probe_group *b)
{
	if (a->part != b->part || a->has_entry != b->has_entry || !same_scope(a->scope, b->scope) ||
	    !same_plan(&a->gen, &b->gen))
		return false;
	return !a->has_entry ||
	       (same_scope(a->scope->entry, b->scope->entry) && same_plan(&a->entry, &b->entry));
}

/* Values of events are decoded by the names and formats of their own group. */
static bool may_share(const struct probe_group *g)
{
	return g->part->can_share &&
	       (g->gen.work.action == GEN_COUNT || g->gen.work.action == GEN_KEYED);
}

static struct probe_group *find_same(const struct probe *probe, size_t n,
				     const struct probe_group *g)
{
	for (size_t i = 0; i < n && may_share(g); i++)
		if (is_same(probe->groups.items[i], g))
			return probe->groups.items[i];
	return NULL;
}

/* The guard then accepts all sites, and the program looks up which one was hit. */
static void take_sites(struct probe_group *to, struct probe_group *from)
{
	const u32 *site;

	vec_for_each(site, &from->sites)
		vec_push(&to->sites, *site);
	vec_release(&from->sites);
	to->gen.hook.guard = guard_of(to->scope);
	if (to->has_entry)
		to->entry.hook.guard = guard_of(to->scope->entry);
	probes_release_scope(from->scope);
}

void probes_share_programs(struct probe *probe)
{
	size_t n = 0;

	for (size_t i = 0; i < probe->groups.n; i++) {
		struct probe_group *g = probe->groups.items[i], *same = find_same(probe, n, g);

		if (same)
			take_sites(same, g);
		else
			probe->groups.items[n++] = g;
	}
	probe->groups.n = n;
}

/* ---- columns ------------------------------------------------------------------------------- */

/* Names of numbers may differ: a row is shown with those of its first column. */
static bool same_trees(const struct tree *const *a, u32 n_a, const struct tree *const *b, u32 n_b)
{
	bool is_same = n_a == n_b;

	for (u32 i = 0; i < n_a && is_same; i++)
		is_same = tree_same(a[i], b[i]);
	return is_same;
}

static bool same_span(const struct gen_spans *a, const struct gen_spans *b)
{
	return a->by == b->by && a->is_update == b->is_update && same_or_none(a->when, b->when) &&
	       same_trees(a->key, a->n_key, b->key, b->n_key) &&
	       same_trees(a->kept.values, a->kept.n, b->kept.values, b->kept.n);
}

static bool is_column(const struct gen_plan *g)
{
	return g->work.action == GEN_KEYED &&
	       (g->work.cell == CELL_SUM || g->work.cell == CELL_MIN || g->work.cell == CELL_MAX);
}

/* An event whose value is absent must be in the columns of other values. */
static bool may_share_column(const struct gen_plan *a, const struct gen_plan *b)
{
	return is_column(a) && is_column(b) && a->work.n_more < GEN_MAX_COLUMNS &&
	       (tree_same(a->work.value, b->work.value) ||
		(gen_may_be_column(a->work.value) && gen_may_be_column(b->work.value)));
}

/* Do the programs differ only in the column that they fill? */
static bool is_same_but_column(const struct probe_group *a, const struct probe_group *b,
			       bool is_start)
{
	const struct gen_plan *x = &a->gen, *y = &b->gen;

	if (a->has_entry || b->has_entry || a->sites.n != b->sites.n ||
	    memcmp(a->sites.items, b->sites.items, a->sites.n * sizeof(*a->sites.items)) != 0 ||
	    !same_scope(a->scope, b->scope) || !same_or_none(x->predicate, y->predicate) ||
	    !same_span(&x->spans, &y->spans) ||
	    !same_trees(x->work.key, x->work.n_key, y->work.key, y->work.n_key) ||
	    !same_trees(x->work.values, x->work.n_values, y->work.values, y->work.n_values))
		return false;
	return is_start || (may_share_column(x, y) && x->work.cell_bytes == y->work.cell_bytes &&
			    !memcmp(x->maps.cells, y->maps.cells, sizeof(x->maps.cells)));
}

static bool is_same_row(const struct probe *first, const struct probe *column)
{
	bool is_same = first->groups.n == column->groups.n &&
		       first->start_groups.n == column->start_groups.n;

	for (size_t i = 0; i < first->start_groups.n && is_same; i++)
		is_same = is_same_but_column(first->start_groups.items[i],
					     column->start_groups.items[i], true);
	for (size_t i = 0; i < first->groups.n && is_same; i++)
		is_same =
			is_same_but_column(first->groups.items[i], column->groups.items[i], false);
	return is_same;
}

/* Each column's value takes a part of the program's stack, which may be too small for all. */
static bool compiles(const struct probe *probe)
{
	bool is_good = true;

	for (size_t i = 0; i < probe->groups.n && is_good; i++) {
		struct err ignored = { 0 };
		struct insns code;

		insns_init(&code);
		is_good = !gen_program(&probe->groups.items[i]->gen, &probe->spec.text, &code,
				       &ignored);
		insns_release(&code);
	}
	return is_good;
}

/* The probe's program has the work of the column, too, which has none of its own any more. */
bool probes_share_row(struct probe *first, struct probe *column)
{
	if (!is_same_row(first, column))
		return false;
	for (size_t i = 0; i < first->groups.n; i++) {
		const struct gen_work *from = &column->groups.items[i]->gen.work;
		struct gen_work *to = &first->groups.items[i]->gen.work;

		to->more[to->n_more++] =
			(struct gen_column){ from->index, from->cell, from->value };
	}
	if (compiles(first)) {
		probe_release_work(column);
		return true;
	}
	for (size_t i = 0; i < first->groups.n; i++)
		first->groups.items[i]->gen.work.n_more--;
	return false;
}
