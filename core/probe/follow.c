// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Processes whose children are followed while the probes are live (-p). */
#include "base/clock.h"
#include "base/log.h"
#include "probe/load.h"

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

void probes_follow(struct probes *p, u64 now)
{
	const u32 *tgid;
	u64 n_moved;

	if (!probes_are_limited(p))
		return;
	look_at_first_threads(p, now);
	n_moved = probes_n_moved(p);
	if (n_moved == p->n_moved)
		return;
	p->n_moved = n_moved;
	vec_for_each(tgid, &p->reach.tgids) {
		if (!filter_take_moved(p->obj, *tgid))
			continue;
		probes_attach_again(p, *tgid);
		log_warn("probes-lost",
			 "process %u has called exec from another thread: the first calls after "
			 "that may be missing",
			 *tgid);
		p->has_gap = true;
	}
}
