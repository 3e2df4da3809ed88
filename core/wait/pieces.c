// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "wait/pieces_int.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/memlimit.h"
#include "model/order.h"
#include "wait/account_int.h"
#include "wait/classify.h"

static const char *const states[WAIT_N_PARTS] = {
	[WAIT_BLOCKED] = "blocked",
	[WAIT_RUNQUEUE] = "waiting for CPU",
	[WAIT_PREEMPTED] = "preempted",
	[WAIT_THROTTLED] = "throttled",
};

void waits_keep_piece(struct waits *w, const struct wait_def *d, u64 from, u64 to,
		      enum wait_part part)
{
	if (from >= to)
		return;
	if (mem_is_over()) {
		w->n_untimed++;
		return;
	}
	vec_push(&w->pieces, (struct wait_piece){
				     .from_ns = from,
				     .to_ns = to,
				     .def = (u32)(d - w->defs.items),
				     .part = (u8)part,
			     });
}

void waits_move_pieces(struct waits *w, const u32 *to)
{
	size_t n = 0;

	for (size_t i = 0; i < w->pieces.n; i++) {
		struct wait_piece p = w->pieces.items[i];

		if (!to[p.def])
			continue;
		p.def = to[p.def] - 1;
		w->pieces.items[n++] = p;
	}
	w->pieces.n = n;
}

static int time_cmp(const void *a, const void *b)
{
	const struct timed_wait *x = a, *y = b;
	int c = num_cmp(x->from_ns, y->from_ns);

	return c ? c : num_cmp(x->tid, y->tid);
}

/* The nearest waker; NULL: no thread, or not known. */
static const struct store_owner *waker_of(const struct waits *w, const struct wait_def *d)
{
	const struct store_owner *o = d->n ? waits_owner(w, w->links.items[d->first]) : NULL;

	return o && !(o->marks & STORE_INTERRUPT) ? o : NULL;
}

/* A blocked thread waits for something that its stack tells: "disk", "lock".  Many pieces are of
 * one row, so the answer is kept. */
static const char *state_of(const struct report *r, const char **kept, const struct wait_piece *p,
			    u32 row, u8 marks)
{
	enum state_column kind;

	if (marks & STORE_RUNNING)
		return NULL;
	if (p->part != WAIT_BLOCKED)
		return states[p->part];
	if (kept[row])
		return kept[row];
	kind = wait_kind(r, r->stacks.items[row].kernel, marks);
	kept[row] = kind == STATE_OTHER ? states[WAIT_BLOCKED] : state_names[kind];
	return kept[row];
}

/* The piece up to the cut, without its state.  It is over if the wait has ended, and not only the
 * window. */
static struct timed_wait timed(const struct waits *w, const struct wait_piece *p, u32 row,
			       u64 start_ns)
{
	const struct wait_def *d = &w->defs.items[p->def];
	const struct store_owner *o = waits_owner(w, d->waiter);
	const struct store_owner *waker = waker_of(w, d);
	u64 to = p->to_ns < w->cut_ns ? p->to_ns : w->cut_ns;

	return (struct timed_wait){
		.from_ns = p->from_ns > start_ns ? p->from_ns - start_ns : 0,
		.to_ns = to > start_ns ? to - start_ns : 0,
		.row = row,
		.pid = o->tgid,
		.tid = o->tid,
		.waker_pid = waker ? waker->tgid : 0,
		.waker_tid = waker ? waker->tid : 0,
		.is_over = p->to_ns < w->cut_ns,
	};
}

static void say_untimed(struct waits *w, u64 n_lost)
{
	if (w->n_untimed)
		log_warn(
			"waits-untimed",
			w->n_untimed == 1
				? "%llu stretch of a wait was counted without its time (--max-memory): "
				  "outputs of single waits lack it"
				: "%llu stretches of waits were counted without their times (--max-memory): "
				  "outputs of single waits lack them",
			w->n_untimed);
	if (n_lost)
		log_warn(
			"waits-unknown",
			n_lost == 1
				? "%llu stretch of a wait is of an unknown thread (the ring was full): "
				  "outputs of single waits lack it"
				: "%llu stretches of waits are of unknown threads (the ring was full): "
				  "outputs of single waits lack them",
			n_lost);
	w->n_untimed = 0;
}

void waits_report_pieces(struct waits *w, bool is_snapshot, struct report *out)
{
	const char **kept = mem_alloc(out->stacks.n + 1, sizeof(*kept));
	u64 n_lost = 0;
	size_t n = 0;

	for (size_t i = 0; i < w->pieces.n; i++) {
		struct wait_piece p = w->pieces.items[i];
		u32 row = w->rows[p.def * WAIT_N_PARTS + p.part];
		struct timed_wait t = timed(w, &p, row - 1, out->run->monotonic_ns);
		bool is_in = p.from_ns < w->cut_ns, is_known = row && t.tid;

		if (is_in && is_known) {
			t.state = state_of(out, kept, &p, t.row,
					   waits_owner(w, w->defs.items[p.def].waiter)->marks);
			vec_push(&out->waits, t);
		}
		n_lost += is_in && !is_known;
		if (!is_snapshot && is_in)
			p.from_ns = w->cut_ns;
		if (p.from_ns < p.to_ns)
			w->pieces.items[n++] = p;
	}
	w->pieces.n = n;
	free(kept);
	if (out->waits.n)
		qsort(out->waits.items, out->waits.n, sizeof(*out->waits.items), time_cmp);
	out->n_untimed = w->n_untimed + n_lost;
	if (!is_snapshot)
		say_untimed(w, n_lost);
}
