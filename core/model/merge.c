// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Merge rows that look the same.  Frames, paths and tasks are ranked first: the same look has the
 * same rank, and ranks are in the order of the texts.  Rows are then compared as a few numbers,
 * which makes 100,000 of them cheap.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "model/order.h"
#include "model/report.h"

/* The properties that distinguish two rows, by level of detail. */
struct detail {
	bool task;    /* comm, pid, tid, cpu, cgroup; otherwise only the root */
	bool offset;  /* offset of code without a name */
	bool module;  /* path, build id, exact kind; otherwise only where the module stands in for a
			 name */
	bool address; /* all addresses */
};

static const struct detail details[] = {
	[BY_LABEL] = { 0 },
	[BY_TEXT] = { .task = true, .offset = true },
	[BY_NAME] = { .task = true, .offset = true, .module = true },
	[BY_ADDRESS] = { .task = true, .offset = true, .module = true, .address = true },
};

/* Kinds of frames that cannot be distinguished by name. */
static const enum frame_kind plain_kind[FRAME_N_KINDS] = {
	[FRAME_USER] = FRAME_USER,    [FRAME_KERNEL] = FRAME_KERNEL, [FRAME_MODULE] = FRAME_KERNEL,
	[FRAME_BPF] = FRAME_KERNEL,   [FRAME_JIT] = FRAME_JIT,	     [FRAME_VDSO] = FRAME_USER,
	[FRAME_UNKNOWN] = FRAME_USER, [FRAME_NOTE] = FRAME_USER,
};

/* A copy of the frame in which ignored members are empty. */
static struct frame seen_as(const struct frame *f, const struct detail *d)
{
	struct frame s = { .name = f->name, .kind = plain_kind[f->kind] };
	const char *module = f->module;

	if (d->address)
		return *f;
	if (d->module) {
		s.kind = f->kind;
		s.build_id = f->build_id;
	} else if (module) {
		module = f->name ? NULL : frame_base(module);
	}
	s.module = module;
	if (d->offset && !f->name && f->module)
		s.off = f->off;
	return s;
}

static int seen_cmp(const struct frame *a, const struct frame *b)
{
	int c = text_cmp(a->name ? a->name : a->module, b->name ? b->name : b->module);

	c = c ? c : text_cmp(a->name, b->name);
	c = c ? c : text_cmp(a->module, b->module);
	c = c ? c : num_cmp(a->off, b->off);
	c = c ? c : num_cmp(a->vaddr, b->vaddr);
	c = c ? c : num_cmp(a->addr, b->addr);
	c = c ? c : num_cmp(a->kind, b->kind);
	return c ? c : text_cmp(a->build_id, b->build_id);
}

static u64 hash_text(u64 h, const char *s)
{
	return s ? hash_mix(h, hash_bytes(s, strlen(s))) : hash_mix(h, 0);
}

static u64 seen_hash(const struct frame *s)
{
	u64 h = hash_text(s->kind, s->name);

	h = hash_text(h, s->module);
	h = hash_text(h, s->build_id);
	return hash_mix(hash_mix(hash_mix(h, s->off), s->addr), s->vaddr);
}

/* The index of the first equal frame, or `i` if there is none before it. */
static u32 find_first(struct index *t, const struct report *r, u32 i, const struct detail *d)
{
	struct frame s = seen_as(&r->frames[i], d);
	u64 hash = seen_hash(&s);
	size_t at = 0;
	u32 id;

	while (index_next(t, hash, &at, &id)) {
		struct frame other = seen_as(&r->frames[id], d);

		if (!seen_cmp(&s, &other))
			return id;
	}
	index_add(t, hash, i);
	return i;
}

static u32 *find_firsts(const struct report *r, enum merge_by by)
{
	u32 *first = mem_alloc(r->n_frames + 1, sizeof(*first));
	struct index t = { 0 };

	for (u32 i = 0; i < r->n_frames; i++)
		first[i] = find_first(&t, r, i, &details[by]);
	index_release(&t);
	return first;
}

struct ranking {
	const struct frame *frames;
	const struct detail *detail;
};

static int rank_cmp(const void *a, const void *b, void *ctx)
{
	const struct ranking *k = ctx;
	struct frame x = seen_as(&k->frames[*(const u32 *)a], k->detail);
	struct frame y = seen_as(&k->frames[*(const u32 *)b], k->detail);

	return seen_cmp(&x, &y);
}

u32 *report_looks(const struct report *r, enum merge_by by)
{
	struct ranking k = { r->frames, &details[by] };
	u32 *looks = find_firsts(r, by);
	u32 *order = mem_alloc(r->n_frames + 1, sizeof(*order));
	u32 *rank = mem_alloc(r->n_frames + 1, sizeof(*rank));
	u32 n = 0;

	for (u32 i = 0; i < r->n_frames; i++)
		if (looks[i] == i)
			order[n++] = i;
	qsort_r(order, n, sizeof(*order), rank_cmp, &k);
	for (u32 i = 0; i < n; i++)
		rank[order[i]] = i;
	for (u32 i = 0; i < r->n_frames; i++)
		looks[i] = rank[looks[i]];
	free(order);
	free(rank);
	return looks;
}

struct task_ranking {
	const struct stack_task *tasks;
	const struct detail *detail;
};

static int task_cmp(const struct task_ranking *k, u32 x, u32 y)
{
	const struct stack_task *a = &k->tasks[x], *b = &k->tasks[y];
	int c = text_cmp(a->root, b->root);

	if (!k->detail->task)
		return c;
	c = c ? c : text_cmp(a->comm, b->comm);
	c = c ? c : text_cmp(a->cgroup, b->cgroup);
	c = c ? c : signed_cmp(a->pid, b->pid);
	c = c ? c : signed_cmp(a->tid, b->tid);
	return c ? c : signed_cmp(a->cpu, b->cpu);
}

static int task_order_cmp(const void *a, const void *b, void *ranking)
{
	return task_cmp(ranking, *(const u32 *)a, *(const u32 *)b);
}

static u32 *rank_tasks(const struct report *r, enum merge_by by)
{
	struct task_ranking k = { r->tasks, &details[by] };
	u32 *order = mem_alloc(r->n_tasks + 1, sizeof(*order));
	u32 *ranks = mem_alloc(r->n_tasks + 1, sizeof(*ranks));

	for (u32 i = 0; i < r->n_tasks; i++)
		order[i] = i;
	qsort_r(order, r->n_tasks, sizeof(*order), task_order_cmp, &k);
	for (u32 i = 1, rank = 0; i < r->n_tasks; i++) {
		rank += task_cmp(&k, order[i - 1], order[i]) != 0;
		ranks[order[i]] = rank;
	}
	free(order);
	return ranks;
}

int merged_path_cmp(const struct merged *m, const struct stack_row *a, const struct stack_row *b)
{
	int by_chain = num_cmp(m->chains[a->chain], m->chains[b->chain]);
	int c = num_cmp(b->is_whole, a->is_whole);

	c = c || m->shape != SHAPE_WAKEUP ? c : by_chain;
	c = c ? c : num_cmp(m->tasks[a->task], m->tasks[b->task]);
	c = c ? c : num_cmp(m->paths[a->user], m->paths[b->user]);
	c = c ? c : num_cmp(m->paths[a->kernel], m->paths[b->kernel]);
	return c ? c : by_chain;
}

static int row_cmp(const void *a, const void *b, void *merged)
{
	const struct stack_row *x = a, *y = b;
	int c = num_cmp(y->value, x->value);

	return c ? c : merged_path_cmp(merged, x, y);
}

static u64 row_hash(const struct merged *m, const struct stack_row *row)
{
	u64 h = hash_mix(m->tasks[row->task], m->paths[row->user]);

	h = hash_mix(hash_mix(h, m->paths[row->kernel]), m->chains[row->chain]);
	return row->is_whole ? hash_mix(h, 1) : h;
}

/* Add the values of the links of chain `row` to those of chain `have`, which has as many links. */
static void merge_links(struct merged *m, const struct report *r, u32 have, u32 row)
{
	const struct waker_chain *to = report_chain(r, have), *from = report_chain(r, row);

	for (u32 i = 0; have != row && i < from->n; i++)
		m->link_values[to->first + i] += report_link(r, from, i)->value;
}

static void merge_ratios(struct merged *m, struct stack_row *have, const struct stack_row *row)
{
	if (have->ratio && row->ratio)
		ratio_add(&m->ratios[have->ratio], &m->ratios[row->ratio]);
	else
		have->ratio += row->ratio;
}

/* The merged row that looks like this one; NULL: none yet. */
static struct stack_row *find_row(const struct merged *m, struct index *t,
				  const struct stack_row *row)
{
	u64 hash = row_hash(m, row);
	size_t at = 0;
	u32 id;

	while (index_next(t, hash, &at, &id))
		if (!merged_path_cmp(m, &m->rows.items[id], row))
			return &m->rows.items[id];
	return NULL;
}

static void merge_row(struct merged *m, struct index *t, const struct report *r,
		      const struct stack_row *row)
{
	struct stack_row *have = find_row(m, t, row);

	if (have) {
		have->value += row->value;
		have->count += row->count;
		have->variance += row->variance;
		if (m->ratios)
			merge_ratios(m, have, row);
		else
			have->n_open += row->n_open;
		if (m->link_values)
			merge_links(m, r, have->chain, row->chain);
		return;
	}
	index_add(t, row_hash(m, row), (u32)m->rows.n);
	vec_push(&m->rows, *row);
}

u32 *merged_rows_of(const struct merged *m, const struct report *r)
{
	u32 *rows = mem_alloc(r->stacks.n + 1, sizeof(*rows));
	struct index t = { 0 };

	for (u32 i = 0; i < m->rows.n; i++)
		index_add(&t, row_hash(m, &m->rows.items[i]), i);
	for (size_t i = 0; i < r->stacks.n; i++)
		rows[i] = (u32)(find_row(m, &t, &r->stacks.items[i]) - m->rows.items);
	index_release(&t);
	return rows;
}

static u64 *copy_link_values(const struct report *r)
{
	u64 *values = mem_alloc(r->n_links + 1, sizeof(*values));

	for (size_t i = 0; i < r->n_links; i++)
		values[i] = r->links[i].value;
	return values;
}

static struct ratio *copy_ratios(const struct report *r)
{
	struct ratio *ratios = mem_alloc(r->ratios.n + 1, sizeof(*ratios));

	if (r->ratios.n)
		memcpy(ratios, r->ratios.items, r->ratios.n * sizeof(*ratios));
	return ratios;
}

void report_merge(const struct report *r, enum merge_by by, struct merged *out)
{
	const struct stack_row *row;
	struct index t = { 0 };

	*out = (struct merged){ .shape = r->run->shape,
				.looks = report_looks(r, by),
				.tasks = rank_tasks(r, by) };
	out->paths = report_paths(r, out->looks);
	out->chains = report_chains(r, out);
	if (r->kind == REPORT_PATHS)
		out->link_values = copy_link_values(r);
	if (report_has_ratios(r))
		out->ratios = copy_ratios(r);
	vec_for_each(row, &r->stacks)
		merge_row(out, &t, r, row);
	index_release(&t);
	if (out->rows.n)
		qsort_r(out->rows.items, out->rows.n, sizeof(*out->rows.items), row_cmp, out);
}

void merged_fold_whole(struct merged *m, const struct report *r)
{
	size_t n = 0;

	if (r->run->opens_whole)
		return;
	for (size_t i = 0; i < m->rows.n; i++)
		if (!m->rows.items[i].is_whole)
			m->rows.items[n++] = m->rows.items[i];
	m->rows.n = n;
}

void merged_release(struct merged *m)
{
	vec_release(&m->rows);
	free(m->looks);
	free(m->paths);
	free(m->tasks);
	free(m->chains);
	free(m->link_values);
	free(m->ratios);
	*m = (struct merged){ 0 };
}
