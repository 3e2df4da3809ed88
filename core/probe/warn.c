// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Warns about expensive probes before they are attached. */
#include "probe/probes_int.h"

#include <string.h>

#include "base/log.h"

/* Functions that are called millions of times per second, as users write them. */
static const char *const hot[] = {
	"malloc",
	"free",
	"calloc",
	"realloc",
	"memcpy",
	"strlen",
	"schedule",
	"__schedule",
	"try_to_wake_up",
	"handle_mm_fault",
	"do_page_fault",
	"exc_page_fault",
	"kmalloc",
	"__kmalloc",
	"kfree",
	"kmem_cache_alloc",
	"kmem_cache_free",
	"_raw_spin_lock",
	"_raw_spin_unlock",
	"sched_switch",
	"sched_wakeup",
	"kmem_cache_alloc_noprof",
	"__kmalloc_noprof",
};

/* The cost of a hit by attach method, in ns, as measured by tests/bench/. */
static const char *cost_of(enum attach_method m)
{
	switch (m) {
	case ATTACH_UPROBE:
	case ATTACH_UPROBE_EVENT:
	case ATTACH_UPROBE_MULTI:
		return "1 to 7 us";
	case ATTACH_KPROBE:
	case ATTACH_KPROBE_EVENT:
		return "0.2 to 1 us";
	default:
		return "0.1 to 0.3 us";
	}
}

static bool is_one_by_one(enum attach_method m)
{
	return m == ATTACH_FENTRY || m == ATTACH_KPROBE || m == ATTACH_UPROBE;
}

static bool attaches_in_user_code(enum attach_method m)
{
	return m == ATTACH_UPROBE || m == ATTACH_UPROBE_EVENT || m == ATTACH_UPROBE_MULTI;
}

/* From this number of sites on, the probes cover most of what processes do; kernel functions that
 * match a pattern are rarely the busiest ones. */
static u64 many_sites(enum attach_method m)
{
	return attach_method_is_syscall(m) || attaches_in_user_code(m) ? 100 : 1000;
}

static bool has_stacks(const struct probe *probe, const struct probe_part *part)
{
	group_for_each(g, probe) {
		bool has = g->gen.work.want_kstack || g->gen.work.want_ustack;

		for (u32 i = 0; i < g->gen.work.n_values && g->gen.work.action == GEN_EVENT; i++)
			has |= gen_is_frames(g->gen.work.values[i]);
		if (has && g->part == part)
			return true;
	}
	return false;
}

/* Reading two stacks took 2.6 us (bpf_get_stack of a kernel and a user stack, 6.18). */
static const char *stack_cost(const struct probe *probe, const struct probe_part *part)
{
	return has_stacks(probe, part) ? ", its stack 1 to 3 us more" : "";
}

/* The advice that was not followed yet. */
static const char *cheaper(const struct probes *p, const struct probe_part *part)
{
	bool has_condition = part->spec->has_predicate;

	if (probes_has_filter(p, true))
		return has_condition ? "" : ": a condition saves part of that";
	return has_condition ? ": a filter such as -p saves most of that"
			     : ": a filter such as -p saves most of that, a condition part of it";
}

static bool is_hot(const struct site *site)
{
	for (size_t n = 0; n < ARRAY_SIZE(hot); n++)
		if (!strcmp(hot[n], site->func))
			return true;
	return false;
}

static void warn_of_many(const struct probes *p, const struct probe *probe,
			 const struct probe_part *part)
{
	const struct probe_plan *plan = part->plan;

	if (plan->sites.n > 100 && is_one_by_one(plan->method))
		log_warn("many-sites",
			 "%s: %zu sites one by one, which takes seconds to attach and "
			 "longer to detach; an event costs %s",
			 part->name, plan->sites.n, cost_of(plan->method));
	else if (plan->sites.n >= many_sites(plan->method) && !probes_has_filter(p, true))
		log_warn("many-sites",
			 "%s: %zu sites in all processes of the host, and each hit costs %s%s%s",
			 part->name, plan->sites.n, cost_of(plan->method), stack_cost(probe, part),
			 cheaper(p, part));
}

/* Returns true if a warning was printed. */
static bool warn_of_hot(const struct probes *p, const struct probe *probe,
			const struct probe_part *part)
{
	const struct site *site;

	vec_for_each(site, &part->plan->sites) {
		if (!is_hot(site))
			continue;
		log_warn("hot-site", "%s is called very often, and each call costs %s%s%s",
			 site->name, cost_of(part->plan->method), stack_cost(probe, part),
			 cheaper(p, part));
		return true;
	}
	return false;
}

/* The columns of a table are separate probes at one site. */
static bool is_first_of_name(const struct probes *p, const struct probe_part *of)
{
	probe_for_each(probe, p)
		part_for_each(part, probe)
			if (!strcmp(part->name, of->name))
				return part == of;
	return true;
}

static bool is_written_string(const struct tree *t)
{
	return t->kind == TREE_STRING && !t->length && t->a->type->kind == TYPE_POINTER &&
	       !t->a->type->is_const;
}

/* For bcc, $entry(x) of a char * is a pointer, and its string is read at the return: the data that
 * read(2) has put into its buffer. */
static void note_strings(const struct probe *probe)
{
	group_for_each(g, probe) {
		for (size_t i = 0; i < g->scope->saved.n; i++) {
			if (!is_written_string(g->scope->saved.items[i]))
				continue;
			log_note("%s: $entry(x) is the string that a char * x pointed to at the "
				 "entry; x alone and buf(x, retval) are read at the return",
				 probe->name);
			return;
		}
	}
}

void probes_warn(const struct probes *p)
{
	probe_for_each(probe, p)
		note_strings(probe);

	probe_for_each(probe, p)
		part_for_each(part, probe) {
			if (is_first_of_name(p, part) && !warn_of_hot(p, probe, part))
				warn_of_many(p, probe, part);
		}
}
