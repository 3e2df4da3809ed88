// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* From groups of sites to loaded programs: plan, compile, load. */
#include "probe/needs.h"
#include "probe/probes_int.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "bpf/abi/keytext.h"
#include "bpf/abi/span.h"
#include "run/prog.h"

/* ---- plans of the programs ---------------------------------------------------------------- */

/* Number the calls by probe, and after them those of spans' parts. */
static int number_calls(struct probes *p, struct probe *probe, struct probe_part *part,
			struct err *err)
{
	part->call_index = probe->index;
	if (probe->spec.span) {
		part->call_index = (u32)(p->v.n + p->call_owners.n);
		vec_push(&p->call_owners, probe);
	}
	if (part->call_index >= EVENT_MAX_SPANS)
		return err_set(err, ERR_USAGE, "more than %u specs that look at a call's entry",
			       EVENT_MAX_SPANS);
	return 0;
}

/* fexit and similar methods run with the same context as their entry: use one form for all. */
static int plan_entry(struct probes *p, struct probe *probe, struct probe_group *g, struct err *err)
{
	struct scope *scope = g->scope;
	struct probe_part *part = g->part;
	int ret;

	if (!scope->saved.n && !scope->wants_latency)
		return 0;
	if (!part->has_entries) {
		ret = number_calls(p, probe, part, err)
			      ?: plan_entries(part->plan, &p->can, &part->entries, err);
		if (ret)
			return ret;
		part->has_entries = true;
	}
	g->has_entry = p->has_calls = true;
	p->has_kept_texts |= probes_keep_key_parts(g);
	g->gen.call = (struct gen_call){
		.stack_pointer = scope_stack_pointer(scope),
		.index = part->call_index,
		.is_single = attach_method_is_syscall(part->plan->method),
		.kept = { .values = (const struct tree *const *)scope->saved.items,
			  .n = (u32)scope->saved.n,
			  .fd = -1 },
	};
	g->entry = (struct gen_plan){
		.hook.guard = scope->entry->guard,
		.work.action = GEN_ENTER,
		.work.values = g->gen.call.kept.values,
		.work.n_values = g->gen.call.kept.n,
		.call = g->gen.call,
	};
	g->entry.call.stack_pointer = scope_stack_pointer(scope->entry);
	return 0;
}

static void plan_common(const struct probes *p, const struct probe *probe,
			const struct scope *scope, struct gen_plan *gen)
{
	gen->hook.caller = scope ? scope->caller : NULL;
	gen->probe = probe->index;
	gen->watch.has_targets = probes_has_filter(p, true);
	gen->watch.has_options = p->opts.target;
	gen->watch.has_pidns = p->opts.filter && p->opts.filter->conf.pidns_inum;
	if (p->opts.filter && !gen->watch.has_pidns && !probes_has_filter(p, true))
		gen->watch.only_not_tgid = p->opts.filter->conf.self_tgid;
	gen->host.has_atomics = p->has_exchange;
	gen->host.has_tables = p->opts.wants_tables;
	gen->host.text_bytes = p->types.key_string_size > KEY_TEXT_MEDIUM ? p->types.key_string_size
									  : KEY_TEXT_MEDIUM;
	gen->maps.sites = gen->maps.probe_counts = -1;
}

static void plan_site(const struct probes *p, struct probe_group *g)
{
	const struct probe_plan *plan = g->part->plan;
	struct attach_kind kind = attach_kind(plan, &p->can);

	g->gen.hook.site = g->sites.items[0];
	g->gen.hook.how = GEN_SITE_CONST;
	/* The index of a single site is known, unless its guard must distinguish it from all other
	 * system calls. */
	if (g->sites.n < 2 &&
	    (plan->method != ATTACH_SYSCALL_RAW || g->gen.hook.guard != g->scope->any_guard))
		return;
	g->gen.hook.how = plan->method == ATTACH_SYSCALL_RAW ? GEN_SITE_SYSCALL
			  : kind.has_cookie		     ? GEN_SITE_COOKIE
							     : GEN_SITE_IP;
	g->gen.hook.base = g->part->first;
	if (g->gen.hook.how != GEN_SITE_SYSCALL)
		return;
	g->gen.hook.key = g->scope->number;
	if (!g->has_entry)
		return;
	g->entry.hook.how = GEN_SITE_SYSCALL;
	g->entry.hook.key = g->scope->entry->number;
}

static int plan_group(struct probes *p, struct probe *probe, struct probe_group *g, struct err *err)
{
	int ret = plan_entry(p, probe, g, err);

	if (ret)
		return ret;
	plan_common(p, probe, g->scope, &g->gen);
	plan_common(p, probe, g->scope->entry, &g->entry);
	g->gen.watch.has_filter = probes_has_filter(p, false) && !asked_for_targets(p, probe);
	g->entry.watch.has_filter = g->gen.watch.has_filter;
	g->gen.hook.guard = g->scope->guard;
	g->gen.predicate = g->predicate;
	return 0;
}

static int plan_programs(struct probes *p, struct err *err)
{
	u32 first = 0, at = 0; /* indices of the row's first column, and of this one */
	int ret = 0;

	probe_for_each(probe, p) {
		group_for_each(g, probe)
			ret = ret ?: plan_group(p, probe, g, err);
		if (ret)
			break;
		if (probe->spec.span)
			probes_bind_span(p, probe);
		else
			probes_share_programs(probe);
		if (!probe->is_column)
			first = at;
		for (u32 i = first; i < at && !probes_share_row(p->v.items[i], probe); i++)
			;
		group_for_each(g, probe)
			plan_site(p, g);
		at++;
	}
	if (!ret)
		dispatch_plan(p);
	return ret;
}

static void release_code(struct probe_group *g)
{
	insns_release(&g->code);
	insns_release(&g->entry_code);
}

static int generate(struct probe *probe, struct probe_group *g, struct err *err)
{
	int ret;

	release_code(g);
	insns_init(&g->code);
	insns_init(&g->entry_code);
	ret = gen_program(&g->gen, &probe->spec.text, &g->code, err);
	if (!ret && g->has_entry && !g->entry_is_shared)
		ret = gen_program(&g->entry, &probe->spec.text, &g->entry_code, err);
	return ret;
}

/* Programs are generated before the tables exist: the functions that they call determine what is
 * loaded, and --dump needs only the code. */
static int generate_all(struct probes *p, u32 *level, struct err *err)
{
	int ret = 0;

	*level = 0;
	probe_for_each(probe, p) {
		group_for_each(g, probe) {
			ret = generate(probe, g, err);
			if (ret)
				return ret;
			*level = probes_level_of(&g->code, *level);
			if (g->has_entry && !g->entry_is_shared)
				*level = probes_level_of(&g->entry_code, *level);
			/* The code of hundreds of programs takes megabytes. */
			if (!p->opts.is_offline)
				release_code(g);
		}
	}
	return 0;
}

/* ---- programs ----------------------------------------------------------------------------- */

/* Fill the table that maps the address or call number, which the program sees, to the site's
 * index. */
static int fill_sites(struct probe_group *g, struct err *err)
{
	bool by_number = g->gen.hook.how == GEN_SITE_SYSCALL;

	if (g->gen.hook.how != GEN_SITE_IP && !by_number)
		return 0;
	g->sites_fd = bpf_map_create(by_number ? BPF_MAP_TYPE_ARRAY : BPF_MAP_TYPE_HASH, "sites",
				     by_number ? sizeof(u32) : sizeof(u64), sizeof(u32),
				     by_number ? GEN_SYSCALLS_MAX : (u32)g->sites.n, NULL);
	if (g->sites_fd < 0)
		return prog_explain(errno, "create", "the table of sites", err);
	for (u32 i = 0; by_number && i < GEN_SYSCALLS_MAX; i++) {
		u32 none = UINT32_MAX;

		bpf_map_update_elem(g->sites_fd, &i, &none, BPF_ANY);
	}
	for (size_t i = 0; i < g->sites.n; i++) {
		const struct site *site = group_site(g, i);
		u64 addr = site->addr + site->offset;
		const void *key = by_number ? (const void *)&site->nr : &addr;

		if (bpf_map_update_elem(g->sites_fd, key, &g->sites.items[i], BPF_ANY))
			return prog_explain(errno, "fill", "the table of sites", err);
	}
	return 0;
}

static u32 btf_id_of(const struct probes *p, const struct site *site, enum attach_method method)
{
	struct err ignored = { 0 };
	char name[128];
	s32 id;

	if (method == ATTACH_FENTRY)
		return site->btf_id;
	if (method != ATTACH_TP_BTF)
		return 0;
	snprintf(name, sizeof(name), "btf_trace_%s", site->func);
	id = btf__find_by_name_kind(kernel_btf(p->kernel, &ignored), name, BTF_KIND_TYPEDEF);
	return id > 0 ? (u32)id : 0;
}

/* The BTF in which the kernel looks up the function of an fentry program: that of its module.  -1:
 * vmlinux; the caller closes it. */
static int btf_fd_of(const struct site *site, enum attach_method method, struct err *err)
{
	int fd;

	if (method != ATTACH_FENTRY || !site->module)
		return -1;
	fd = kernel_module_btf_fd(site->module);
	if (fd < 0)
		err_errno(err, -fd, "cannot get the BTF of module %s, which fentry needs",
			  site->module);
	return fd;
}

static int load_one(const struct probes *p, const struct probe *probe,
		    const struct probe_plan *plan, const struct probe_group *g,
		    const struct insns *code, struct err *err)
{
	struct attach_kind kind = attach_kind(plan, &p->can);
	const struct site *site = &plan->sites.items[g->sites.items[0] - g->part->first];
	_cleanup_(close_p) int btf_fd = btf_fd_of(site, plan->method, err);
	const struct generated_opts opts = {
		.name = site->func,
		.prog_type = kind.prog_type,
		.expected_attach_type = kind.expected_attach_type,
		.attach_btf_id = btf_id_of(p, site, plan->method),
		.attach_btf_obj_fd = btf_fd > 0 ? btf_fd : 0,
		.is_sleepable = g->may_sleep,
	};

	return err->code ? -err->code
			 : generated_load(code, &p->fixed, &probe->spec.text, &opts, err);
}

static int load_programs(struct probes *p, struct probe *probe, struct probe_group *g,
			 struct err *err)
{
	int ret;

	g->gen.hook.is_sleepable = g->entry.hook.is_sleepable = g->may_sleep;
	g->gen.hook.is_preempted = g->entry.hook.is_preempted = probes_is_preempted(p, g);
	ret = generate(probe, g, err);
	if (!ret && g->has_entry && !g->entry_is_shared) {
		g->entry_fd = load_one(p, probe, &g->part->entries, g, &g->entry_code, err);
		ret = g->entry_fd < 0 ? g->entry_fd : 0;
	}
	if (!ret) {
		g->prog_fd = load_one(p, probe, g->part->plan, g, &g->code, err);
		ret = g->prog_fd < 0 ? g->prog_fd : 0;
	}
	release_code(g);
	return ret;
}

/* A string that is paged out prints as '?': tell the user why. */
static void warn_sleepless(const struct probe *probe, const struct err *refusal)
{
	if (prog_has_sleep())
		log_warn("no-sleep",
			 "%s: cannot use a sleepable program (%s); paged-out strings print as '?'",
			 probe->name, refusal->what);
}

static int load_group(struct probes *p, struct probe *probe, struct probe_group *g, struct err *err)
{
	struct err refusal = { 0 };
	int ret = fill_sites(g, err);

	if (ret)
		return ret;
	g->gen.maps.sites = g->entry.maps.sites = g->sites_fd;
	g->gen.maps.probe_counts = g->entry.maps.probe_counts = p->counts_fd;
	g->gen.maps.window = g->entry.maps.window = p->window_fd;
	g->gen.call.kept.fd = g->entry.call.kept.fd = probes_saved_fd(p);
	g->gen.spans.kept.fd = probe->span_fd;
	g->gen.spans.bins_fd = probe->bins_fd;
	g->may_sleep = probes_may_sleep(g);
	if (g->may_sleep && !load_programs(p, probe, g, &refusal))
		return 0;
	/* Kernels before 6.0 have no sleepable programs at user functions. */
	if (g->may_sleep)
		warn_sleepless(probe, &refusal);
	g->may_sleep = false;
	close_p(&g->entry_fd);
	g->entry_fd = -1;
	return load_programs(p, probe, g, err);
}

int probes_load(struct probes *p, struct err *err)
{
	u32 level;
	int ret;

	p->has_exchange = p->opts.is_offline || prog_has_exchange();
	p->has_cpu_stacks = probes_has_cpu_stacks(p);
	p->window_fd = -1;
	ret = plan_programs(p, err) ?: generate_all(p, &level, err);
	if (ret || p->opts.is_offline)
		return ret;
	ret = probes_load_object(p, level, err) ?: dispatch_open(p, err);
	probe_for_each(probe, p) {
		if (probe->spec.span && probe->parts.n)
			ret = ret ?: probes_make_span(p, probe, err);
		group_for_each(g, probe)
			ret = ret ?: load_group(p, probe, g, err);
	}
	return ret ?: dispatch_load(p, err);
}

void probes_release(struct probes *p)
{
	dispatch_release(p);
	probes_detach(p);
	probe_for_each(probe, p)
		probe_release(probe);
	probes_release_object(p);
	vec_release(&p->call_owners);
	vec_release(&p->v);
	reach_release(&p->reach);
	types_release(&p->types);
	if (p->kernel)
		kernel_close(p->kernel);
	arena_release(&p->arena);
}
