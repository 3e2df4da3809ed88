// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Rows whose keys have stacks: names the stacks, and merges rows that look the same. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "agg/dist.h"
#include "base/log.h"
#include "bpf/abi/cells.h"

#define SUM_WORD (offsetof(struct cell_stats, sum) / sizeof(u64))

/* A stack as a key turns -C or -S into a report of stacks, which has only one kind of number. */
static int check_stack(struct dists *d, const struct probe *probe, u32 i, const struct tree *part,
		       enum dist_kind kind, struct err *err)
{
	const struct text *t = i < d->agg.by.n ? &d->agg.by.text : &probe->spec.text;

	if (d->opts.is_over_time) {
		text_error(t, part->at, err,
			   "a heat map has one line per key, but a stack needs many");
		return err_hint(err, "without --heat each stack has a histogram of its own");
	}
	if (kind == DIST_HISTOGRAM || kind == DIST_TABLE)
		return 0;
	if (d->agg.probes->v.n > 1)
		return text_error(t, part->at, err,
				  "a stack as key of -C or -S allows only one spec: its stacks "
				  "are the result");
	d->is_of_stacks = true;
	return 0;
}

int dist_take_key_stacks(struct dists *d, const struct probe *probe, struct dist_result *r,
			 const struct gen_plan *g, struct err *err)
{
	bool has_kernel = false, has_user = false;
	u32 max_kernel = 0, max_user = 0;
	int ret = 0;

	for (u32 i = 0; i < g->work.n_key && !ret; i++) {
		if (!key_is_stack(g->work.key[i]))
			continue;
		ret = check_stack(d, probe, i, g->work.key[i], r->shown.kind, err);
		d->has_saved_stacks |= g->work.key[i]->kind != TREE_BUILTIN;
		if (g->work.key[i]->type->space == SPACE_USER) {
			has_user = true;
			max_user = g->work.key[i]->type->n;
		} else {
			has_kernel = true;
			max_kernel = g->work.key[i]->type->n;
		}
	}
	if (!ret && r->shown.key_names &&
	    (has_kernel != r->has_kernel || has_user != r->has_user ||
	     max_kernel != r->max_kernel || max_user != r->max_user))
		ret = text_error(&probe->spec.text,
				 probe->spec.key.n ? probe->spec.key : probe->spec.site, err,
				 "all specs of a table must have the same stacks as keys");
	r->has_kernel = has_kernel;
	r->has_user = has_user;
	r->max_kernel = max_kernel;
	r->max_user = max_user;
	r->shown.has_stacks = has_kernel || has_user;
	d->has_kernel |= has_kernel;
	d->has_user |= has_user;
	return ret;
}

static struct agg_nodes nodes_of(struct dists *d, const struct dist_result *r,
				 const struct agg_row *e)
{
	struct agg_nodes nodes = { 0 }, user;

	if (r->has_kernel)
		nodes = dist_stacks_find(d->stacks, e->ids[0]);
	if (r->has_user) {
		user = dist_stacks_find(d->stacks, e->ids[1]);
		nodes.user = user.user;
		nodes.is_rooted = user.is_rooted;
	}
	if (r->max_kernel)
		nodes.kernel = store_innermost(&d->stacks->store, nodes.kernel, r->max_kernel);
	if (r->max_user)
		nodes.user = store_innermost(&d->stacks->store, nodes.user, r->max_user);
	return nodes;
}

/* ---- distributions whose keys have stacks ------------------------------------------------- */

/* Equal ranks mean equal texts, and ranks have the order of the texts. */
static void rank_entry(struct agg_row *e, const u32 *paths)
{
	memset(e->ids, 0, sizeof(e->ids));
	if (!e->key)
		return;
	e->ids[0][0] = paths[e->nodes.user];
	e->ids[0][1] = paths[e->nodes.kernel];
}

static int rank_cmp(const void *a, const void *b)
{
	const u64 *x = ((const struct agg_row *)a)->ids[0],
		  *y = ((const struct agg_row *)b)->ids[0];
	int c = (x[0] > y[0]) - (x[0] < y[0]);

	return c ? c : (x[1] > y[1]) - (x[1] < y[1]);
}

/* The kernel tells stacks apart by their addresses, but a report shows only names. */
static void merge_equal(struct dist_result *r, const u32 *paths)
{
	struct agg_row *e;

	vec_for_each(e, &r->rows->v)
		rank_entry(e, paths);
	if (r->rows->v.n)
		qsort(r->rows->v.items, r->rows->v.n, sizeof(*r->rows->v.items), rank_cmp);
	agg_rows_merge(r->rows, &r->layout);
}

void dist_name_stacks(struct dists *d, struct report *out)
{
	struct dist_result *r;
	struct agg_row *e;
	u32 *looks, *paths;

	store_begin_report(&d->stacks->store);
	vec_for_each(r, &d->results)
		vec_for_each(e, &r->rows->v)
			if (e->key)
				e->nodes = nodes_of(d, r, e);
	dist_stacks_end_report(d->stacks, out);
	looks = report_looks(out, BY_NAME);
	paths = report_paths(out, looks);
	vec_for_each(r, &d->results)
		if (r->shown.has_stacks)
			merge_equal(r, paths);
	free(looks);
	free(paths);
}

/* ---- --caller ------------------------------------------------------------------------------ */

bool dist_is_called(const struct dists *d, const struct report *r, u32 kernel, u32 user)
{
	u32 leaf = kernel ? kernel : user, caller;
	const char *name;

	if (!d->opts.caller || !leaf || r->frames[r->nodes[leaf].frame].kind == FRAME_NOTE)
		return true;
	caller = r->nodes[leaf].parent;
	name = caller ? r->frames[r->nodes[caller].frame].name : NULL;
	return name && !fnmatch(d->opts.caller, name, 0);
}

/* Leave out the stacks of other callers. */
static void keep_called(const struct dists *d, struct report *out)
{
	size_t n = 0;

	out->total = 0;
	for (size_t i = 0; i < out->stacks.n; i++) {
		struct stack_row row = out->stacks.items[i];

		if (!dist_is_called(d, out, row.kernel, row.user))
			continue;
		out->total += row.value;
		out->stacks.items[n++] = row;
	}
	out->stacks.n = n;
}

/* ---- a report of stacks ------------------------------------------------------------------- */

/* The task at the root of the stack shows the values of the other keys. */
static u32 task_of(struct dists *d, const struct dist_result *r, const struct agg_row *e)
{
	struct stack_task task = { .pid = -1, .tid = -1, .cpu = -1 };
	struct stack_task *t;
	struct str root = { 0 };

	for (u32 i = 0; e->key && i < r->shown.n_keys; i++) {
		str_addf(&root, "%s%s", i ? "," : "", e->key[i]);
		if (!strcmp(r->shown.key_names[i], "comm"))
			task.comm = e->key[i];
	}
	vec_for_each(t, &d->tasks)
		if (t->root ? !strcmp(t->root, str_text(&root)) : !root.n) {
			str_release(&root);
			return (u32)(t - d->tasks.items);
		}
	if (root.n)
		task.root = arena_view(&d->agg.texts, str_view(&root));
	str_release(&root);
	vec_push(&d->tasks, task);
	return (u32)d->tasks.n - 1;
}

static void take_stack(struct dists *d, const struct dist_result *r, const struct agg_row *e,
		       struct report *out)
{
	bool is_sum = r->shown.kind == DIST_STATISTICS;
	u64 count = agg_word(e, 0), sum = is_sum ? agg_word(e, SUM_WORD) : count;
	struct stack_row row = { .count = count };
	struct agg_nodes nodes;

	if (!count)
		return;
	if (r->shown.is_signed && (s64)sum < 0) {
		d->n_negative++;
		sum = 0;
	}
	row.value = sum;
	row.task = task_of(d, r, e);
	nodes = e->key ? nodes_of(d, r, e) : dist_stacks_note(d->stacks, "[other]");
	row.kernel = nodes.kernel;
	row.user = nodes.user;
	row.is_rooted = nodes.is_rooted;
	out->total += row.value;
	vec_push(&out->stacks, row);
}

void dist_take_stacks(struct dists *d, const struct dist_result *r, struct report *out)
{
	const struct agg_row *e;

	store_begin_report(&d->stacks->store);
	d->n_negative = 0;
	vec_for_each(e, &r->rows->v)
		take_stack(d, r, e, out);
	if (d->n_negative && !d->is_negative_said)
		log_warn(
			"negative-sums",
			d->n_negative == 1
				? "%llu stack has a negative sum, which has no width: it is shown as 0"
				: "%llu stacks have negative sums, which have no width: they are shown as 0",
			d->n_negative);
	d->is_negative_said |= d->n_negative != 0;
	dist_stacks_end_report(d->stacks, out);
	keep_called(d, out);
	out->tasks = d->tasks.items;
	out->n_tasks = d->tasks.n;
}
