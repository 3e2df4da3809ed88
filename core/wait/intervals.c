// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "wait/intervals.h"

#include <string.h>

#include "base/hash.h"
#include "base/memlimit.h"
#include "wait/first_int.h"
#include "wait/running_int.h"

void waits_init(struct waits *w, const struct waits_conf *conf, struct store *store)
{
	*w = (struct waits){
		.conf = *conf,
		.store = store,
		.cut_ns = UINT64_MAX,
		.next_cut_ns = UINT64_MAX,
	};
	vec_push(&w->chains, (struct waker_chain){ 0 });
}

void waits_release(struct waits *w)
{
	vec_release(&w->defs);
	vec_release(&w->links);
	vec_release(&w->path_now);
	vec_release(&w->path_next);
	vec_release(&w->path_taken);
	vec_release(&w->later);
	vec_release(&w->path_later);
	vec_release(&w->whole);
	vec_release(&w->credits);
	vec_release(&w->sleepers);
	vec_release(&w->exits);
	vec_release(&w->pieces);
	vec_release(&w->clocks);
	vec_release(&w->chains);
	vec_release(&w->shown);
	index_release(&w->by_id);
	index_release(&w->by_credit);
	index_release(&w->by_sleeper);
}

void waits_begin(struct waits *w, u64 now_ns)
{
	w->begin_ns = w->start_ns = now_ns;
}

void waits_due(struct waits *w, u64 due_ns)
{
	w->cut_ns = due_ns;
}

/* ---- dividing time between windows ------------------------------------------------------- */

/* Attribute the wait to its links, from the wake-up back to the switch-out. */
static void add_paths(struct waits *w, struct wait_def *d, const struct wait_stretch *s, u64 off_ns,
		      const struct wait_link *links, u32 n)
{
	u64 until = n ? links[0].waking_ns : 0;

	for (u32 i = 0; i < n; i++) {
		u64 from = i + 1 < n ? max_of(links[i + 1].waking_ns, off_ns) : off_ns;

		from = min_of(from, until);
		waits_add_path(w, d, s, from, until, i);
		until = from;
	}
}

/* An interval off CPU: blocked until woken_ns, then waiting for a CPU. */
struct off_interval {
	u64 off_ns, woken_ns;
	u64 on_ns;	     /* the cut, if the interval is open */
	enum wait_part rest; /* part of the time after woken_ns */
	const struct wait_link *links;
	u32 n_links;
};

/* The part of the time off CPU in which the thread was runnable. */
static enum wait_part rest_of(u8 flags)
{
	if (!(flags & WAIT_READY))
		return WAIT_RUNQUEUE;
	return flags & WAIT_THROTTLE ? WAIT_THROTTLED : WAIT_PREEMPTED;
}

/* The time at which the thread became runnable, for a wait that began with a switch-out.
 * `was_on_ns`: the switch-in before that. */
static u64 woken_of(const struct off_interval *i, u8 flags, u64 waking_ns, u64 was_on_ns)
{
	if (flags & WAIT_READY)
		return i->off_ns;
	if (!waking_ns)
		return i->on_ns;
	if (waking_ns >= i->off_ns)
		return min_of(waking_ns, i->on_ns);
	return waking_ns > was_on_ns ? i->off_ns : i->on_ns;
}

/* Set the times of a wait that began before the run. */
static void set_first(struct off_interval *i, const struct first_wait *f, enum first_kind kind)
{
	if (kind == FIRST_ASLEEP) {
		i->woken_ns = f->waking_ns ? min_of(f->waking_ns, i->on_ns) : i->on_ns;
		i->rest = WAIT_RUNQUEUE;
	} else {
		i->woken_ns = i->off_ns;
		i->rest = kind == FIRST_PREEMPTED ? WAIT_PREEMPTED : WAIT_RUNQUEUE;
	}
}

static void add_waiting(struct waits *w, struct wait_def *d, const struct wait_stretch *s,
			const struct off_interval *i)
{
	waits_add_part(w, d, s, i->off_ns, i->woken_ns, WAIT_BLOCKED);
	if (!w->conf.levels)
		waits_add_part(w, d, s, i->woken_ns, i->on_ns, i->rest);
	if (!w->conf.split)
		waits_add_whole_square(w, d, s, i->off_ns, w->conf.levels ? i->woken_ns : i->on_ns);
	if (w->conf.want_path)
		add_paths(w, d, s, i->off_ns, i->links, i->n_links);
}

/* The end of the counted time: with wakers, only blocked time is counted. */
static u64 end_of(const struct waits *w, const struct off_interval *i)
{
	return w->conf.levels ? i->woken_ns : i->on_ns;
}

static bool is_counted(const struct waits *w, const struct off_interval *i)
{
	u64 from = max_of(i->off_ns, w->begin_ns), until = end_of(w, i);

	if (until < from || (w->conf.levels && until == from))
		return false;
	return until - from >= w->conf.min_ns && until - from <= w->conf.max_ns;
}

/* ---- threads: how far they are counted, when they began ---------------------------------- */

/* A thread that the scan has found existed before the kernel side met it, unless its life began
 * then. */
static u64 born_of(const struct wait_sleeper *s, const struct wait_thread *t)
{
	return s && !s->has_left && !t->is_begun ? 0 : t->born_ns;
}

u64 waits_born(struct waits *w, u32 pid, const struct wait_thread *t)
{
	if (!t->off_ns && !t->on_ns && waits_is_late(w, pid, t->start_time))
		return UINT64_MAX;
	return born_of(waits_find_sleeper(w, pid, t->start_time), t);
}

u64 waits_leave(struct waits *w, u32 pid, const struct wait_thread *t)
{
	struct wait_sleeper *s = waits_find_sleeper(w, pid, t->start_time);
	u64 born_ns = born_of(s, t);

	if (s && !s->has_left)
		s->is_known = s->has_left = true;
	return born_ns;
}

void waits_add_sleeper(struct waits *w, const struct wait_sleeper *sleeper)
{
	index_add(&w->by_sleeper, hash_mix(sleeper->pid, 0), (u32)w->sleepers.n);
	vec_push(&w->sleepers, *sleeper);
}

/* ---- records ----------------------------------------------------------------------------- */

/* --finished: true if the wait was not over at the cut.  Its time until then appears only in the
 * ledger. */
static bool is_left_out(struct waits *w, const struct off_interval *i, u64 weight)
{
	u64 from = max_of(i->off_ns, w->start_ns);

	if (!w->conf.finished || end_of(w, i) < w->cut_ns)
		return false;
	if (from < w->cut_ns)
		w->left_ns += (w->cut_ns - from) * weight;
	return true;
}

/* Count a wait in the window in which it ends.  A wait that ended during the cut was open at the
 * cut, although its thread was running when it was read. */
static void count_wait(struct waits *w, struct wait_def *d, const struct wait_stretch *s,
		       const struct off_interval *i)
{
	u64 from = max_of(i->off_ns, s->from), end = end_of(w, i);

	waits_values_at(w, d, end ? end - 1 : 0)->count += s->weight;
	if (end > w->cut_ns && from < w->cut_ns) {
		d->now.n_open += s->weight;
		w->n_open++;
	}
}

/* The identity of a wait that began before the run; NULL: it is not counted. */
static struct wait_def *def_of_first(struct waits *w, const struct wait_record *rec,
				     struct off_interval *i)
{
	const struct first_wait f = { rec->pid,	      rec->tgid,  rec->tid,   rec->start_time,
				      rec->waking_ns, rec->on_ns, rec->flags, rec->comm };
	enum first_kind kind;

	if (waits_is_late(w, rec->pid, rec->start_time))
		return NULL;
	kind = waits_first_kind(w, &f);
	if (kind == FIRST_NONE)
		return NULL;
	set_first(i, &f, kind);
	return waits_def_of(w, waits_first_entry(w, &f, kind), rec->links, rec->n_links, rec->end);
}

static void add_wait(struct waits *w, const struct wait_record *rec)
{
	struct off_interval i = {
		.off_ns = rec->off_ns,
		.on_ns = rec->on_ns,
		.rest = rest_of(rec->flags),
		.links = rec->links,
		.n_links = rec->n_links,
	};
	struct wait_stretch s = { .weight = rec->flags & WAIT_SAMPLED ? w->conf.weight : 1 };
	struct wait_def *d;

	s.from = waits_uncounted_from(w, rec->pid, rec->start_time, rec->off_ns, rec->on_ns);
	i.woken_ns = woken_of(&i, rec->flags, rec->waking_ns, rec->was_on_ns);
	d = rec->off_ns ? waits_def_of_record(w, rec) : def_of_first(w, rec, &i);
	if (!d)
		return;
	d->is_sampled |= s.weight > 1;
	if (!is_counted(w, &i))
		return;
	if (end_of(w, &i) > w->cut_ns && max_of(i.off_ns, s.from) < w->cut_ns &&
	    is_left_out(w, &i, s.weight)) {
		s.from = w->cut_ns;
		w->n_open++;
	}
	add_waiting(w, d, &s, &i);
	count_wait(w, d, &s, &i);
}

void waits_add_record(struct waits *w, const struct wait_record *rec)
{
	if (rec->flags & WAIT_RUNNING)
		waits_add_running(w, rec);
	else
		add_wait(w, rec);
}

void waits_add_exit(struct waits *w, u32 tid, u64 start_time, u64 exit_ns)
{
	vec_push(&w->exits, (struct wait_exit){ tid, start_time, exit_ns });
}

/* ---- open intervals at a cut ------------------------------------------------------------- */

void waits_cut(struct waits *w, u64 cut_ns, u64 next_cut_ns)
{
	w->cut_ns = cut_ns;
	w->next_cut_ns = next_cut_ns;
}

/* Blocked from the start of the window, or before, to the cut. */
static bool is_whole(const struct waits *w, const struct off_interval *i)
{
	return i->off_ns <= w->start_ns && i->woken_ns >= w->cut_ns;
}

/* Count an open interval up to the cut. */
static void credit(struct waits *w, u32 waiter, const struct off_interval *i, u32 end, u32 pid,
		   u64 start_time, u64 weight)
{
	struct wait_stretch s = { waits_uncounted_from(w, pid, start_time, i->off_ns, UINT64_MAX),
				  weight, is_whole(w, i) };
	struct wait_def *d;

	w->n_open++;
	/* If the wait becomes long enough later, this window has already been reported, and the
	 * time so far is dropped. */
	if (!is_counted(w, i) || is_left_out(w, i, weight)) {
		waits_set_credit(w, pid, start_time, i->off_ns)->is_unfit = true;
		return;
	}
	if (i->woken_ns >= w->cut_ns)
		end = WAIT_END_OPEN;
	d = waits_def_of(w, waiter, i->links, i->n_links, (u8)end);
	d->is_sampled |= weight > 1;
	waits_window_of(w, d, &s)->n_open += weight;
	add_waiting(w, d, &s, i);
	waits_set_credit(w, pid, start_time, i->off_ns)->is_whole = s.is_whole;
}

/* A thread that was woken after the hooks were attached, and has not run since. */
static void credit_first(struct waits *w, u32 pid, const struct wait_thread *t,
			 struct off_interval *i)
{
	const struct first_wait f = { pid,	    t->tgid,	t->tid,	  t->start_time,
				      t->waking_ns, UINT64_MAX, t->flags, t->comm };
	enum first_kind kind;

	if (waits_is_late(w, pid, t->start_time))
		return;
	kind = waits_first_kind(w, &f);
	if (kind == FIRST_RUNNING && w->conf.want_running)
		waits_credit_runner(w, waits_find_sleeper(w, pid, t->start_time));
	if (kind == FIRST_NONE || kind == FIRST_RUNNING)
		return;
	set_first(i, &f, kind);
	credit(w, waits_first_entry(w, &f, kind), i, t->end, pid, t->start_time, 1);
}

void waits_credit_thread(struct waits *w, u32 pid, const struct wait_thread *t)
{
	struct off_interval i = {
		.off_ns = t->off_ns,
		.on_ns = w->cut_ns,
		.rest = rest_of(t->flags),
	};
	bool is_woken = t->waking_ns && t->waking_ns >= t->off_ns && t->waking_ns < w->cut_ns;

	waits_know_thread(w, pid, t->start_time);
	waits_touch_thread(w, t);
	if (!(t->flags & WAIT_WANTED) || t->off_ns >= w->cut_ns)
		return;
	if (!t->off_ns && t->on_ns) {
		if (w->conf.want_running && t->on_ns < w->cut_ns)
			waits_credit_running(w, pid, t);
		return;
	}
	if (is_woken && w->conf.levels) {
		i.links = t->links;
		i.n_links = t->n_links;
	}
	if (!t->off_ns) {
		credit_first(w, pid, t, &i);
		return;
	}
	if (!(t->flags & WAIT_TAKEN))
		return;
	i.woken_ns = woken_of(&i, t->flags, t->waking_ns, t->on_ns);
	credit(w, waits_entry_of(w, &t->stack), &i, is_woken ? t->end : WAIT_END_UNKNOWN, pid,
	       t->start_time, t->flags & WAIT_SAMPLED ? w->conf.weight : 1);
}

void waits_credit_sleepers(struct waits *w)
{
	struct wait_sleeper *s;

	vec_for_each(s, &w->sleepers) {
		struct off_interval i = {
			.woken_ns = s->is_ready ? 0 : w->cut_ns,
			.on_ns = w->cut_ns,
			.rest = s->is_woken ? WAIT_RUNQUEUE : WAIT_PREEMPTED,
		};

		if (s->is_known || s->is_unwanted)
			continue;
		if (s->is_running && w->conf.want_running)
			waits_credit_runner(w, s);
		else if (!s->is_running)
			credit(w, s->entry, &i, WAIT_END_UNKNOWN, s->pid, s->start_time, 1);
	}
}

/* ---- the kernel's sums ------------------------------------------------------------------- */

bool waits_take_sum(struct waits *w, const struct stack_id *id, const struct wait_sum *sum,
		    u32 parities)
{
	struct wait_def *d = waits_find_def(w, (const u64 *)id->hash);
	const double scale = (double)((u64)1 << 2 * WAIT_SQUARE_SHIFT);
	u64 weight;

	if (!d)
		return false;
	/* --sample never thins out CPU samples and births. */
	weight = d->is_sampled ? w->conf.weight : 1;
	for (u32 p = 0; p < 2; p++) {
		if (!(parities >> p & 1))
			continue;
		d->now.count += (sum->count[p] - d->taken.count[p]) * weight;
		for (u32 i = 0; i < WAIT_N_PARTS; i++) {
			d->now.ns[i] += (sum->ns[p][i] - d->taken.ns[p][i]) * weight;
			d->now.squares[i] +=
				(double)(sum->squares[p][i] - d->taken.squares[p][i]) * scale;
		}
		d->taken.count[p] = sum->count[p];
		memcpy(d->taken.ns[p], sum->ns[p], sizeof(sum->ns[p]));
		memcpy(d->taken.squares[p], sum->squares[p], sizeof(sum->squares[p]));
	}
	return true;
}

void waits_take_path(struct waits *w, const struct stack_id *id, const struct wait_path *path,
		     u32 parities)
{
	struct wait_def *d = waits_find_def(w, (const u64 *)id->hash);
	size_t at;

	if (!d)
		return;
	at = (size_t)(d - w->defs.items) * w->conf.levels;
	for (u32 i = 0; i < w->conf.levels; i++)
		for (u32 p = 0; p < 2; p++) {
			u64 *taken = &w->path_taken.items[2 * (at + i) + p];

			if (!(parities >> p & 1))
				continue;
			w->path_now.items[at + i] += path->ns[p][i] - *taken;
			*taken = path->ns[p][i];
		}
}
