// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Whose user code the probes are put into: what the filter says of it, and the spans. */
#include "probe/load.h"

#include "base/clock.h"
#include "base/log.h"

void probes_set_reach(struct probes *p)
{
	const struct filter *f = p->opts.filter;

	if (!f || !filter_is_of_processes(f))
		return;
	p->reach.is_limited = true;
	p->reach.has_children = f->conf.follow;
	for (size_t i = 0; i < f->named.n; i++)
		reach_add(&p->reach, f->named.items[i]);
	if (p->opts.program_tgid)
		reach_add(&p->reach, p->opts.program_tgid);
}

/* Bits by site_kind. */
static u32 kinds_of_probe(const struct probe *probe)
{
	u32 kinds = 0;

	part_for_each(part, probe)
	{
		const struct site_pattern *at;

		vec_for_each(at, &part->spec->alternatives)
			kinds |= 1U << at->kind;
	}
	return kinds;
}

static bool is_user_code(u32 kinds)
{
	return !(kinds & ~(1U << SITE_UFUNC | 1U << SITE_UFUNC_RET | 1U << SITE_USDT));
}

bool probe_ends_elsewhere(const struct probe *probe)
{
	const struct probe_span *span = probe->spec.span;

	return span && probe->parts.items[0]->spec->key.n &&
	       (span->is_shared || !is_user_code(kinds_of_probe(probe)));
}

u32 probes_kinds(const struct probes *p)
{
	u32 kinds = 0;

	probe_for_each(probe, p) kinds |= kinds_of_probe(probe);
	return kinds;
}

bool probes_are_user(const struct probes *p)
{
	return is_user_code(probes_kinds(p));
}

void probes_say_wide(const struct probes *p)
{
	probe_for_each(probe, p) part_for_each(part, probe)
	{
		if (!part->plan->wide_why)
			continue;
		log_note("%s: every process that uses it gets breakpoints, not only those asked "
			 "for: %s",
			 part->name, part->plan->wide_why);
		return;
	}
}

bool probes_are_limited(const struct probes *p)
{
	probe_for_each(probe, p) part_for_each(part, probe) if (part->plan->reach) return true;
	return false;
}

/* ---- while it runs ------------------------------------------------------------------------ */

#define LOOK_NS NS_PER_SEC

/* A process goes by its first thread with the kernel, and so do its probes. */
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
			 "process %u has replaced itself from a thread of its own: the first calls "
			 "after that may be missing",
			 *tgid);
		p->has_gap = true;
	}
}
