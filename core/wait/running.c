// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "wait/running_int.h"

#include <string.h>

#include "base/hash.h"

static u64 growth(u64 from, u64 to)
{
	return to > from ? to - from : 0;
}

/* ---- intervals that have ended ---- */

void waits_add_running(struct waits *w, const struct wait_record *rec)
{
	struct wait_def *d = waits_def_of_record(w, rec);
	const struct wait_sleeper *s = waits_find_sleeper(w, rec->pid, rec->start_time);
	u64 utime = rec->utime, stime = rec->stime, off_ns = rec->off_ns; /* the switch-in */
	struct wait_stretch at = { .weight = 1 };
	const struct wait_credit *c;
	struct wait_values *v;

	waits_know_thread(w, rec->pid, rec->start_time);
	c = waits_credit_of(w, rec->pid, rec->start_time, off_ns, rec->on_ns);
	at.from = waits_uncounted_from(w, rec->pid, rec->start_time, off_ns, rec->on_ns);
	waits_add_part(w, d, &at, off_ns, rec->on_ns, (enum wait_part)WAIT_RUN);
	if (rec->flags & WAIT_TOTALS) {
		utime = s && s->is_running ? growth(s->utime, utime) : 0;
		stime = s && s->is_running ? growth(s->stime, stime) : 0;
	}
	v = waits_values_at(w, d, max_of(off_ns, at.from));
	v->ns[WAIT_UTIME] += growth(c ? c->utime : 0, utime);
	v->ns[WAIT_STIME] += growth(c ? c->stime : 0, stime);
}

/* ---- intervals still open at the cut ---- */

void waits_add_clock(struct waits *w, const struct wait_clock *clock)
{
	vec_push(&w->clocks, *clock);
}

static const struct wait_clock *find_clock(const struct waits *w, u32 pid, u64 start_time)
{
	const struct wait_clock *c;

	vec_for_each(c, &w->clocks)
		if (c->pid == pid && c->start_time == start_time)
			return c;
	return NULL;
}

/* `begin`: the clocks at the switch-in, or at the start of the run. */
static void credit(struct waits *w, u32 entry, u64 on_ns, const struct wait_clock *begin)
{
	const struct wait_clock *now = find_clock(w, begin->pid, begin->start_time);
	struct wait_def *d = waits_def_of(w, entry, NULL, 0, WAIT_END_NONE);
	struct wait_stretch at = { .weight = 1 };
	struct wait_credit *c;
	u64 utime, stime;

	at.from = waits_uncounted_from(w, begin->pid, begin->start_time, on_ns, UINT64_MAX);
	waits_add_part(w, d, &at, on_ns, w->cut_ns, (enum wait_part)WAIT_RUN);
	c = waits_set_credit(w, begin->pid, begin->start_time, on_ns);
	if (!now) /* it was just switched out */
		return;
	utime = growth(begin->utime, now->utime);
	stime = growth(begin->stime, now->stime);
	d->now.ns[WAIT_UTIME] += growth(c->utime, utime);
	d->now.ns[WAIT_STIME] += growth(c->stime, stime);
	c->utime = utime;
	c->stime = stime;
}

/* The identity of the thread's time on CPUs; the hooks create one at its first switch-out. */
static u32 entry_running(struct waits *w, u32 pid, const struct wait_thread *t)
{
	struct raw_stack raw = {
		.id = { hash_mix(pid, t->start_time), WAITS_ID_RUNNING },
		.tgid = t->tgid,
		.tid = t->tid,
		.start_time = t->start_time,
		.is_running = true,
	};

	if (t->run.hash[0] | t->run.hash[1])
		return waits_entry_of(w, &t->run);
	memcpy(raw.comm, t->comm, sizeof(raw.comm));
	return store_intern(w->store, &raw);
}

void waits_credit_running(struct waits *w, u32 pid, const struct wait_thread *t)
{
	const struct wait_clock begin = { pid, t->start_time, t->utime, t->stime };

	credit(w, entry_running(w, pid, t), t->on_ns, &begin);
}

void waits_credit_runner(struct waits *w, const struct wait_sleeper *s)
{
	const struct wait_clock begin = { s->pid, s->start_time, s->utime, s->stime };

	credit(w, s->entry, 0, &begin);
}
