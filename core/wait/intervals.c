// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "wait/intervals.h"

#include <string.h>

#include "base/hash.h"
#include "base/memlimit.h"
#include "wait/running.h"

void waits_init(struct waits *w, const struct waits_conf *conf, struct store *store)
{
	*w = (struct waits){ .conf = *conf, .store = store, .cut_ns = UINT64_MAX };
	vec_push(&w->chains, (struct waker_chain){ 0 });
}

void waits_release(struct waits *w)
{
	vec_release(&w->defs);
	vec_release(&w->links);
	vec_release(&w->path_now);
	vec_release(&w->path_next);
	vec_release(&w->path_taken);
	vec_release(&w->credits);
	vec_release(&w->sleepers);
	vec_release(&w->exits);
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

static void add_path(struct waits *w, const struct wait_def *d, const struct wait_stretch *s,
		     u64 from, u64 to, u32 link)
{
	size_t at = (size_t)(d - w->defs.items) * w->conf.levels + link;

	from = max_of(from, s->from);
	if (from < min_of(to, w->cut_ns))
		w->path_now.items[at] += min_of(to, w->cut_ns) - from;
	from = max_of(from, w->cut_ns);
	if (from < to)
		w->path_next.items[at] += to - from;
}

/* Attribute the wait to its links, from the wake-up back to the switch-out. */
static void add_paths(struct waits *w, const struct wait_def *d, const struct wait_stretch *s,
		      u64 off_ns, const struct wait_link *links, u32 n)
{
	u64 until = n ? links[0].waking_ns : 0;

	for (u32 i = 0; i < n; i++) {
		u64 from = i + 1 < n ? max_of(links[i + 1].waking_ns, off_ns) : off_ns;

		from = min_of(from, until);
		add_path(w, d, s, from, until, i);
		until = from;
	}
}

/* An interval off CPU; on_ns UINT64_MAX: still open, counted up to the cut. */
struct waiting {
	u64 off_ns, waking_ns, on_ns;
	u64 was_on_ns; /* the switch-in before off_ns */
	bool is_ready, is_throttled;
	const struct wait_link *links;
	u32 n_links;
};

static u64 waking_of(const struct waiting *i)
{
	if (i->is_ready)
		return i->off_ns;
	if (!i->waking_ns)
		return i->on_ns;
	if (i->waking_ns >= i->off_ns)
		return min_of(i->waking_ns, i->on_ns);
	return i->waking_ns > i->was_on_ns ? i->off_ns : i->on_ns;
}

static void add_waiting(struct waits *w, struct wait_def *d, const struct wait_stretch *s,
			const struct waiting *i)
{
	enum wait_part rest = WAIT_RUNQUEUE;
	u64 waking = waking_of(i);

	if (i->is_ready)
		rest = i->is_throttled ? WAIT_THROTTLED : WAIT_PREEMPTED;
	waits_add_part(w, d, s, i->off_ns, waking, WAIT_BLOCKED);
	if (!w->conf.levels)
		waits_add_part(w, d, s, waking, i->on_ns, rest);
	if (!w->conf.split)
		waits_add_whole_square(w, d, s, i->off_ns, w->conf.levels ? waking : i->on_ns);
	if (w->conf.want_path)
		add_paths(w, d, s, i->off_ns, i->links, i->n_links);
}

static bool is_counted(const struct waits *w, const struct waiting *i)
{
	u64 until = w->conf.levels ? waking_of(i) : i->on_ns;
	u64 from = max_of(i->off_ns, w->begin_ns);

	if (until < from || (w->conf.levels && until == from))
		return false;
	return until - from >= w->conf.min_ns && until - from <= w->conf.max_ns;
}

/* ---- threads: how far they are counted, when they began ---------------------------------- */

/* It began to match the filter while it was asleep: the start of its wait is not known. */
static bool is_late(struct waits *w, u32 pid, u64 start_time)
{
	const struct wait_sleeper *s = waits_find_sleeper(w, pid, start_time);

	return w->conf.may_change && w->is_scanned && (!s || s->has_ended);
}

u64 waits_born(struct waits *w, u32 pid, const struct wait_thread *t)
{
	const struct wait_sleeper *s = waits_find_sleeper(w, pid, t->start_time);

	if (!t->off_ns && !t->on_ns && is_late(w, pid, t->start_time))
		return UINT64_MAX;
	return s && !s->has_left ? 0 : t->born_ns;
}

u64 waits_leave(struct waits *w, u32 pid, u64 start_time, u64 born_ns)
{
	struct wait_sleeper *s = waits_find_sleeper(w, pid, start_time);

	if (!s || s->has_left)
		return born_ns;
	s->has_left = true;
	return 0;
}

void waits_add_sleeper(struct waits *w, const struct wait_sleeper *sleeper)
{
	index_add(&w->by_sleeper, hash_mix(sleeper->pid, 0), (u32)w->sleepers.n);
	vec_push(&w->sleepers, *sleeper);
}

struct asleep {
	u32 pid, tgid, tid;
	u64 start_time, on_ns;
	const char *comm;
};

/* The stack of a wait that began before the run: from the scan, unless the thread had run by
 * then. */
static u32 entry_asleep(struct waits *w, const struct asleep *a, bool *is_ready)
{
	struct wait_sleeper *s = waits_find_sleeper(w, a->pid, a->start_time);
	struct raw_stack raw = {
		.id = { hash_mix(a->pid, a->start_time), WAITS_ID_ASLEEP },
		.tgid = a->tgid,
		.tid = a->tid,
		.start_time = a->start_time,
		.note = "[asleep before start]",
	};

	if (s) {
		s->is_known = true;
		*is_ready = s->is_ready;
		s->has_ended |= a->on_ns != UINT64_MAX;
		if (s->taken_ns <= a->on_ns)
			return s->entry;
	}
	memcpy(raw.comm, a->comm, sizeof(raw.comm));
	return store_put(w->store, &raw);
}

/* ---- records ----------------------------------------------------------------------------- */

/* True if a wait that began before the run was in one of the wanted states. */
static bool is_first_wanted(struct waits *w, const struct wait_record *rec)
{
	struct wait_sleeper *s = waits_find_sleeper(w, rec->pid, rec->start_time);

	if (s) {
		s->is_known = true;
		return !s->is_unwanted;
	}
	w->n_unseen += w->conf.is_choosy;
	return !w->conf.is_choosy;
}

/* Count a wait in the window in which it ends.  A wait that ended while the cut was made was open
 * at the cut, although its thread was running when it was read. */
static void count_wait(struct waits *w, struct wait_def *d, const struct wait_stretch *s,
		       const struct waiting *i)
{
	u64 end = w->conf.levels ? waking_of(i) : i->on_ns;

	if (end <= w->cut_ns) {
		d->now.count += s->weight;
		return;
	}
	d->next.count += s->weight;
	if (max_of(i->off_ns, s->from) < w->cut_ns) {
		d->now.n_open += s->weight;
		w->n_open++;
	}
}

void waits_add_record(struct waits *w, const struct wait_record *rec)
{
	struct waiting i = {
		.off_ns = rec->off_ns,
		.waking_ns = rec->waking_ns,
		.on_ns = rec->on_ns,
		.was_on_ns = rec->was_on_ns,
		.is_ready = rec->flags & WAIT_READY,
		.is_throttled = rec->flags & WAIT_THROTTLE,
		.links = rec->links,
		.n_links = rec->n_links,
	};
	struct wait_stretch s = { .weight = rec->flags & WAIT_SAMPLED ? w->conf.weight : 1 };
	struct wait_def *d;

	if (rec->flags & WAIT_RUNNING) {
		waits_add_running(w, rec);
		return;
	}
	if (!rec->off_ns && is_late(w, rec->pid, rec->start_time))
		return;
	s.from = waits_uncounted_from(w, rec->pid, rec->start_time, rec->off_ns, rec->on_ns);
	if (!rec->off_ns && !is_first_wanted(w, rec))
		return;
	if (rec->off_ns) {
		d = waits_def_of_record(w, rec);
	} else {
		struct asleep a = { rec->pid,	     rec->tgid,	 rec->tid,
				    rec->start_time, rec->on_ns, rec->comm };
		u32 target = entry_asleep(w, &a, &i.is_ready);

		d = waits_def_of(w, target, rec->links, rec->n_links, rec->end);
	}
	d->is_sampled |= s.weight > 1;
	if (!is_counted(w, &i))
		return;
	add_waiting(w, d, &s, &i);
	count_wait(w, d, &s, &i);
}

void waits_add_exit(struct waits *w, u32 tid, u64 start_time, u64 exit_ns)
{
	vec_push(&w->exits, (struct wait_exit){ tid, start_time, exit_ns });
}

/* ---- open intervals at a cut ------------------------------------------------------------- */

void waits_cut(struct waits *w, u64 cut_ns)
{
	w->cut_ns = cut_ns;
}

/* Count an open interval up to the cut. */
static void credit(struct waits *w, u32 target, const struct waiting *i, u32 end, u32 pid,
		   u64 start_time, u64 weight)
{
	struct wait_stretch s = { waits_uncounted_from(w, pid, start_time, i->off_ns, UINT64_MAX),
				  weight };
	struct wait_def *d;

	w->n_open++;
	/* If it becomes long enough later, this window is already reported, and the time so far is
	 * dropped. */
	if (!is_counted(w, i)) {
		waits_set_credit(w, pid, start_time, i->off_ns)->is_unfit = true;
		return;
	}
	d = waits_def_of(w, target, i->links, i->n_links, (u8)end);
	d->is_sampled |= weight > 1;
	d->now.n_open += weight;
	add_waiting(w, d, &s, i);
	waits_set_credit(w, pid, start_time, i->off_ns);
}

static bool is_unwanted_asleep(struct waits *w, u32 pid, u64 start_time)
{
	const struct wait_sleeper *s = waits_find_sleeper(w, pid, start_time);

	return s ? s->is_unwanted : w->conf.is_choosy;
}

void waits_credit_thread(struct waits *w, u32 pid, const struct wait_thread *t)
{
	struct waiting i = {
		.off_ns = t->off_ns,
		.waking_ns = t->waking_ns,
		.on_ns = w->cut_ns,
		.was_on_ns = t->on_ns,
		.is_ready = t->flags & WAIT_READY,
		.is_throttled = t->flags & WAIT_THROTTLE,
	};
	struct asleep a = { pid, t->tgid, t->tid, t->start_time, UINT64_MAX, t->comm };
	bool is_unseen = !t->off_ns && !t->on_ns, is_woken;
	u32 target;

	waits_know_thread(w, pid, t->start_time);
	waits_touch_thread(w, t);
	if (!(t->flags & WAIT_WANTED) || t->off_ns >= w->cut_ns)
		return;
	if (!t->off_ns && t->on_ns) {
		if (w->conf.want_running && t->on_ns < w->cut_ns)
			waits_credit_running(w, pid, t);
		return;
	}
	if (!is_unseen && !(t->flags & WAIT_TAKEN))
		return;
	if (is_unseen &&
	    (is_unwanted_asleep(w, pid, t->start_time) || is_late(w, pid, t->start_time)))
		return;
	target = is_unseen ? entry_asleep(w, &a, &i.is_ready) : waits_entry_of(w, &t->stack);
	is_woken = t->waking_ns && t->waking_ns >= t->off_ns;
	if (is_woken && w->conf.levels) {
		i.links = t->links;
		i.n_links = t->n_links;
	}
	credit(w, target, &i, is_woken ? t->end : WAIT_END_UNKNOWN, pid, t->start_time,
	       t->flags & WAIT_SAMPLED && !is_unseen ? w->conf.weight : 1);
}

void waits_credit_sleepers(struct waits *w)
{
	struct wait_sleeper *s;

	vec_for_each(s, &w->sleepers) {
		struct waiting i = { .on_ns = w->cut_ns, .is_ready = s->is_ready };

		if (s->is_known || s->is_unwanted)
			continue;
		if (s->is_running)
			waits_credit_runner(w, s);
		else
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
