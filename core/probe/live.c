// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The life of loaded probes: attach, count, disable, release. */
#include "probe/probes_int.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/no_preempt.h"
#include "bpf/abi/window.h"
#include "run/prog.h"

/* ---- attaching ---------------------------------------------------------------------------- */

static bool on_attach(void *ctx, u64 done, u64 all)
{
	bool (*const *is_over)(void) = ctx;

	log_progress("attaching: %llu of %llu", done, all);
	return !(*is_over)();
}

#define REFUSED_SAID 3

/* Report the sites of a pattern that were just refused: the first lines at once, the others with
 * -v. */
static void say_refused(const struct probe_part *part, const struct probe_plan *plan, u64 n_before,
			size_t line)
{
	u64 n = plan->n_skipped[SKIP_REFUSED] - n_before;

	if (!n)
		return;
	log_note("%s: %llu skipped: refused by the kernel", part->name, n);
	for (u32 i = 0; line < plan->skipped.n; i++, line++) {
		if (i < REFUSED_SAID)
			log_note("%s", plan->skipped.items[line]);
		else
			log_info("%s", plan->skipped.items[line]);
	}
}

static int attach_part(struct probes *p, struct probe *probe, struct probe_part *part,
		       bool at_entry, bool (*is_over)(void), struct err *err)
{
	size_t n_groups = probe->start_groups.n + probe->groups.n;
	struct attach_group *groups = mem_alloc(n_groups, sizeof(*groups));
	struct probe_plan *plan = at_entry ? &part->entries : part->plan;
	struct attach **attach = at_entry ? &part->at_entry : &part->attach;
	u64 n_refused = plan->n_skipped[SKIP_REFUSED];
	size_t n_lines = plan->skipped.n;
	VEC(u32) sites = { 0 };
	u32 n = 0;
	int ret = 0;

	vec_reserve(&sites, part->plan->sites.n);
	group_for_each(g, probe) {
		int fd = at_entry ? g->entry_fd : g->prog_fd;

		if (g->part != part || fd < 0 ||
		    (at_entry ? g->entry_is_dispatched : g->is_dispatched))
			continue;
		groups[n++] = (struct attach_group){ sites.items + sites.n, (u32)g->sites.n, fd };
		for (size_t i = 0; i < g->sites.n; i++)
			vec_push(&sites, g->sites.items[i] - part->first);
	}
	if (n && *attach)
		ret = attach_more(*attach, plan, groups, n, &p->can, err);
	else if (n)
		ret = attach_open(plan, groups, n, &p->can, on_attach, &is_over, attach, err);
	if (!ret)
		say_refused(part, plan, n_refused, n_lines);
	vec_release(&sites);
	free(groups);
	return ret;
}

/* Entries are attached first, so that each return finds the data of its entry. */
static int attach_parts(struct probes *p, struct probe *probe, bool is_start, bool (*is_over)(void),
			struct err *err)
{
	int ret = 0;

	part_for_each(part, probe) {
		if (part->is_start != is_start)
			continue;
		if (!ret && part->has_entries && !is_over())
			ret = attach_part(p, probe, part, true, is_over, err);
		if (!ret && !is_over())
			ret = attach_part(p, probe, part, false, is_over, err);
	}
	return ret;
}

/* The kernel may refuse all sites of one method, but not the sites of all methods. */
static int check_attached(struct probe *probe, struct err *err)
{
	if (probe->spec.span || probe->parts.n < 2)
		return 0;
	part_for_each(part, probe)
		if (!part->attach || !attach_is_empty(part->attach))
			return 0;
	return err_set(err, ERR_KERNEL, "the kernel refused all %zu sites of '%s'",
		       probe->plan.sites.n, probe->parts.items[0]->name);
}

int probes_attach(struct probes *p, bool (*is_over)(void), struct err *err)
{
	/* Children that exist by now are added when new ones can no longer be missed. */
	int ret = probes_attach_hooks(p, err) ?:
		  filter_add_descendants(p->opts.filter, p->obj, err) ?:
		  dispatch_attach(p, false, err);

	probe_for_each(probe, p) {
		bool starts_first = probes_starts_first(probe);

		ret = ret ?: attach_parts(p, probe, starts_first, is_over, err);
		ret = ret ?: attach_parts(p, probe, !starts_first, is_over, err);
		if (!ret && !is_over())
			ret = check_attached(probe, err);
		/* After the ends, because an end may be the exit of the thread. */
		ret = ret ?: probes_guard_span(p, probe, err);
	}
	log_progress_end();
	return ret ?: dispatch_attach(p, true, err);
}

static bool never(void)
{
	return false;
}

static void attach_part_more(struct probes *p, struct probe *probe, struct probe_part *part,
			     const struct reach *reach)
{
	struct probe_plan *plans[] = { &part->entries, part->plan };
	struct err later = { 0 };

	for (u32 i = part->has_entries ? 0 : 1; i < ARRAY_SIZE(plans); i++) {
		const struct reach *all = plans[i]->reach;

		if (!all)
			continue;
		plans[i]->reach = reach;
		if (attach_part(p, probe, part, i == 0, never, &later)) {
			log_warn("probes-lost", "%s: some processes are left out: %s", part->name,
				 later.what);
			p->has_gap = true;
		}
		plans[i]->reach = all;
	}
}

void probes_attach_more(struct probes *p, const struct reach *reach)
{
	probe_for_each(probe, p)
		part_for_each(part, probe)
			attach_part_more(p, probe, part, reach);
}

/* ---- windows ------------------------------------------------------------------------------ */

void probes_begin(struct probes *p)
{
	__atomic_fetch_or(p->window, WINDOW_LIVE, __ATOMIC_RELEASE);
}

void probes_end(struct probes *p)
{
	__atomic_fetch_and(p->window, ~WINDOW_LIVE, __ATOMIC_RELEASE);
}

u32 probes_window(const struct probes *p)
{
	return *p->window & WINDOW_TABLE;
}

u32 probes_next_window(struct probes *p)
{
	u32 before = __atomic_fetch_xor(p->window, WINDOW_TABLE, __ATOMIC_ACQ_REL) & WINDOW_TABLE;
	_cleanup_(no_preempt_end) struct no_preempt guard;
	u32 first = 0;

	no_preempt_begin(&guard);
	/*
	 * An update of a map of maps returns when all programs that may see the old value have
	 * ended (kernel/bpf/syscall.c, maybe_wait_bpf_programs: synchronize_rcu()). membarrier(2)
	 * waits in this way only with several CPUs, and not at all with nohz_full.
	 */
	bpf_map_update_elem(p->windows_fd, &first, &p->window_fd, BPF_ANY);
	return before;
}

/* ---- counters ----------------------------------------------------------------------------- */

static int add_counts(const struct probes *p, u32 index, struct probe_count *sum, struct err *err)
{
	int n_cpus = libbpf_num_possible_cpus();
	struct probe_count *counts = mem_alloc((size_t)n_cpus, sizeof(*counts));
	int ret = bpf_map_lookup_elem(p->counts_fd, &index, counts);

	for (int cpu = 0; cpu < n_cpus && !ret; cpu++)
		for (size_t i = 0; i < sizeof(*sum) / sizeof(u64); i++)
			((u64 *)sum)[i] += ((const u64 *)&counts[cpu])[i];
	free(counts);
	return ret ? err_errno(err, errno, "cannot read the counters") : 0;
}

static void add_missed(const struct attach *a, u64 *missed)
{
	u64 n = a ? attach_missed(a) : 0;

	*missed = n == UINT64_MAX || *missed == UINT64_MAX ? UINT64_MAX : *missed + n;
}

/* The kernel silently drops returns beyond 64 nested calls of a thread; they are known only if
 * entries are probed too. */
static bool is_blind(const struct probe_part *part)
{
	return part->attach && !part->has_entries && part->plan->sites.n &&
	       part->plan->sites.items[0].kind == SITE_UFUNC_RET;
}

static int count_all(const struct probes *p, const struct probe *probe, struct probe_count *sum,
		     struct err *err)
{
	int ret;

	*sum = (struct probe_count){ 0 };
	ret = add_counts(p, probe->index, sum, err);
	for (u32 i = 0; i < p->call_owners.n && !ret; i++)
		if (p->call_owners.items[i] == probe)
			ret = add_counts(p, (u32)p->v.n + i, sum, err);
	return ret;
}

int probes_count(struct probes *p, u32 index, struct probe_count *sum, u64 *missed, struct err *err)
{
	const struct probe *probe = p->v.items[index];
	int ret = count_all(p, probe, sum, err);

	if (probe->is_disabled)
		sum->missed = probe->missed_at_end;
	*missed = 0;
	part_for_each(part, probe) {
		add_missed(part->attach, missed);
		add_missed(part->at_entry, missed);
		if (is_blind(part) || (p->has_gap && part->plan->reach))
			*missed = UINT64_MAX;
	}
	if (prog_missed_forks(p->obj)) /* the calls of those children are unknown */
		*missed = UINT64_MAX;
	return ret;
}

/* The cost of the kernel's path to a program and back: getppid with a program that does nothing at
 * sys_enter took 82 ns more than without (6.18); a breakpoint in user code is a trap. */
#define WAY_NS	    80
#define WAY_USER_NS 1000

static u64 way_ns(const struct probe_group *g)
{
	switch (g->part->plan->method) {
	case ATTACH_UPROBE:
	case ATTACH_UPROBE_EVENT:
	case ATTACH_UPROBE_MULTI:
		return WAY_USER_NS;
	default:
		return WAY_NS;
	}
}

static void add_runs(int fd, u64 way, struct probes_runs *sum)
{
	struct bpf_prog_info info = { 0 };
	u32 size = sizeof(info);

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &size))
		return;
	sum->ns += info.run_time_ns;
	sum->cost_ns += info.run_time_ns + info.run_cnt * way;
}

struct probes_runs probes_runs(const struct probes *p)
{
	struct probes_runs sum = { 0 };

	for (size_t i = 0; i < p->dispatchers.n; i++)
		add_runs(p->dispatchers.items[i]->prog_fd, WAY_NS, &sum);
	probe_for_each(probe, p) {
		group_for_each(g, probe) {
			add_runs(g->prog_fd, way_ns(g), &sum);
			add_runs(g->entry_fd, way_ns(g), &sum);
		}
		add_runs(probe->exit_fd, WAY_NS, &sum);
	}
	return sum;
}

/* ---- the end ------------------------------------------------------------------------------ */

/* Return probes are detached first, so calls that return afterwards must not be counted as
 * unreturned. */
static void keep_missed(const struct probes *p, struct probe *probe)
{
	struct probe_count sum;
	struct err ignored = { 0 };

	if (probe->is_disabled || count_all(p, probe, &sum, &ignored))
		return;
	probe->missed_at_end = sum.missed;
	probe->is_disabled = true;
}

static void disable_parts(const struct probes *p, bool at_entry)
{
	VEC(struct attach *) all = { 0 };

	probe_for_each(probe, p)
		part_for_each(part, probe) {
			struct attach *a = at_entry ? part->at_entry : part->attach;

			if (a)
				vec_push(&all, a);
		}
	attach_disable(all.items, all.n);
	vec_release(&all);
}

void probes_disable(struct probes *p)
{
	probe_for_each(probe, p)
		keep_missed(p, probe);
	dispatch_disable(p);
	disable_parts(p, false);
	disable_parts(p, true);
}
