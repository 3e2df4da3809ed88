// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <unistd.h>

#include "base/cleanup.h"
#include "probe/probes_int.h"

void probes_release_scope(struct scope *scope)
{
	if (scope->entry)
		scope_release(scope->entry);
	scope_release(scope);
}

static void release_group(struct probe_group *g)
{
	close_p(&g->prog_fd);
	close_p(&g->entry_fd);
	close_p(&g->sites_fd);
	insns_release(&g->code);
	insns_release(&g->entry_code);
	probes_release_scope(g->scope);
	vec_release(&g->sites);
}

static void release_part(struct probe *probe, struct probe_part *part)
{
	if (part->has_entries)
		plan_release(&part->entries);
	if (part->plan != &probe->plan)
		plan_release(part->plan);
}

void probes_detach(struct probes *p)
{
	VEC(struct attach *) all = { 0 };

	probe_for_each(probe, p)
		part_for_each(part, probe) {
			if (part->attach)
				vec_push(&all, part->attach);
			if (part->at_entry)
				vec_push(&all, part->at_entry);
			part->attach = part->at_entry = NULL;
		}
	attach_close(all.items, all.n);
	vec_release(&all);
}

void probe_release_work(struct probe *probe)
{
	part_for_each(part, probe)
		release_part(probe, part);
	group_for_each(g, probe)
		release_group(g);
	probe->parts.n = probe->groups.n = probe->start_groups.n = 0;
}

void probe_release(struct probe *probe)
{
	probe_release_work(probe);
	close_p(&probe->exit_link_fd);
	close_p(&probe->exit_fd);
	close_p(&probe->span_fd);
	close_p(&probe->bins_fd);
	vec_release(&probe->parts);
	vec_release(&probe->groups);
	vec_release(&probe->start_groups);
	vec_release(&probe->starts.saved);
	plan_release(&probe->plan);
	format_release(&probe->format);
	probe_spec_release(&probe->spec);
}
