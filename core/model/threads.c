// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Relates the threads of a report to each other, and puts them in order. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "model/order.h"
#include "model/report.h"

const char *const thread_role_names[THREAD_N_ROLES] = {
	[THREAD_OWNER] = "owner",
	[THREAD_PEER] = "peer",
	[THREAD_CHILD] = "child",
	[THREAD_JOINED] = "joined",
};

/* ---- relations ---- */

static u32 find_owner(const struct report *r, const struct index *by_tid,
		      const struct thread_other *o)
{
	size_t at = 0;
	u32 i;

	if (o->role != THREAD_OWNER)
		return 0;
	while (index_next(by_tid, hash_u64((u64)o->tid), &at, &i))
		if (r->threads.items[i].tid == o->tid && r->threads.items[i].pid == o->pid)
			return i + 1;
	return 0;
}

/* Follow the owners from each row.  A row that the same walk meets again is in a circle. */
static void find_circles(struct report *r)
{
	u32 *walk = mem_alloc(r->threads.n + 1, sizeof(*walk)); /* the walk that met it; 0: none */

	for (u32 i = 0; i < r->threads.n; i++) {
		u32 at = i + 1;

		while (at && !walk[at - 1]) {
			walk[at - 1] = i + 1;
			at = r->threads.items[at - 1].owner;
		}
		if (!at || walk[at - 1] != i + 1)
			continue;
		for (; !r->threads.items[at - 1].is_deadlocked; at = r->threads.items[at - 1].owner)
			r->threads.items[at - 1].is_deadlocked = true;
	}
	free(walk);
}

void report_relate_threads(struct report *r)
{
	struct index by_tid = { 0 };
	struct thread_row *t;

	for (u32 i = 0; i < r->threads.n; i++)
		index_add(&by_tid, hash_u64((u64)r->threads.items[i].tid), i);
	vec_for_each(t, &r->threads) {
		t->n_blocked = 0;
		t->is_deadlocked = false;
	}
	vec_for_each(t, &r->threads) {
		t->owner = find_owner(r, &by_tid, &t->other);
		if (t->owner)
			r->threads.items[t->owner - 1].n_blocked++;
	}
	find_circles(r);
	index_release(&by_tid);
}

/* ---- order ---- */

/* Those that use a CPU, want one, or stand still in the kernel first; those that wait for work
 * last. */
static const char *const states_in_order[] = {
	"running", "waiting", "throttled", "fault", "disk",  "lock", "futex", "stopped",   "traced",
	"frozen",  "network", "pipe",	   "other", "child", "poll", "sleep", "condition",
};

static u32 rank_of(const struct thread_row *t)
{
	u32 i = 0;

	while (i < ARRAY_SIZE(states_in_order) && strcmp(states_in_order[i], t->state) != 0)
		i++;
	return i;
}

/* Looks the same to the reader: equal, unless it says so. */
struct looks {
	const struct report *r;
	const u32 *paths; /* rank of the path to each node */
};

static u32 path_of(const struct looks *l, u32 node)
{
	return node ? l->paths[node] : 0;
}

/* The look that distinguishes groups; after the process and its own rank. */
static int look_cmp(const struct looks *l, const struct thread_row *a, const struct thread_row *b)
{
	const struct stack_row *x = &l->r->stacks.items[a->stack];
	const struct stack_row *y = &l->r->stacks.items[b->stack];
	int c = num_cmp(rank_of(a), rank_of(b));

	c = c ? c : text_cmp(a->state, b->state);
	c = c ? c : (a->letter == 'D') - (b->letter == 'D');
	c = c ? c : num_cmp(path_of(l, x->kernel), path_of(l, y->kernel));
	c = c ? c : num_cmp(path_of(l, x->user), path_of(l, y->user));
	c = c ? c : num_cmp(a->other.role, b->other.role);
	c = c ? c : signed_cmp(a->other.pid, b->other.pid);
	return c ? c : signed_cmp(a->other.tid, b->other.tid);
}

/* Trouble first, then what holds up others. */
static int place_cmp(const struct thread_row *a, const struct thread_row *b)
{
	int c = signed_cmp(a->pid, b->pid);

	c = c ? c : num_cmp(b->is_deadlocked, a->is_deadlocked);
	return c ? c : num_cmp(b->n_blocked, a->n_blocked);
}

static int row_cmp(const void *a, const void *b, void *ctx)
{
	const struct looks *l = ctx;
	const struct thread_row *x = &l->r->threads.items[*(const u32 *)a];
	const struct thread_row *y = &l->r->threads.items[*(const u32 *)b];
	int c = place_cmp(x, y);

	if (!c && !x->is_deadlocked)
		c = look_cmp(l, x, y);
	return c ? c : signed_cmp(x->tid, y->tid);
}

static bool is_same_group(const struct looks *l, const struct thread_row *a,
			  const struct thread_row *b)
{
	return !place_cmp(a, b) && !look_cmp(l, a, b) && !a->is_deadlocked;
}

static void add_age(struct thread_group *g, const struct thread_row *t)
{
	if (t->age_ns == THREAD_AGE_UNKNOWN)
		return;
	g->youngest_ns = t->age_ns < g->youngest_ns ? t->age_ns : g->youngest_ns;
	if (g->oldest_ns == THREAD_AGE_UNKNOWN || t->age_ns > g->oldest_ns)
		g->oldest_ns = t->age_ns;
}

void report_group_threads(const struct report *r, bool by_thread, struct thread_groups *out)
{
	u32 *ranks = report_looks(r, BY_TEXT), *paths = report_paths(r, ranks);
	struct looks looks = { r, paths };
	const struct thread_row *before = NULL, *t;
	struct thread_group *g;

	*out = (struct thread_groups){ .order = mem_alloc(r->threads.n + 1, sizeof(u32)) };
	for (u32 i = 0; i < r->threads.n; i++)
		out->order[i] = i;
	qsort_r(out->order, r->threads.n, sizeof(u32), row_cmp, &looks);
	for (u32 i = 0; i < r->threads.n; i++, before = t) {
		t = &r->threads.items[out->order[i]];
		if (by_thread || !before || !is_same_group(&looks, before, t))
			vec_push(&out->v, (struct thread_group){ i, 0, THREAD_AGE_UNKNOWN,
								 THREAD_AGE_UNKNOWN });
		g = &out->v.items[out->v.n - 1];
		g->n++;
		add_age(g, t);
	}
	free(ranks);
	free(paths);
}

void thread_groups_release(struct thread_groups *g)
{
	free(g->order);
	vec_release(&g->v);
}
