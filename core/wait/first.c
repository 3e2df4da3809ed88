// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "wait/first_int.h"

#include <string.h>

#include "base/hash.h"

bool waits_is_late(struct waits *w, u32 pid, u64 start_time)
{
	const struct wait_sleeper *s = waits_find_sleeper(w, pid, start_time);

	return w->conf.may_change && w->is_scanned && (!s || s->has_ended);
}

static enum first_kind unseen(struct waits *w)
{
	w->n_unseen++;
	return FIRST_NONE;
}

/* The scan saw the thread in this wait, or running. */
static enum first_kind kind_by_scan(struct waits *w, const struct first_wait *f,
				    const struct wait_sleeper *s)
{
	bool is_open = f->on_ns == UINT64_MAX;

	if (s->is_running && is_open)
		return FIRST_RUNNING;
	if (s->is_running) /* its switch-out was missed, or did not match the filter */
		return w->conf.may_change ? FIRST_NONE : unseen(w);
	if (s->is_unwanted)
		return FIRST_NONE;
	if (s->is_ready)
		return s->is_woken ? FIRST_QUEUED : FIRST_PREEMPTED;
	w->n_unseen += !is_open && !f->waking_ns; /* its wake-up was not seen */
	return FIRST_ASLEEP;
}

/*
 * The scan came too late, or the thread had ended by then.  The hooks see every wake-up: a thread
 * that was switched in without one was waiting for a CPU when they were attached.
 */
static enum first_kind kind_by_events(struct waits *w, const struct first_wait *f)
{
	if (f->waking_ns && !(f->flags & WAIT_TAKEN))
		return FIRST_NONE;
	if (f->waking_ns)
		return f->flags & WAIT_READY ? FIRST_QUEUED : FIRST_ASLEEP;
	if (!w->conf.wants_ready)
		return FIRST_NONE;
	return w->conf.has_cpus ? unseen(w) : FIRST_QUEUED;
}

enum first_kind waits_first_kind(struct waits *w, const struct first_wait *f)
{
	struct wait_sleeper *s = waits_find_sleeper(w, f->pid, f->start_time);
	u64 event_ns = f->waking_ns ? f->waking_ns : f->on_ns;
	bool has_ended = s && s->has_ended;

	if (s) {
		s->is_known = true;
		s->has_ended |= f->on_ns != UINT64_MAX;
	}
	if (has_ended) /* a later switch-out was not seen */
		return unseen(w);
	return s && s->taken_ns <= event_ns ? kind_by_scan(w, f, s) : kind_by_events(w, f);
}

u32 waits_first_entry(struct waits *w, const struct first_wait *f, enum first_kind kind)
{
	const struct wait_sleeper *s = waits_find_sleeper(w, f->pid, f->start_time);
	bool is_queued = kind == FIRST_QUEUED;
	struct raw_stack raw = {
		.id = { hash_mix(f->pid, f->start_time),
			is_queued ? WAITS_ID_QUEUED : WAITS_ID_ASLEEP },
		.tgid = f->tgid,
		.tid = f->tid,
		.start_time = f->start_time,
		.note = is_queued ? "[runnable before start]" : "[asleep before start]",
	};

	if (s && s->taken_ns <= f->on_ns)
		return s->entry;
	memcpy(raw.comm, f->comm, sizeof(raw.comm));
	return store_intern(w->store, &raw);
}
