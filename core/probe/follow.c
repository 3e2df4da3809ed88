// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Processes whose children are followed while the probes are live (-p). */
#include "base/clock.h"
#include "base/log.h"
#include "base/stop.h"
#include "probe/probes_int.h"

#define LOOK_NS NS_PER_SEC

/* The kernel identifies a process by its first thread, and removes its probes with that thread. */
static void look_at_first_threads(struct probes *p, u64 now)
{
	const u32 *tgid;

	if (now < p->next_look_ns || p->has_gap)
		return;
	p->next_look_ns = now + LOOK_NS;
	vec_for_each(tgid, &p->reach.tgids) {
		if (!reach_is_headless(*tgid))
			continue;
		log_warn("probes-lost",
			 "the first thread of process %u has ended: calls of the others may be "
			 "missing from here on",
			 *tgid);
		p->has_gap = true;
		return;
	}
}

static void attach_again(struct probes *p, u32 tgid)
{
	struct reach one = { .has_children = p->reach.has_children };

	reach_add(&one, tgid);
	if (one.has_children)
		reach_add_threads(&one, tgid);
	probes_attach_more(p, &one);
	reach_release(&one);
	log_warn("probes-lost",
		 "process %u has lost its probes by an exec, %s: the first calls after that may be "
		 "missing",
		 tgid,
		 p->reach.has_children ? "because its new program has other rights"
				       : "which a thread other than the first has called");
}

/* A process that has just entered a cgroup has no probes yet; if it has already left again, it
 * never gets any. */
static void take_in_newcomers(struct probes *p)
{
	struct filter_numbers new = { 0 };
	struct reach them = { .is_limited = true, .has_children = true };
	u64 n_joined = probes_n_joined(p);
	struct err err = { 0 };
	const u32 *tgid;
	int ret = 0;

	if (n_joined == p->n_joined)
		return;
	if (!p->n_joined)
		log_warn("probes-lost",
			 "a process has entered the cgroup after the start: its first calls are "
			 "missing, as are those of each process that enters later");
	p->n_joined = n_joined;
	p->has_gap = true;
	filter_new_members(p->opts.filter, p->obj, &new);
	vec_for_each(tgid, &new.v) {
		ret = ret ?: filter_add_process(p->opts.filter, p->obj, *tgid, &err);
		reach_add_threads(&them, *tgid);
	}
	if (ret)
		log_warn("probes-lost", "%s: calls may be missing", err.what);
	if (them.tids.n)
		probes_attach_more(p, &them);
	reach_release(&them);
	vec_release(&new.v);
}

void probes_reattach(struct probes *p, u64 now)
{
	const u32 *tgid;
	struct filter_numbers moved = { 0 };
	struct err err = { 0 };
	u64 n_moved;

	if (!probes_are_limited(p))
		return;
	if (!p->reach.has_children)
		look_at_first_threads(p, now);
	take_in_newcomers(p);
	n_moved = probes_n_moved(p);
	if (n_moved == p->n_moved)
		return;
	p->n_moved = n_moved;
	if (filter_take_moved(p->obj, &moved, &err))
		log_warn("probes-lost", "%s: calls may be missing", err.what);
	vec_for_each(tgid, &moved.v)
		attach_again(p, *tgid);
	p->has_gap = true;
	vec_release(&moved.v);
}

/* Returns 1 if new threads were found, 0 if there were none, or -code. */
static int attach_new(struct probes *p, struct err *err)
{
	struct filter_numbers now = { 0 };
	struct reach new = { .is_limited = true, .has_children = true };
	int ret = filter_watched(p->obj, &now, err);
	size_t n_known = p->reach.tids.n;
	const u32 *tgid;

	vec_for_each(tgid, &now.v)
		reach_add_threads(&p->reach, *tgid);
	for (size_t i = n_known; i < p->reach.tids.n; i++)
		vec_push(&new.tids, p->reach.tids.items[i]);
	if (!ret && new.tids.n)
		probes_attach_more(p, &new);
	ret = ret ?: new.tids.n > 0;
	reach_release(&new);
	vec_release(&now.v);
	return ret;
}

/* The number of searches for threads that began while others were attached to.  Further searches
 * would only find new threads of a tree that forks all the time, which have inherited the
 * probes. */
#define MAX_LOOKS 5

int probes_attach_descendants(struct probes *p, struct err *err)
{
	int ret = 1;

	if (!probes_are_limited(p) || !p->reach.has_children)
		return 0;
	for (u32 i = 0; i < MAX_LOOKS && ret > 0 && !stop_is_asked(); i++)
		ret = attach_new(p, err);
	return ret < 0 ? ret : 0;
}
