// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/view.h"

void report_release(struct report *r)
{
	vec_release(&r->stacks);
	vec_release(&r->samples);
	vec_release(&r->waits);
	vec_release(&r->states);
	vec_release(&r->funcs);
	vec_release(&r->ratios);
	vec_release(&r->func_ratios);
	vec_release(&r->threads);
	vec_release(&r->counts);
	for (size_t i = 0; i < r->dists.n; i++)
		dist_release(&r->dists.items[i]);
	vec_release(&r->dists);
	vec_release(&r->own_chains);
	vec_release(&r->own_links);
}

/* ---- frames of a row ---- */

static u32 expand(const struct report *r, u32 node, u32 out[STACK_MAX_DEPTH])
{
	u32 n = 0;

	for (; node && n < STACK_MAX_DEPTH; node = r->nodes[node].parent)
		out[n++] = r->nodes[node].frame;
	return n;
}

void report_frames(const struct report *r, const struct stack_row *row, struct stack_frames *out)
{
	out->n_kernel = expand(r, row->kernel, out->kernel);
	out->n_user = expand(r, row->user, out->user);
}

void report_searched_stack(const struct report *r, const struct stack_row *row, u32 *kernel,
			   u32 *user)
{
	const struct waker_chain *chain;

	*kernel = row->kernel;
	*user = row->user;
	if (r->run->shape != SHAPE_WAKEUP)
		return;
	chain = report_chain(r, row->chain);
	*kernel = chain->n ? report_link(r, chain, 0)->kernel : 0;
	*user = chain->n ? report_link(r, chain, 0)->user : 0;
}

/* ---- ratios ---- */

void report_sum_ratios(struct report *r)
{
	const struct stack_row *row;

	if (!report_has_ratios(r))
		return;
	r->ratio = (struct ratio){ 0 };
	vec_for_each(row, &r->stacks)
		ratio_add(&r->ratio, &r->ratios.items[row->ratio]);
}

bool report_is_on_cpu(const struct report *r, const struct stack_row *row)
{
	u32 leaf = row->kernel ? row->kernel : row->user;
	const struct frame *f = &r->frames[r->nodes[leaf].frame];

	return leaf && f->kind == FRAME_NOTE && f->name && !strcmp(f->name, FRAME_ON_CPU);
}

/* ---- functions ---- */

/* Self and total of each look.  Remembers the last row added, so that recursion counts once. */
struct frame_tally {
	u64 self, total;
	u32 frame; /* the first frame with this look, + 1; 0: none yet */
	u32 row;   /* last row added, + 1 */
};

struct tallies {
	struct frame_tally *by_look;
	struct ratio *ratios; /* two for each look, self and total; NULL: the report has none */
	const u32 *looks;
	const struct report *report;
};

static const struct ratio *ratio_of(const struct report *r, u32 row)
{
	return &r->ratios.items[r->stacks.items[row].ratio];
}

static void tally_frame(struct tallies *t, u32 frame, u32 row)
{
	u32 look = t->looks[frame];
	struct frame_tally *tally = &t->by_look[look];

	if (!tally->frame)
		tally->frame = frame + 1;
	if (tally->row == row + 1)
		return;
	tally->row = row + 1;
	tally->total += t->report->stacks.items[row].value;
	if (t->ratios)
		ratio_add(&t->ratios[2 * look + 1], ratio_of(t->report, row));
}

static void tally_path(struct tallies *t, u32 node, u32 row)
{
	for (; node; node = t->report->nodes[node].parent)
		tally_frame(t, t->report->nodes[node].frame, row);
}

static void tally_row(struct tallies *t, u32 i)
{
	const struct report *r = t->report;
	const struct stack_row *row = &r->stacks.items[i];
	u32 kernel, user, leaf, look;

	report_searched_stack(r, row, &kernel, &user);
	tally_path(t, kernel, i);
	tally_path(t, user, i);
	leaf = kernel ? kernel : user;
	if (!leaf)
		return;
	look = t->looks[r->nodes[leaf].frame];
	t->by_look[look].self += row->value;
	if (t->ratios)
		ratio_add(&t->ratios[2 * look], ratio_of(r, i));
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

void report_sort_functions(struct report *r, const u32 *looks)
{
	if (r->funcs.n)
		qsort_r(r->funcs.items, r->funcs.n, sizeof(*r->funcs.items), func_cmp,
			(void *)(uintptr_t)looks);
}

static void add_function(struct report *r, const struct tallies *t, size_t look)
{
	const struct frame_tally *tally = &t->by_look[look];

	vec_push(&r->funcs, (struct func_row){ .frame = tally->frame - 1,
					       .ratio = (u32)r->func_ratios.n,
					       .self = tally->self,
					       .total = tally->total });
	for (int i = 0; t->ratios && i < 2; i++)
		vec_push(&r->func_ratios, t->ratios[2 * look + (size_t)i]);
}

void report_functions(struct report *r)
{
	u32 *looks = report_looks(r, BY_LABEL);
	struct tallies t = { mem_alloc(r->n_frames + 1, sizeof(*t.by_look)), NULL, looks, r };

	if (report_has_ratios(r))
		t.ratios = mem_alloc(2 * r->n_frames + 1, sizeof(*t.ratios));
	for (u32 i = 0; i < r->stacks.n; i++)
		if (r->run->opens_whole || !r->stacks.items[i].is_whole)
			tally_row(&t, i);
	for (size_t i = 0; i < r->n_frames; i++)
		if (t.by_look[i].frame)
			add_function(r, &t, i);
	report_sort_functions(r, looks);
	r->kind = REPORT_FUNCS;
	free(t.by_look);
	free(t.ratios);
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

/* The outermost node that matches; 0: none. */
static u32 find_outermost(const struct report *r, const bool *matches, u32 node)
{
	u32 found = 0;

	for (; node; node = r->nodes[node].parent)
		if (matches[r->nodes[node].frame])
			found = node;
	return found;
}

/* Make the function the leaf of the stack.  false: it is not in the stack. */
static bool cut_at(const struct report *r, const bool *matches, u32 *kernel, u32 *user)
{
	u32 node = find_outermost(r, matches, *user);

	if (node) {
		*user = node;
		*kernel = 0;
		return true;
	}
	*kernel = find_outermost(r, matches, *kernel);
	return *kernel;
}

/* Replace the row's chain by one that the report owns: only the first waker, with its new stack. */
static void set_waker_stack(struct report *r, struct stack_row *row, u32 kernel, u32 user)
{
	const struct waker_chain *chain = report_chain(r, row->chain);
	struct waker_link link = *report_link(r, chain, 0);

	link.kernel = kernel;
	link.user = user;
	row->chain = (u32)r->own_chains.n;
	vec_push(&r->own_chains, (struct waker_chain){ (u32)r->own_links.n, 1, chain->end });
	vec_push(&r->own_links, link);
}

static bool cut_row(struct report *r, const bool *matches, struct stack_row *row)
{
	u32 kernel, user;

	report_searched_stack(r, row, &kernel, &user);
	if (!cut_at(r, matches, &kernel, &user))
		return false;
	if (r->run->shape == SHAPE_WAKEUP) {
		set_waker_stack(r, row, kernel, user);
	} else {
		row->kernel = kernel;
		row->user = user;
	}
	return true;
}

static void move_waits(struct report *r, const u32 *to)
{
	size_t n = 0;

	for (size_t i = 0; i < r->waits.n; i++) {
		struct timed_wait wait = r->waits.items[i];

		if (!to[wait.row])
			continue;
		wait.row = to[wait.row] - 1;
		r->waits.items[n++] = wait;
	}
	r->waits.n = n;
}

void report_move_singles(struct report *r, const u32 *to)
{
	size_t n = 0;

	for (size_t i = 0; i < r->samples.n; i++) {
		struct timed_sample sample = r->samples.items[i];

		if (!to[sample.row])
			continue;
		sample.row = to[sample.row] - 1;
		r->samples.items[n++] = sample;
	}
	r->samples.n = n;
	move_waits(r, to);
}

static void take_own_chains(struct report *r)
{
	r->chains = r->own_chains.items;
	r->n_chains = r->own_chains.n;
	r->links = r->own_links.items;
	r->n_links = r->own_links.n;
}

size_t report_callers(struct report *r, const char *name)
{
	bool *matches = mem_alloc(r->n_frames + 1, sizeof(*matches));
	u32 *to = mem_alloc(r->stacks.n + 1, sizeof(*to));
	size_t n = 0;

	for (size_t i = 0; i < r->n_frames; i++)
		matches[i] = is_called(&r->frames[i], view_of(name));
	if (r->run->shape == SHAPE_WAKEUP)
		vec_push(&r->own_chains, (struct waker_chain){ 0 });
	r->total = r->whole.n = r->whole.value = 0;
	for (size_t i = 0; i < r->stacks.n; i++) {
		struct stack_row row = r->stacks.items[i];

		if (!cut_row(r, matches, &row))
			continue;
		r->total += row.value;
		report_count_whole(r, &row);
		r->stacks.items[n++] = row;
		to[i] = (u32)n;
	}
	r->stacks.n = n;
	report_sum_ratios(r);
	report_move_singles(r, to);
	if (r->run->shape == SHAPE_WAKEUP)
		take_own_chains(r);
	free(to);
	free(matches);
	return n;
}
