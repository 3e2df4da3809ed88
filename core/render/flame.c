// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Stacks that share frames are adjacent after sorting by path, so one pass with a list of open
 * boxes is enough, without a tree.
 */
#include "render/flame.h"

#include <stdlib.h>

struct layout {
	struct flame *flame;
	const struct report *report;
	const u32 *looks;
	bool delimited;
	u64 min_value;
	u64 at;			    /* left edge of the next stack */
	u64 other_at;		    /* the same on the side that is not drawn */
	VEC(struct flame_box) open; /* from the root box to the leaf; values are not known yet */
	struct steps path;	    /* path of the current stack */
};

static int path_cmp(const void *a, const void *b, void *merged)
{
	return merged_path_cmp(merged, a, b);
}

static void open_box(struct layout *l, const struct step *step)
{
	const struct flame_box box = {
		.step = *step,
		.depth = (u32)l->open.n,
		.left = l->at,
		.other = l->other_at, /* its left edge, until the box is closed */
	};

	vec_push(&l->open, box);
}

static void close_down_to(struct layout *l, size_t depth)
{
	while (l->open.n > depth) {
		struct flame_box box = l->open.items[--l->open.n];

		box.value = l->at - box.left;
		box.other = l->other_at - box.other;
		if (l->open.n)
			ratio_add(&l->open.items[l->open.n - 1].ratio, &box.ratio);
		if (!box.value) {
			l->flame->n_other++;
			continue;
		}
		if (box.value < l->min_value) {
			l->flame->n_dropped++;
			continue;
		}
		if (box.depth >= l->flame->n_levels)
			l->flame->n_levels = box.depth + 1;
		vec_push(&l->flame->boxes, box);
	}
}

static u64 other_of(const struct report *r, const struct stack_row *row)
{
	if (r->run->colors_off_cpu)
		return report_is_on_cpu(r, row) ? 0 : row->value;
	return report_other(r, row);
}

/* The root box is the parent of every path, but not part of it. */
static void add_row(struct layout *l, const struct merged *m, const struct stack_row *row)
{
	const struct step *path;
	size_t shared = 0, n;

	steps_make(&l->path, l->report, row, l->delimited);
	path = l->path.list.items;
	n = l->path.list.n;
	if (!l->open.n)
		open_box(l, &(struct step){ .what = STEP_ALL, .text = "all" });
	while (shared + 1 < l->open.n && shared < n &&
	       step_is_same(&l->open.items[shared + 1].step, &path[shared], l->looks))
		shared++;
	close_down_to(l, shared + 1);
	for (size_t i = shared; i < n; i++)
		open_box(l, &path[i]);
	l->at += row->value;
	l->other_at += other_of(l->report, row);
	if (m->ratios)
		ratio_add(&l->open.items[l->open.n - 1].ratio, merged_ratio(m, row));
}

static int box_cmp(const void *a, const void *b)
{
	const struct flame_box *x = a, *y = b;

	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return (x->left > y->left) - (x->left < y->left);
}

static void add_timeline(const struct report *r, const struct merged *m, struct flame *out)
{
	const struct stack_row *row;

	if (!r->samples.n)
		return;
	vec_for_each(row, &m->rows)
		vec_push(&out->values, row->value);
	timeline_make(r, m, &out->timeline);
}

void flame_layout(const struct report *r, bool delimited, u64 min_value, struct flame *out)
{
	struct merged m;
	struct layout l = { out, r, .delimited = delimited, .min_value = min_value };

	*out = (struct flame){ 0 };
	report_merge(r, BY_LABEL, &m);
	l.looks = m.looks;
	if (m.rows.n)
		qsort_r(m.rows.items, m.rows.n, sizeof(*m.rows.items), path_cmp, &m);
	for (size_t i = 0; i < m.rows.n; i++)
		if (m.rows.items[i].value || m.ratios || report_other(r, &m.rows.items[i]))
			add_row(&l, &m, &m.rows.items[i]);
	close_down_to(&l, 0);
	if (out->boxes.n)
		qsort(out->boxes.items, out->boxes.n, sizeof(*out->boxes.items), box_cmp);
	out->total = l.at;
	out->n_stacks = m.rows.n;
	add_timeline(r, &m, out);
	vec_release(&l.open);
	steps_release(&l.path);
	merged_release(&m);
}

void flame_release(struct flame *f)
{
	vec_release(&f->boxes);
	vec_release(&f->values);
	timeline_release(&f->timeline);
}
