// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Stacks sorted by their path lie beside each other where they share frames: one pass with the
 * list of open boxes is enough, and needs no tree.
 */
#include "out/flame.h"

#include <stdlib.h>
#include <string.h>

struct layout {
	struct flame *flame;
	const struct report *report;
	const u32 *looks;
	bool delimited;
	u64 min_value;
	u64 at;			    /* left edge of the stack that comes next */
	VEC(struct flame_box) open; /* from the box of all outwards; value not known yet */
	VEC(struct flame_box) path; /* of this stack */
};

static int path_cmp(const void *a, const void *b, void *merged)
{
	return merged_path_cmp(merged, a, b);
}

static void add_step(struct layout *l, enum flame_what what, const struct frame *frame,
		     const char *root)
{
	struct flame_box box = {
		.what = what,
		.depth = (u32)l->path.n,
		.frame = frame,
		.root = root,
		.left = l->at,
	};

	vec_push(&l->path, box);
}

static void make_path(struct layout *l, const struct stack_row *row)
{
	const struct frame *frames = l->report->frames;
	const char *root = report_task(l->report, row)->root;
	struct stack_frames f;

	report_frames(l->report, row, &f);
	l->path.n = 0;
	add_step(l, FLAME_ALL, NULL, NULL);
	if (root)
		add_step(l, FLAME_ROOT, NULL, root);
	for (u32 i = f.n_user; i-- > 0;)
		add_step(l, FLAME_FRAME, &frames[f.user[i]], NULL);
	if (l->delimited && f.n_user && f.n_kernel)
		add_step(l, FLAME_DELIMITER, NULL, NULL);
	for (u32 i = f.n_kernel; i-- > 0;)
		add_step(l, FLAME_FRAME, &frames[f.kernel[i]], NULL);
}

static bool is_same(const struct layout *l, const struct flame_box *a, const struct flame_box *b)
{
	if (a->what != b->what)
		return false;
	if (a->what == FLAME_ROOT)
		return !strcmp(a->root, b->root);
	if (a->what != FLAME_FRAME)
		return true;
	return l->looks[a->frame - l->report->frames] == l->looks[b->frame - l->report->frames];
}

static void close_down_to(struct layout *l, size_t depth)
{
	while (l->open.n > depth) {
		struct flame_box box = l->open.items[--l->open.n];

		box.value = l->at - box.left;
		if (box.value < l->min_value) {
			l->flame->n_dropped++;
			continue;
		}
		if (box.depth >= l->flame->n_levels)
			l->flame->n_levels = box.depth + 1;
		vec_push(&l->flame->boxes, box);
	}
}

static void add_row(struct layout *l, const struct stack_row *row)
{
	size_t shared = 0;

	make_path(l, row);
	while (shared < l->open.n && shared < l->path.n &&
	       is_same(l, &l->open.items[shared], &l->path.items[shared]))
		shared++;
	close_down_to(l, shared);
	for (size_t i = shared; i < l->path.n; i++)
		vec_push(&l->open, l->path.items[i]);
	l->at += row->value;
}

static int box_cmp(const void *a, const void *b)
{
	const struct flame_box *x = a, *y = b;

	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return (x->left > y->left) - (x->left < y->left);
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
		if (m.rows.items[i].value)
			add_row(&l, &m.rows.items[i]);
	close_down_to(&l, 0);
	if (out->boxes.n)
		qsort(out->boxes.items, out->boxes.n, sizeof(*out->boxes.items), box_cmp);
	out->total = l.at;
	out->n_stacks = m.rows.n;
	vec_release(&l.open);
	vec_release(&l.path);
	merged_release(&m);
}

void flame_release(struct flame *f)
{
	vec_release(&f->boxes);
}
