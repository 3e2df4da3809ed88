// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The processes whose user code is probed, derived from the filter and from spans. */
#include "probe/probes_int.h"

#include "base/log.h"

/* Does the filter select tasks by anything other than their numbers? */
static bool names_some(const struct filter_conf *f)
{
	return f->has_cgroups || f->has_uids || f->has_comms || f->has_cgroupmap || f->has_mntnsmap;
}

/* The threads that exist before anything is loaded; probes_attach_descendants() looks for later
 * ones. */
static void add_threads_now(struct probes *p)
{
	struct filter_numbers now = { 0 };
	const u32 *tgid;

	filter_named_now(p->opts.filter, &now);
	vec_for_each(tgid, &now.v)
		reach_add_threads(&p->reach, *tgid);
	vec_for_each(tgid, &p->reach.tgids)
		reach_add_threads(&p->reach, *tgid);
	vec_release(&now.v);
}

void probes_set_reach(struct probes *p)
{
	const struct filter *f = p->opts.filter;

	if (!f)
		return;
	if (!filter_is_of_processes(f)) {
		if (f->conf.has_cgroups)
			p->reach.why_all = "the processes in the cgroup are not known";
		else if (names_some(&f->conf))
			p->reach.why_all =
				"breakpoints cannot be limited to a cgroup, user or name";
		return;
	}
	p->reach.is_limited = true;
	p->reach.has_children = f->conf.follow;
	for (size_t i = 0; i < f->named.n; i++)
		reach_add(&p->reach, f->named.items[i]);
	if (p->opts.program_tgid)
		reach_add(&p->reach, p->opts.program_tgid);
	if (p->reach.has_children)
		add_threads_now(p);
}

void probes_reach_members(struct probes *p)
{
	struct filter *f = p->opts.filter;

	if (!f || !f->conf.has_cgroups || filter_is_of_processes(f) || f->conf.has_members)
		return;
	if (!filter_list_members(f))
		return;
	p->reach.is_limited = p->reach.has_children = true;
	add_threads_now(p);
}

/* The kinds of sites, as bits by site_kind. */
static u32 kinds_of_spec(const struct probe_spec *spec)
{
	const struct site_pattern *at;
	u32 kinds = 0;

	vec_for_each(at, &spec->alternatives)
		kinds |= 1U << at->kind;
	return kinds;
}

static u32 kinds_of_probe(const struct probe *probe)
{
	u32 kinds = 0;

	part_for_each(part, probe)
		kinds |= kinds_of_spec(part->spec);
	return kinds;
}

/* Are all these kinds of sites in user code? */
static bool is_user_code(u32 kinds)
{
	for (u32 i = 0; i < SITE_KIND_N; i++)
		if (kinds >> i & 1 && !site_kind_is_user((enum site_kind)i))
			return false;
	return true;
}

bool probe_is_in_user_code(const struct probe_spec *spec)
{
	return is_user_code(kinds_of_spec(spec));
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

	probe_for_each(probe, p)
		kinds |= kinds_of_probe(probe);
	return kinds;
}

bool probes_are_user(const struct probes *p)
{
	return is_user_code(probes_kinds(p));
}

void probes_say_wide(const struct probes *p)
{
	probe_for_each(probe, p)
		part_for_each(part, probe) {
			if (!part->plan->wide_why)
				continue;
			log_note("%s: every process that uses it gets breakpoints, not only those "
				 "requested: %s",
				 part->name, part->plan->wide_why);
			return;
		}
}

bool probes_are_limited(const struct probes *p)
{
	probe_for_each(probe, p)
		part_for_each(part, probe)
			if (part->plan->reach)
				return true;
	return false;
}

bool probes_has_filter(const struct probes *p, bool beyond_self)
{
	const struct filter_conf *f = p->opts.filter ? &p->opts.filter->conf : NULL;

	if (!f)
		return false;
	return (f->self_tgid && !beyond_self) || f->has_tgids || f->has_not_tgids || f->has_tids ||
	       f->has_cgroups || f->has_not_cgroups || f->has_uids || f->has_not_uids ||
	       f->has_comms || f->has_not_comms || f->has_cgroupmap || f->has_mntnsmap ||
	       p->opts.cpus->v.n;
}
