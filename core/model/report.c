// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/view.h"

void report_release(struct report *r)
{
	vec_release(&r->stacks);
	vec_release(&r->funcs);
}

/* ---- functions ---- */

/* Self and total of each look, and the row that added to it last: recursion counts once. */
struct tally {
	u64 self, total;
	u32 frame; /* + 1: the first with this look; 0: none yet */
	u32 row;   /* + 1 */
};

static void tally_frame(struct tally *t, u32 frame, u32 row, u64 value)
{
	if (!t->frame)
		t->frame = frame + 1;
	if (t->row == row + 1)
		return;
	t->row = row + 1;
	t->total += value;
}

static void tally_row(struct tally *tallies, const u32 *looks, const struct stack_row *s, u32 row)
{
	for (u32 i = 0; i < s->n_kernel; i++)
		tally_frame(&tallies[looks[s->kernel[i]]], s->kernel[i], row, s->value);
	for (u32 i = 0; i < s->n_user; i++)
		tally_frame(&tallies[looks[s->user[i]]], s->user[i], row, s->value);
	if (s->n_kernel)
		tallies[looks[s->kernel[0]]].self += s->value;
	else if (s->n_user)
		tallies[looks[s->user[0]]].self += s->value;
}

static int func_cmp(const void *a, const void *b, void *looks)
{
	const struct func_row *x = a, *y = b;
	const u32 *look = looks;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return (look[x->frame] > look[y->frame]) - (look[x->frame] < look[y->frame]);
}

void report_functions(struct report *r)
{
	u32 *looks = report_looks(r, BY_LABEL);
	struct tally *tallies = mem_alloc(r->n_frames + 1, sizeof(*tallies));

	for (u32 i = 0; i < r->stacks.n; i++)
		tally_row(tallies, looks, &r->stacks.items[i], i);
	for (size_t i = 0; i < r->n_frames; i++)
		if (tallies[i].frame)
			vec_push(&r->funcs, (struct func_row){ .frame = tallies[i].frame - 1,
							       .self = tallies[i].self,
							       .total = tallies[i].total });
	if (r->funcs.n)
		qsort_r(r->funcs.items, r->funcs.n, sizeof(*r->funcs.items), func_cmp, looks);
	r->kind = REPORT_FUNCS;
	free(tallies);
	free(looks);
}

/* ---- callers ---- */

static bool is_called(const struct frame *f, struct view name)
{
	if (f->linkage && view_eq(name, f->linkage))
		return true;
	if (!f->name || strncmp(f->name, name.p, name.n) != 0)
		return false;
	return !f->name[name.n] || f->name[name.n] == '(';
}

/* Index of the outermost frame that matches, n when none does. */
static u32 find_outermost(const bool *matches, const u32 *frames, u32 n)
{
	for (u32 i = n; i; i--)
		if (matches[frames[i - 1]])
			return i - 1;
	return n;
}

/* Cut the row at the function; false when it isn't there. */
static bool cut_at(struct stack_row *row, const bool *matches)
{
	u32 i = find_outermost(matches, row->user, row->n_user);

	if (i < row->n_user) {
		row->user += i;
		row->n_user -= i;
		row->kernel = NULL;
		row->n_kernel = 0;
		return true;
	}
	i = find_outermost(matches, row->kernel, row->n_kernel);
	if (i == row->n_kernel)
		return false;
	row->kernel += i;
	row->n_kernel -= i;
	return true;
}

size_t report_callers(struct report *r, const char *name)
{
	bool *matches = mem_alloc(r->n_frames + 1, sizeof(*matches));
	size_t n = 0;

	for (size_t i = 0; i < r->n_frames; i++)
		matches[i] = is_called(&r->frames[i], view_of(name));
	r->total = 0;
	for (size_t i = 0; i < r->stacks.n; i++) {
		struct stack_row row = r->stacks.items[i];

		if (!cut_at(&row, matches))
			continue;
		r->total += row.value;
		r->stacks.items[n++] = row;
	}
	r->stacks.n = n;
	free(matches);
	return n;
}
