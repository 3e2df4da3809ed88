// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Columns of the state report, and the order of its rows. */
#include <stdlib.h>

#include "model/order.h"
#include "model/report.h"

const char *const state_names[STATE_N_COLUMNS] = {
	[STATE_USER] = "user",		 [STATE_SYSTEM] = "system",
	[STATE_PREEMPTED] = "preempted", [STATE_WAITING] = "waiting",
	[STATE_THROTTLED] = "throttled", [STATE_DISK] = "disk",
	[STATE_NETWORK] = "network",	 [STATE_LOCK] = "lock",
	[STATE_CONDITION] = "condition", [STATE_FUTEX] = "futex",
	[STATE_PIPE] = "pipe",		 [STATE_SLEEP] = "sleep",
	[STATE_POLL] = "poll",		 [STATE_CHILD] = "child",
	[STATE_FAULT] = "fault",	 [STATE_OTHER] = "other",
	[STATE_UNSEEN] = "unseen",
};

/* States that mean work.  A task with nothing to do is in none of them: an idle server sleeps,
 * polls, reads or waits for a lock. */
static const bool is_work[STATE_N_COLUMNS] = {
	[STATE_USER] = true,	[STATE_SYSTEM] = true,	  [STATE_PREEMPTED] = true,
	[STATE_WAITING] = true, [STATE_THROTTLED] = true, [STATE_DISK] = true,
	[STATE_FAULT] = true,
};

u64 state_work_ns(const struct state_row *row)
{
	u64 sum = 0;

	for (int i = 0; i < STATE_N_COLUMNS; i++)
		if (is_work[i])
			sum += row->ns[i];
	return sum;
}

static int row_cmp(const struct report *r, const struct state_row *x, const struct state_row *y)
{
	const struct stack_task *s = &r->tasks[x->task], *t = &r->tasks[y->task];
	int c = num_cmp(state_work_ns(y), state_work_ns(x));

	c = c ? c : num_cmp(y->wall_ns, x->wall_ns);
	c = c ? c : text_cmp(s->comm, t->comm);
	c = c ? c : text_cmp(s->root, t->root);
	c = c ? c : signed_cmp(s->pid, t->pid);
	return c ? c : signed_cmp(s->tid, t->tid);
}

static int order_cmp(const void *a, const void *b, void *report)
{
	const struct report *r = report;

	return row_cmp(r, &r->states.items[*(const u32 *)a], &r->states.items[*(const u32 *)b]);
}

u32 *report_states(const struct report *r)
{
	u32 *order = mem_alloc(r->states.n + 1, sizeof(*order));

	for (u32 i = 0; i < r->states.n; i++)
		order[i] = i;
	qsort_r(order, r->states.n, sizeof(*order), order_cmp, (void *)r);
	return order;
}

/* ---- short-lived processes ---- */

#define FOLD_MIN 2

/* Tasks are folded by name alone, so the row must not be grouped by anything else that
 * distinguishes it: thread, CPU or cgroup. */
static bool is_short_lived(const struct report *r, const struct state_row *row)
{
	const struct stack_task *t = &r->tasks[row->task];

	return t->comm && t->pid >= 0 && t->tid < 0 && t->cpu < 0 && !t->cgroup &&
	       row->wall_ns < (r->end_ns - r->start_ns) / 2;
}

static int name_cmp(const void *a, const void *b, void *report)
{
	const struct report *r = report;
	const struct state_row *x = a, *y = b;

	return text_cmp(r->tasks[x->task].comm, r->tasks[y->task].comm);
}

static int state_row_cmp(const void *a, const void *b, void *report)
{
	return row_cmp(report, a, b);
}

static struct state_row sum_rows(const struct state_row *rows, size_t n)
{
	struct state_row sum = rows[0];

	for (size_t i = 1; i < n; i++) {
		sum.n_threads += rows[i].n_threads;
		sum.wall_ns += rows[i].wall_ns;
		for (int k = 0; k < STATE_N_COLUMNS; k++)
			sum.ns[k] += rows[i].ns[k];
	}
	sum.n_processes = (u32)n;
	return sum;
}

void report_states_folded(const struct report *r, struct state_rows *out)
{
	struct state_rows brief = { 0 };
	const struct state_row *row;
	size_t end;

	*out = (struct state_rows){ 0 };
	vec_for_each(row, &r->states) {
		if (is_short_lived(r, row))
			vec_push(&brief.v, *row);
		else
			vec_push(&out->v, *row);
	}
	if (brief.v.n)
		qsort_r(brief.v.items, brief.v.n, sizeof(*row), name_cmp, (void *)r);
	for (size_t i = 0; i < brief.v.n; i = end) {
		for (end = i + 1; end < brief.v.n; end++)
			if (name_cmp(&brief.v.items[i], &brief.v.items[end], (void *)r))
				break;
		if (end - i >= FOLD_MIN) {
			vec_push(&out->v, sum_rows(&brief.v.items[i], end - i));
			continue;
		}
		for (size_t k = i; k < end; k++)
			vec_push(&out->v, brief.v.items[k]);
	}
	if (out->v.n)
		qsort_r(out->v.items, out->v.n, sizeof(*row), state_row_cmp, (void *)r);
	vec_release(&brief.v);
}
