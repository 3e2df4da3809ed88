// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "wait/states.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "wait/account_int.h"
#include "wait/classify.h"

void states_release(struct states *s)
{
	vec_release(&s->threads);
	vec_release(&s->later);
}

/* Clip the thread's life to the window, if they overlap. */
static void add_in_window(struct states *s, const struct states_thread *thread)
{
	const struct waits *w = s->waits;
	struct states_thread t = *thread;
	u64 from = t.begin_ns > w->start_ns ? t.begin_ns : w->start_ns;
	u64 to = t.exit_ns < w->cut_ns ? t.exit_ns : w->cut_ns;

	t.wall_ns = to > from ? to - from : 0;
	if (t.begin_ns < w->cut_ns)
		vec_push(&s->threads, t);
}

void states_add_thread(struct states *s, const struct states_life *life)
{
	struct states_thread t = {
		.tgid = life->tgid,
		.tid = life->tid,
		.start_time = life->start_time,
		.begin_ns = life->born_ns ? life->born_ns : life->start_time,
		.exit_ns = life->exit_ns,
	};

	snprintf(t.comm, sizeof(t.comm), "%.*s", (int)sizeof(t.comm) - 1, life->comm);
	add_in_window(s, &t);
	if (t.exit_ns != UINT64_MAX && t.exit_ns > s->waits->cut_ns)
		vec_push(&s->later, t);
}

void states_add_sleepers(struct states *s)
{
	const struct store *store = s->waits->store;
	const struct wait_sleeper *t;

	vec_for_each(t, &s->waits->sleepers) {
		const struct store_entry *e = &store->entries.items[t->entry];
		const struct store_owner *o = &store->owners.items[e->owner];

		if (!t->is_known)
			states_add_thread(s, &(struct states_life){ .tgid = o->tgid,
								    .tid = o->tid,
								    .start_time = t->start_time,
								    .exit_ns = UINT64_MAX,
								    .comm = o->comm });
	}
}

/* ---- rows -------------------------------------------------------------------------------- */

struct row {
	struct state_row state;
	u32 id;	  /* tid or tgid */
	u64 life; /* start of the thread or process: tells reused numbers apart */
	u64 utime, stime;
	const char *comm; /* interned; NULL: it did not run */
	bool has_name;
	const struct states_thread *first; /* one of its threads, the first one if listed */
};

struct rows {
	VEC(struct row) v;
	struct index by_id;
};

/* The start of a thread's process, which is that of its first thread: the latest one with that
 * number that is not later than the thread.  0: the first thread is gone or not watched. */
static u64 life_of(const struct states *s, u32 tgid, u64 start_time)
{
	size_t lo = 0, hi = s->threads.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct states_thread *t = &s->threads.items[mid];

		if (t->tid < tgid || (t->tid == tgid && t->start_time <= start_time))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && s->threads.items[lo - 1].tid == tgid ? s->threads.items[lo - 1].start_time : 0;
}

/* A reused number gets a row of its own. */
static struct row *row_of(struct rows *rows, const struct states *s, u32 tgid, u32 tid,
			  u64 start_time)
{
	const struct row want = {
		.id = s->by_thread ? tid : tgid,
		.life = s->by_thread ? start_time : life_of(s, tgid, start_time),
	};
	u64 hash = hash_mix(want.id, want.life);
	size_t at = 0;
	u32 i;

	while (rows->v.items && index_next(&rows->by_id, hash, &at, &i)) {
		struct row *r = &rows->v.items[i];

		if (r->id == want.id && r->life == want.life)
			return r;
	}
	index_add(&rows->by_id, hash, (u32)rows->v.n);
	vec_push(&rows->v, want);
	return &rows->v.items[rows->v.n - 1];
}

static void add_running(struct row *r, const struct wait_def *d, const char *comm)
{
	r->comm = comm;
	r->state.ns[STATE_SYSTEM] += d->now.ns[WAIT_RUN];
	r->utime += d->now.ns[WAIT_UTIME];
	r->stime += d->now.ns[WAIT_STIME];
}

static void add_waiting(struct row *r, const struct wait_values *v, enum state_column kind)
{
	r->state.ns[kind] += v->ns[WAIT_BLOCKED];
	r->state.ns[STATE_WAITING] += v->ns[WAIT_RUNQUEUE];
	r->state.ns[STATE_PREEMPTED] += v->ns[WAIT_PREEMPTED];
	r->state.ns[STATE_THROTTLED] += v->ns[WAIT_THROTTLED];
}

static void add_def(struct rows *rows, const struct states *s, const struct wait_def *d,
		    const struct store_view *view, const struct report *out)
{
	struct store *store = s->waits->store;
	const struct store_entry *e = &store->entries.items[d->waiter];
	const struct store_owner *o = &store->owners.items[e->owner];
	const struct wait_values *whole = waits_whole_of(s->waits, d);
	struct row *r = row_of(rows, s, o->tgid, o->tid, o->start_time);
	enum state_column kind = wait_kind(out, e->kernel, o->marks);

	/* A process is named after its first thread, and both by their latest name. */
	if (s->by_thread || o->tid == o->tgid || !r->has_name)
		r->state.task = store_task(store, d->waiter, view);
	r->has_name = true;
	if (o->marks & STORE_RUNNING)
		add_running(r, d, o->comm);
	else
		add_waiting(r, &d->now, kind);
	if (whole)
		add_waiting(r, whole, kind);
}

static bool has_values(const struct wait_def *d)
{
	for (u32 i = 0; i < WAIT_N_PARTS; i++)
		if (d->now.ns[i])
			return true;
	return d->whole;
}

/* The kernel's user and system time of all processes with a name. */
struct named_ticks {
	const char *comm;
	u64 utime, stime;
};

struct ticks {
	VEC(struct named_ticks) v;
	struct index by_name;
};

static struct named_ticks *ticks_of(struct ticks *t, const char *comm)
{
	u64 hash = hash_u64((uintptr_t)comm);
	size_t at = 0;
	u32 i;

	while (t->v.items && index_next(&t->by_name, hash, &at, &i))
		if (t->v.items[i].comm == comm)
			return &t->v.items[i];
	index_add(&t->by_name, hash, (u32)t->v.n);
	vec_push(&t->v, (struct named_ticks){ .comm = comm });
	return &t->v.items[t->v.n - 1];
}

static void add_ticks(struct ticks *t, const struct row *r)
{
	struct named_ticks *same = ticks_of(t, r->comm);

	same->utime += r->utime;
	same->stime += r->stime;
}

/*
 * Divide the measured running time in the ratio of the kernel's user and system time.  The kernel
 * charges a whole tick to whatever it interrupts, so that most processes that live shorter than
 * that have neither, and a few have all: those without are divided like all of their name.
 */
static void divide_running(struct row *r, struct ticks *ticks)
{
	u64 run = r->state.ns[STATE_SYSTEM];
	struct named_ticks t = { NULL, r->utime, r->stime };
	u64 all, user;

	if (!t.utime && !t.stime)
		t = *ticks_of(ticks, r->comm);
	all = t.utime + t.stime;
	user = all ? (u64)((double)run * (double)t.utime / (double)all) : 0;
	r->state.ns[STATE_USER] = user < run ? user : run;
	r->state.ns[STATE_SYSTEM] = run - r->state.ns[STATE_USER];
}

static int by_life(const void *a, const void *b)
{
	const struct states_thread *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->start_time != y->start_time)
		return x->start_time < y->start_time ? -1 : 1;
	if (x->begin_ns != y->begin_ns)
		return x->begin_ns < y->begin_ns ? -1 : 1;
	return x->wall_ns > y->wall_ns ? -1 : x->wall_ns < y->wall_ns;
}

/* A thread that ends while the table is read may be listed twice, as alive and as ended; it is
 * counted once.  A thread that took over its number in exec continues as the same thread. */
static void add_walls(struct rows *rows, struct states *s)
{
	const struct states_thread *t, *last = NULL;

	vec_for_each(t, &s->threads) {
		bool is_same = last && last->tid == t->tid && last->start_time == t->start_time;
		struct row *r;

		if (is_same && last->begin_ns == t->begin_ns)
			continue;
		last = t;
		r = row_of(rows, s, t->tgid, t->tid, t->start_time);
		r->state.wall_ns += t->wall_ns;
		r->state.n_threads += !is_same;
		if (!r->first || t->tid == t->tgid)
			r->first = t;
	}
}

/* No stack of the row's threads has arrived, so their name is taken from the thread table. */
static void name_unseen(const struct states *s, struct row *r, const struct store_view *view)
{
	const struct states_thread *t = r->first;
	struct raw_stack raw = {
		.id = { hash_mix(t->tid, t->start_time), WAITS_ID_UNSEEN },
		.tgid = t->tgid,
		.tid = t->tid,
		.start_time = t->start_time,
	};

	memcpy(raw.comm, t->comm, sizeof(raw.comm));
	r->state.task = store_task(s->waits->store, store_intern(s->waits->store, &raw), view);
}

/* An unseen switch leaves a gap.  A gap below 1 % is tolerated.  If nothing was lost, a gap is a
 * bug in bperf: it is not shown as unseen, so that the bug is visible. */
static void find_unseen(const struct states *s, struct state_row *r)
{
	u64 sum = 0;

	for (u32 i = 0; i < STATE_N_COLUMNS; i++)
		sum += r->ns[i];
	if (s->has_losses && sum < r->wall_ns - r->wall_ns / 100)
		r->ns[STATE_UNSEEN] = r->wall_ns - sum;
}

static bool has_time(const struct state_row *r)
{
	for (u32 i = 0; i < STATE_N_COLUMNS; i++)
		if (r->ns[i])
			return true;
	return false;
}

/* Threads that ended after the last cut, and are not in the kernel side's table any more. */
static void add_earlier(struct states *s)
{
	const struct states_thread *t;

	vec_for_each(t, &s->later)
		add_in_window(s, t);
}

static void begin_window(struct states *s, bool is_snapshot)
{
	size_t n = 0;

	if (!is_snapshot)
		s->threads.n = 0;
	for (size_t i = 0; i < s->later.n; i++)
		if (s->later.items[i].exit_ns > s->waits->cut_ns)
			s->later.items[n++] = s->later.items[i];
	s->later.n = n;
}

void states_report(struct states *s, const struct store_view *view, struct report *out)
{
	struct rows rows = { 0 };
	struct ticks ticks = { 0 };
	struct wait_def *d;
	struct row *r;

	store_begin_report(s->waits->store);
	store_end_report(s->waits->store, out);
	add_earlier(s);
	if (s->threads.n)
		qsort(s->threads.items, s->threads.n, sizeof(*s->threads.items), by_life);
	vec_for_each(d, &s->waits->defs)
		if (has_values(d))
			add_def(&rows, s, d, view, out);
	add_walls(&rows, s);
	vec_for_each(r, &rows.v)
		add_ticks(&ticks, r);
	vec_for_each(r, &rows.v) {
		divide_running(r, &ticks);
		find_unseen(s, &r->state);
		/* A thread that was born and ended between two scans has wall time only. */
		if (!r->state.wall_ns || !has_time(&r->state))
			continue;
		if (!r->has_name)
			name_unseen(s, r, view);
		vec_push(&out->states, r->state);
		out->total += r->state.wall_ns;
	}
	store_end_report(s->waits->store, out);
	out->kind = REPORT_STATES;
	out->n_open = s->waits->n_open;
	begin_window(s, view->is_snapshot);
	vec_release(&rows.v);
	index_release(&rows.by_id);
	vec_release(&ticks.v);
	index_release(&ticks.by_name);
}
