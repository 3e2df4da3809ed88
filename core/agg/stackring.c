// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "agg/stackring.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/no_preempt.h"
#include "base/stop.h"
#include "bpf/abi/event.h"
#include "run/forgotten.h"

#define STACKS_MAX 1000000
/* When the store is full, this many stacks can still be told apart from stacks that were lost on
 * their way. */
#define FOLDED_MAX 16384
/* Time for looking up names, even if the report is late. */
#define NAMING_NS  (50 * NS_PER_MS)

static bool on_stack(void *ctx, const void *data, size_t size)
{
	struct dist_stacks *s = ctx;
	const struct event_stack *st = data;
	const struct event *e = &st->event;
	struct raw_stack raw = { .max_frames = s->max_frames };
	u64 words[EVENT_MAX_FRAMES];
	u32 own, skip;

	if (size >= sizeof(*e))
		engine_apply_side(&s->run->engine, e->time_ns);
	if (size >= sizeof(*e) && copies_is_copy(e)) {
		st = copies_take(&s->copies, e, size);
		e = st ? &st->event : e;
		size = st ? e->bytes : 0;
	}
	if (size < offsetof(struct event_stack, frames) || !(e->flags & EVENT_IS_STACK) ||
	    offsetof(struct event_stack, frames) + 8UL * (e->n_kernel + e->n_user) > size ||
	    e->n_user > EVENT_MAX_FRAMES) {
		s->n_bad++;
		return true;
	}
	own = own_frames_count(&s->own, &s->run->probes, e, st->frames);
	memcpy(raw.id, st->id, sizeof(raw.id));
	raw.tgid = e->tgid;
	raw.generation = (u32)st->generation;
	raw.kernel = st->frames + own;
	raw.n_kernel = e->n_kernel - own;
	raw.user = st->frames + e->n_kernel;
	raw.n_user = e->n_user;
	if (e->flags & EVENT_HAS_CALLER) {
		memcpy(words, raw.user, raw.n_user * sizeof(u64));
		skip = caller_insert(words, raw.n_user);
		raw.user = words + skip;
		raw.n_user -= skip;
		raw.max_frames = user_words_max(e, s->max_frames) - skip;
	}
	raw.is_user_missing = e->flags & EVENT_USER_FAULT;
	raw.end = event_end(e);
	store_intern(&s->store, &raw);
	return true;
}

/*
 * If there are more threads than CPUs, a reader with the default priority loses half of the stacks
 * (measured: 8 threads with 120,000 new stacks per second on 2 CPUs, with rings of 1 to 4 MB).  The
 * reader therefore has the highest priority while it drains the ring; resolving names and making
 * reports can wait.  A priority that the user has set is kept; without CAP_SYS_NICE, the priority
 * cannot be raised.
 */
void stackring_set_urgent(const struct dist_stacks *s, bool is_urgent)
{
	if (s->is_nice_usual)
		setpriority(PRIO_PROCESS, 0, is_urgent ? -20 : 0);
}

int dist_stacks_open(struct dist_stacks *s, struct proberun *run, struct err *err)
{
	const struct probes *p = &run->probes;

	s->run = run;
	s->own.kernel = &run->engine.ksyms.source;
	s->copies.unwinding = &run->unwinding;
	s->is_nice_usual = !getpriority(PRIO_PROCESS, 0);
	stackring_set_urgent(s, true);
	s->max_frames = runinfo_max_frames(&run->engine.info);
	store_init(&s->store, run->engine.sym, STACKS_MAX, run->engine.render.addresses);
	s->store.max_ids = FOLDED_MAX;
	s->renewal.generation = probes_stack_generation(p);
	return proberun_open_rings(&run->engine, p, on_stack, s, err);
}

void dist_stacks_release(struct dist_stacks *s)
{
	if (!s->run)
		return;
	store_release(&s->store);
	own_frames_release(&s->own);
	copies_release(&s->copies);
}

struct agg_nodes dist_stacks_find(struct dist_stacks *s, const u64 id[2])
{
	u32 entry = store_find(&s->store, id);
	const struct store_entry *e;

	if (entry == STORE_NONE)
		return dist_stacks_note(s,
					s->store.has_left_ids ? "[other stacks]" : "[stack lost]");
	e = &s->store.entries.items[entry];
	return (struct agg_nodes){ e->kernel, e->user, e->is_rooted };
}

bool dist_stacks_is_folded(struct dist_stacks *s, const u64 id[2])
{
	u32 entry = store_find(&s->store, id);
	const struct store_entry *e;

	if (entry == STORE_NONE)
		return s->store.has_left_ids;
	e = &s->store.entries.items[entry];
	return e->is_folded || s->store.nodes.items[e->user].frame == s->store.loc_full;
}

struct agg_nodes dist_stacks_note(struct dist_stacks *s, const char *note)
{
	return (struct agg_nodes){ .user = store_leaf(&s->store, 0, note) };
}

void dist_stacks_end_report(struct dist_stacks *s, struct report *out)
{
	struct sym_budget budget = { .stop = stop_impatience(), .deadline_ns = s->names_until_ns };
	u64 least = now_ns() + NAMING_NS;

	if (budget.deadline_ns && budget.deadline_ns < least)
		budget.deadline_ns = least;
	symbolizer_resolve(s->run->engine.sym, &budget);
	store_end_report(&s->store, out);
}

/* ---- forgetting --------------------------------------------------------------------------- */

/* Ids that were left out are not in the store, so only this frees their space in the kernel's
 * map. */
static void forget_sent(int sent_fd)
{
	_cleanup_(no_preempt_series_end) struct no_preempt_series calls = { 0 };
	u64 id[2];

	for (u32 i = 0; i < FOLDED_MAX && !bpf_map_get_next_key(sent_fd, NULL, id); i++) {
		no_preempt_call(&calls);
		bpf_map_delete_elem(sent_fd, id);
	}
}

void dist_stacks_forget(struct dist_stacks *s)
{
	_cleanup_(forgotten_release) struct forgotten f = { 0 };
	int sent_fd = probes_stacks_sent_fd(&s->run->probes);
	u32 settled;

	if (!s->may_forget)
		return;
	/* Not at each tick: a stack takes space in the map for each generation in which its window
	 * has met it. */
	renewal_tick(&s->renewal, s->run->engine.sym, now_ns());
	if (!renewal_is_due(&s->renewal, &s->store, &settled))
		return;
	free(store_forget(&s->store, settled, forgotten_add, &f));
	forgotten_delete(&f, sent_fd);
	if (s->store.has_left_ids)
		forget_sent(sent_fd);
	renewal_end(&s->renewal, &s->store);
}
