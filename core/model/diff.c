// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The tables of both reports are concatenated into one report, so that ranks (report_merge) show
 * which rows look the same on both sides.  Rows are then sorted by path, and equal ones are added
 * up by side.
 */
#include "model/diff.h"

#include <string.h>

#include "model/order.h"

static const char *const side_names[] = { "before", "after" };

/* ---- which reports can be compared ---- */

static const char *unit_name(enum unit unit)
{
	static const char *const names[] = {
		[UNIT_SAMPLES] = "samples",
		[UNIT_EVENTS] = "events",
		[UNIT_VALUES] = "sums of values",
		[UNIT_THREADS] = "threads",
		[UNIT_NS] = "times",
	};

	return names[unit];
}

static int check_kind(const struct report *r, const char *name, struct err *err)
{
	if (r->kind & (REPORT_STACKS | REPORT_PATHS))
		return 0;
	return err_set(err, ERR_USAGE, "the report %s holds no stacks: only stacks are compared",
		       name);
}

int diff_check(const struct report *before, const struct report *after, struct err *err)
{
	const struct run_info *a = before->run, *b = after->run;
	int ret = check_kind(before, side_names[0], err) ?: check_kind(after, side_names[1], err);

	if (ret)
		return ret;
	if (a->unit != b->unit) {
		err_set(err, ERR_USAGE, "%s can't be compared with %s", unit_name(a->unit),
			unit_name(b->unit));
		return err_hint(err, "compare two reports of one command");
	}
	if (a->unit >= UNIT_VALUES && a->value_name && b->value_name &&
	    strcmp(a->value_name, b->value_name) != 0)
		return err_set(err, ERR_USAGE, "'%s' can't be compared with '%s'", a->value_name,
			       b->value_name);
	if (a->shape != b->shape)
		return err_set(err, ERR_USAGE,
			       "stacks with wakers can't be compared with stacks without, or with "
			       "wakers of another command");
	return 0;
}

/* ---- joining ---- */

/* Position of a side's tables in those of the joined report. */
struct offsets {
	u32 frames, nodes, tasks, chains, links;
};

static u32 moved(u32 index, u32 by)
{
	return index ? index + by : 0;
}

static size_t at_least_one(size_t n)
{
	return n ? n : 1;
}

/* PIDs and CPUs differ from run to run: a thread is known by its comm. */
static struct stack_task task_without_ids(const struct stack_task *t)
{
	bool has_ids = t->pid >= 0 || t->tid >= 0;

	return (struct stack_task){
		.root = has_ids && t->comm ? t->comm : t->root,
		.comm = t->comm,
		.pid = -1,
		.tid = -1,
		.cpu = -1,
		.cgroup = t->cgroup,
	};
}

static void join_tables(struct diff *d, const struct report *r, const struct offsets *o)
{
	if (r->n_frames)
		memcpy(d->frames + o->frames, r->frames, r->n_frames * sizeof(*r->frames));
	for (u32 i = 1; i < r->n_nodes; i++)
		d->nodes[i + o->nodes] = (struct stack_node){ moved(r->nodes[i].parent, o->nodes),
							      r->nodes[i].frame + o->frames };
	for (u32 i = 0; i < r->n_tasks; i++)
		d->tasks[i + o->tasks] = task_without_ids(&r->tasks[i]);
	for (u32 i = 1; i < r->n_chains; i++) {
		d->chains[i + o->chains] = r->chains[i];
		d->chains[i + o->chains].first += o->links;
	}
	for (u32 i = 0; i < r->n_links; i++) {
		struct waker_link link = r->links[i];

		link.task += o->tasks;
		link.kernel = moved(link.kernel, o->nodes);
		link.user = moved(link.user, o->nodes);
		d->links[i + o->links] = link;
	}
}

static void join_rows(struct diff *d, enum diff_when side, const struct offsets *o)
{
	const struct report *r = d->side[side].report;
	const struct stack_row *row;

	vec_for_each(row, &r->stacks) {
		struct stack_row joined = *row;

		if (row->is_whole && !r->run->opens_whole)
			continue;
		joined.task += o->tasks;
		joined.kernel = moved(row->kernel, o->nodes);
		joined.user = moved(row->user, o->nodes);
		joined.chain = moved(row->chain, o->chains);
		joined.is_whole = false;
		if (report_has_ratios(r))
			joined.ratio = 0; /* samples of the first event are compared */
		d->side[side].variance += row->variance;
		vec_push(&d->joined.stacks, joined);
	}
}

/* Returns the number of rows from the report before; those from the report after follow them. */
static size_t join(struct diff *d)
{
	const struct report *a = d->side[DIFF_BEFORE].report, *b = d->side[DIFF_AFTER].report;
	const size_t n_nodes = at_least_one(a->n_nodes) + at_least_one(b->n_nodes) - 1;
	const size_t n_chains = at_least_one(a->n_chains) + at_least_one(b->n_chains) - 1;
	const struct offsets none = { 0 };
	/* Node 0 and chain 0 are none on both sides. */
	const struct offsets moved = { (u32)a->n_frames, (u32)at_least_one(a->n_nodes) - 1,
				       (u32)a->n_tasks, (u32)at_least_one(a->n_chains) - 1,
				       (u32)a->n_links };
	struct report *r = &d->joined;
	size_t n_before;

	d->frames = mem_alloc(a->n_frames + b->n_frames + 1, sizeof(*d->frames));
	d->nodes = mem_alloc(n_nodes, sizeof(*d->nodes));
	d->tasks = mem_alloc(a->n_tasks + b->n_tasks + 1, sizeof(*d->tasks));
	d->chains = mem_alloc(n_chains, sizeof(*d->chains));
	d->links = mem_alloc(a->n_links + b->n_links + 1, sizeof(*d->links));
	join_tables(d, a, &none);
	join_tables(d, b, &moved);
	*r = (struct report){
		.run = &d->run,
		.kind = REPORT_DIFF,
		.start_ns = b->start_ns,
		.end_ns = b->end_ns,
		.frames = d->frames,
		.n_frames = a->n_frames + b->n_frames,
		.nodes = d->nodes,
		.n_nodes = n_nodes,
		.tasks = d->tasks,
		.n_tasks = a->n_tasks + b->n_tasks,
		.chains = d->chains,
		.n_chains = n_chains,
		.links = d->links,
		.n_links = a->n_links + b->n_links,
		.diff = d,
	};
	join_rows(d, DIFF_BEFORE, &none);
	n_before = r->stacks.n;
	join_rows(d, DIFF_AFTER, &moved);
	return n_before;
}

/* ---- rows by look ---- */

static void add_row(struct diff_sum *sum, const struct stack_row *row)
{
	sum->value += row->value;
	sum->count += row->count + row->n_open;
	sum->variance += row->variance;
}

/* The rows that are compared, in an order in which the same stacks are neighbours. */
struct pairing {
	struct merged ranks;
	const struct stack_row *rows;
	size_t n_before;
};

static int pair_cmp(const void *a, const void *b, void *ctx)
{
	const struct pairing *p = ctx;
	u32 x = *(const u32 *)a, y = *(const u32 *)b;
	int c = merged_path_cmp(&p->ranks, &p->rows[x], &p->rows[y]);

	return c ? c : num_cmp(x, y);
}

static u32 *in_order_of_paths(const struct pairing *p, size_t n)
{
	u32 *order = mem_alloc(n + 1, sizeof(*order));

	for (u32 i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof(*order), pair_cmp, (void *)(uintptr_t)p);
	return order;
}

/* A row of both sides: its look and its sums. */
struct pair {
	struct stack_row row;
	struct diff_stack stack;
	u32 rank; /* in the order of paths */
};

static struct pair start_pair(const struct stack_row *row, u32 rank)
{
	return (struct pair){
		.row = { .task = row->task,
			 .kernel = row->kernel,
			 .user = row->user,
			 .chain = row->chain,
			 .is_rooted = row->is_rooted },
		.rank = rank,
	};
}

static bool is_noise(const struct diff_change *c)
{
	return c->verdict == DIFF_NOISE;
}

static double size_of(const struct diff_change *c)
{
	return c->by < 0 ? -c->by : c->by;
}

/* The largest change first, the noise last. */
static int change_cmp(const struct diff_change *a, const struct diff_change *b)
{
	if (is_noise(a) != is_noise(b))
		return is_noise(a) ? 1 : -1;
	return (size_of(a) < size_of(b)) - (size_of(a) > size_of(b));
}

static int pair_size_cmp(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	int c = change_cmp(&x->stack.by, &y->stack.by);

	return c ? c : num_cmp(x->rank, y->rank);
}

static void take_pair(struct diff *d, struct pair *pair)
{
	bool is_before = d->opts.by_before;
	const struct diff_sum *drawn = &pair->stack.side[is_before ? DIFF_BEFORE : DIFF_AFTER];
	const struct diff_sum *other = &pair->stack.side[is_before ? DIFF_AFTER : DIFF_BEFORE];

	pair->row.value = drawn->value;
	pair->row.count = drawn->count;
	pair->row.variance = drawn->variance;
	pair->row.n_open = other->value; /* report_other() */
	vec_push(&d->joined.stacks, pair->row);
	vec_push(&d->stacks, pair->stack);
}

/* Replace the rows of both sides by one row for each look. */
static void pair_rows(struct diff *d, const struct pairing *p, size_t n)
{
	VEC(struct pair) pairs = { 0 };
	u32 *order = in_order_of_paths(p, n);
	struct pair *pair;

	for (u32 i = 0; i < n; i++) {
		const struct stack_row *row = &p->rows[order[i]];

		if (!i || merged_path_cmp(&p->ranks, &p->rows[order[i - 1]], row))
			vec_push(&pairs, start_pair(row, i));
		pair = &pairs.items[pairs.n - 1];
		add_row(&pair->stack.side[order[i] < p->n_before ? DIFF_BEFORE : DIFF_AFTER], row);
	}
	vec_for_each(pair, &pairs)
		pair->stack.by = diff_compare(d, d->opts.basis, pair->stack.side);
	if (pairs.n)
		qsort(pairs.items, pairs.n, sizeof(*pairs.items), pair_size_cmp);
	d->joined.stacks.n = 0;
	vec_for_each(pair, &pairs)
		if (pair->stack.side[DIFF_BEFORE].value || pair->stack.side[DIFF_AFTER].value)
			take_pair(d, pair);
	vec_release(&pairs);
	free(order);
}

/* ---- functions by look ---- */

/* Sums of one look.  Remembers the last row added, so that recursion counts once. */
struct diff_tally {
	struct diff_func func;
	bool is_used;
	u32 row; /* last row added, + 1 */
};

static void tally_path(struct diff_tally *counted, const u32 *looks, const struct pairing *p,
		       const struct report *r, u32 node, u32 row)
{
	for (; node; node = r->nodes[node].parent) {
		struct diff_tally *t = &counted[looks[r->nodes[node].frame]];

		if (!t->is_used)
			t->func.frame = r->nodes[node].frame;
		t->is_used = true;
		if (t->row == row + 1)
			continue;
		t->row = row + 1;
		add_row(&t->func.total[row < p->n_before ? DIFF_BEFORE : DIFF_AFTER],
			&p->rows[row]);
	}
}

static void tally_row(struct diff_tally *counted, const u32 *looks, const struct pairing *p,
		      const struct report *r, u32 i)
{
	u32 kernel, user, leaf;

	report_searched_stack(r, &p->rows[i], &kernel, &user);
	tally_path(counted, looks, p, r, kernel, i);
	tally_path(counted, looks, p, r, user, i);
	leaf = kernel ? kernel : user;
	if (leaf)
		add_row(&counted[looks[r->nodes[leaf].frame]]
				 .func.self[i < p->n_before ? DIFF_BEFORE : DIFF_AFTER],
			&p->rows[i]);
}

struct func_order {
	const u32 *looks;
	bool by_total;
};

static bool is_caller_only(const struct diff_func *f)
{
	return !f->self[DIFF_BEFORE].value && !f->self[DIFF_AFTER].value;
}

static int func_cmp(const void *a, const void *b, void *ctx)
{
	const struct diff_func *x = a, *y = b;
	const struct func_order *o = ctx;
	int by_self = change_cmp(&x->self_by, &y->self_by);
	int by_total = change_cmp(&x->total_by, &y->total_by);
	int c = o->by_total ? by_total : is_caller_only(x) - is_caller_only(y);

	c = c ? c : by_self;
	c = c ? c : by_total;
	return c ? c : num_cmp(o->looks[x->frame], o->looks[y->frame]);
}

static void tally_funcs(struct diff *d, const struct pairing *p, size_t n_rows)
{
	const struct report *r = &d->joined;
	struct diff_tally *counted = mem_alloc(r->n_frames + 1, sizeof(*counted));
	struct func_order order = { p->ranks.looks, d->opts.by_total };

	for (u32 i = 0; i < n_rows; i++)
		tally_row(counted, p->ranks.looks, p, r, i);
	for (size_t i = 0; i < r->n_frames; i++) {
		struct diff_func *f = &counted[i].func;

		if (!f->total[DIFF_BEFORE].value && !f->total[DIFF_AFTER].value)
			continue;
		f->self_by = diff_compare(d, d->opts.basis, f->self);
		f->total_by = diff_compare(d, d->opts.basis, f->total);
		vec_push(&d->funcs, *f);
	}
	if (d->funcs.n)
		qsort_r(d->funcs.items, d->funcs.n, sizeof(*d->funcs.items), func_cmp, &order);
	free(counted);
}

/* ---- all of it ---- */

static void take_side(struct diff *d, enum diff_when when, const struct report *r)
{
	d->side[when] = (struct diff_side){
		.report = r,
		.total = report_listed(r),
		.seconds = (double)(r->end_ns - r->start_ns) / NS_PER_SEC,
	};
}

/* Losses of either side are missing from the comparison. */
static void add_losses(struct ledger *sum, const struct ledger *l)
{
	for (int i = 0; i < LOST_N_REASONS; i++) {
		if (sum->lost[i] == LOST_UNKNOWN || l->lost[i] == LOST_UNKNOWN)
			sum->lost[i] = LOST_UNKNOWN;
		else
			sum->lost[i] += l->lost[i];
	}
}

void diff_make(struct diff *d, const struct report *before, const struct report *after,
	       const struct diff_opts *opts)
{
	VEC(struct stack_row) rows;
	struct pairing p = { 0 };
	enum diff_when drawn = opts->by_before ? DIFF_BEFORE : DIFF_AFTER;

	*d = (struct diff){ .opts = *opts, .run = *after->run };
	d->run.opens_whole = true;
	d->run.second_event = NULL;
	d->run.colors_off_cpu = false;
	take_side(d, DIFF_BEFORE, before);
	take_side(d, DIFF_AFTER, after);
	p.n_before = join(d);
	/* Rank without rows: the rows of the two sides must not be merged. */
	rows.items = d->joined.stacks.items;
	rows.n = d->joined.stacks.n;
	rows.cap = d->joined.stacks.cap;
	memset(&d->joined.stacks, 0, sizeof(d->joined.stacks));
	report_merge(&d->joined, BY_LABEL, &p.ranks);
	p.rows = rows.items;
	tally_funcs(d, &p, rows.n);
	pair_rows(d, &p, rows.n);
	d->joined.total = d->side[drawn].total;
	add_losses(&d->joined.ledger, &before->ledger);
	add_losses(&d->joined.ledger, &after->ledger);
	merged_release(&p.ranks);
	vec_release(&rows);
}

void diff_release(struct diff *d)
{
	vec_release(&d->stacks);
	vec_release(&d->funcs);
	report_release(&d->joined);
	free(d->frames);
	free(d->nodes);
	free(d->tasks);
	free(d->chains);
	free(d->links);
	*d = (struct diff){ 0 };
}
