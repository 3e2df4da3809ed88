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

/* States that a task with nothing to do is not in: an idle server sleeps, polls, reads or waits for
 * a lock. */
static const bool is_work[STATE_N_COLUMNS] = {
	[STATE_USER] = true,	[STATE_SYSTEM] = true,	  [STATE_PREEMPTED] = true,
	[STATE_WAITING] = true, [STATE_THROTTLED] = true, [STATE_DISK] = true,
	[STATE_FAULT] = true,
};

static u64 work_of(const struct state_row *row)
{
	u64 sum = 0;

	for (int i = 0; i < STATE_N_COLUMNS; i++)
		if (is_work[i])
			sum += row->ns[i];
	return sum;
}

static int state_cmp(const void *a, const void *b, void *report)
{
	const struct report *r = report;
	const struct state_row *x = &r->states.items[*(const u32 *)a];
	const struct state_row *y = &r->states.items[*(const u32 *)b];
	const struct stack_task *s = &r->tasks[x->task], *t = &r->tasks[y->task];
	int c = num_cmp(work_of(y), work_of(x));

	c = c ? c : num_cmp(y->wall_ns, x->wall_ns);
	c = c ? c : text_cmp(s->comm, t->comm);
	c = c ? c : text_cmp(s->root, t->root);
	c = c ? c : signed_cmp(s->pid, t->pid);
	return c ? c : signed_cmp(s->tid, t->tid);
}

u32 *report_states(const struct report *r)
{
	u32 *order = mem_alloc(r->states.n + 1, sizeof(*order));

	for (u32 i = 0; i < r->states.n; i++)
		order[i] = i;
	qsort_r(order, r->states.n, sizeof(*order), state_cmp, (void *)r);
	return order;
}
