// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "probe/dispatch.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "probe/probes_int.h"
#include "run/prog.h"

/* The kernel ends a chain after 32 tail calls (MAX_TAIL_CALL_CNT of 5.10); the dispatcher makes the
 * first of them. */
#define LEVELS_MAX 32

#define dispatcher_for_each(var, p)                                                \
	for (struct dispatcher **var##_at = (p)->dispatchers.items, *var;          \
	     var##_at && var##_at < (p)->dispatchers.items + (p)->dispatchers.n && \
	     (var = *var##_at);                                                    \
	     var##_at++)

/* ---- which programs ----------------------------------------------------------------------- */

static struct gen_plan *plan_of(const struct dispatched *one)
{
	return one->is_entry ? &one->group->entry : &one->group->gen;
}

static const struct scope *scope_of(const struct dispatched *one)
{
	return one->is_entry ? one->group->scope->entry : one->group->scope;
}

static const char *hook_of(const struct dispatched *one)
{
	const struct site *site = group_site(one->group, 0);
	return site_is_syscall_return(site) && !one->is_entry ? "sys_exit" : "sys_enter";
}

/* The dispatcher to which further programs of this kind can be added; NULL: there is none, or it is
 * full. */
static struct dispatcher *find(const struct probes *p, const char *hook, bool has_filter)
{
	for (size_t i = p->dispatchers.n; i > 0; i--) {
		struct dispatcher *d = p->dispatchers.items[i - 1];

		if (!strcmp(d->hook, hook) && d->has_filter == has_filter)
			return d;
	}
	return NULL;
}

static struct dispatcher *new_dispatcher(struct probes *p, const char *hook, bool has_filter)
{
	struct dispatcher *d = arena_new(&p->arena, struct dispatcher);

	d->hook = hook;
	d->has_filter = has_filter;
	d->progs_fd = d->sites_fd = d->prog_fd = d->link_fd = -1;
	vec_push(&p->dispatchers, d);
	return d;
}

/* Programs of one part are for different calls, so they can share a level. */
static bool is_same_level(const struct dispatcher *d, const struct dispatched *one)
{
	const struct dispatched *last = &d->programs.items[d->programs.n - 1];

	return last->group->part == one->group->part && last->is_entry == one->is_entry;
}

static void add_dispatched(struct probes *p, struct dispatched one)
{
	bool has_filter = plan_of(&one)->watch.has_filter;
	struct dispatcher *d = find(p, hook_of(&one), has_filter);

	if (!d || (d->n_levels == LEVELS_MAX && !is_same_level(d, &one)))
		d = new_dispatcher(p, hook_of(&one), has_filter);
	if (!d->programs.n || !is_same_level(d, &one))
		d->n_levels++;
	one.level = d->n_levels - 1;
	vec_push(&d->programs, one);
}

static void take_part(struct probes *p, struct probe *probe, const struct probe_part *part)
{
	if (part->plan->method != ATTACH_SYSCALL_RAW)
		return;
	group_for_each(g, probe) {
		if (g->part != part)
			continue;
		if (g->has_entry)
			add_dispatched(p, (struct dispatched){ probe, g, .is_entry = true });
		add_dispatched(p, (struct dispatched){ probe, g, .is_entry = false });
	}
}

/* In the order of probes_attach(), which is the order in which the kernel runs attached
 * programs. */
static void take_all(struct probes *p)
{
	probe_for_each(probe, p) {
		bool starts_first = probes_starts_first(probe);

		for (u32 pass = 0; pass < 2; pass++)
			part_for_each(part, probe)
				if (part->is_start == (starts_first ^ !!pass))
					take_part(p, probe, part);
	}
}

/* ---- their plans ------------------------------------------------------------------------- */

/* The dispatcher now does the checks of the program's guard and filter. */
static void plan_program(const struct dispatcher *d, const struct dispatched *one)
{
	struct gen_plan *gen = plan_of(one);

	*(one->is_entry ? &one->group->entry_is_dispatched : &one->group->is_dispatched) = true;
	gen->hook.guard = NULL;
	gen->watch.has_filter = false;
	if (one->level + 1 == d->n_levels)
		return;
	gen->next.number = scope_of(one)->number;
	gen->next.first = (one->level + 1) * GEN_SYSCALLS_MAX;
}

/* Entries of one probe that save only the time differ only in the numbers of their calls. */
static bool is_one_entry(const struct dispatcher *d)
{
	const struct dispatched *one;

	vec_for_each(one, &d->programs)
		if (!one->is_entry || one->group->entry.work.n_values)
			return false;
	return d->n_levels == 1;
}

/* One program saves the time for all of them, which avoids a jump from program to program. */
static void plan_one_entry(struct dispatcher *d)
{
	const struct dispatched *one = &d->programs.items[0];

	d->is_one_entry = true;
	d->gen = *plan_of(one);
	d->gen.hook.guard = scope_of(one)->any_guard;
	d->gen.hook.how = GEN_SITE_SYSCALL;
	d->gen.hook.key = scope_of(one)->number;
	vec_for_each(one, &d->programs)
		one->group->entry_is_dispatched = one->group->entry_is_shared = true;
}

static void plan_dispatcher(struct dispatcher *d)
{
	const struct dispatched *one = &d->programs.items[0];
	const struct gen_plan *like = plan_of(one);

	d->gen = (struct gen_plan){
		.work.action = GEN_DISPATCH,
		.hook = { .how = GEN_SITE_SYSCALL,
			  .key = scope_of(one)->number,
			  .guard = scope_of(one)->any_guard },
		.watch = { .has_filter = d->has_filter,
			   .only_not_tgid = like->watch.only_not_tgid,
			   .has_pidns = like->watch.has_pidns },
		.host.has_atomics = like->host.has_atomics,
		.maps.sites = -1,
		.next.number = scope_of(one)->number,
	};
	vec_for_each(one, &d->programs)
		plan_program(d, one);
}

/* Is it the only program of its kind?  Then a dispatcher gains nothing. */
static bool is_alone(const struct probes *p, const struct dispatcher *of)
{
	size_t n = 0;

	dispatcher_for_each(d, p)
		if (d->has_filter == of->has_filter && !strcmp(d->hook, of->hook))
			n += d->programs.n;
	return n < 2;
}

void dispatch_plan(struct probes *p)
{
	size_t n = 0;
	bool can;

	take_all(p);
	can = p->dispatchers.n && (p->opts.is_offline || prog_has_tail_calls());
	for (size_t i = 0; i < p->dispatchers.n; i++) {
		struct dispatcher *d = p->dispatchers.items[i];

		if (!can || is_alone(p, d)) {
			vec_release(&d->programs);
			continue;
		}
		if (is_one_entry(d))
			plan_one_entry(d);
		else
			plan_dispatcher(d);
		p->dispatchers.items[n++] = d;
	}
	p->dispatchers.n = n;
}

/* ---- loading ------------------------------------------------------------------------------ */

/* Create the table of calls: by number, 0 if the call is wanted. */
static int make_sites(struct dispatcher *d, struct err *err)
{
	u32 numbers[GEN_SYSCALLS_MAX], sites[GEN_SYSCALLS_MAX], n = GEN_SYSCALLS_MAX;
	const struct dispatched *one;

	d->sites_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "sites", sizeof(u32), sizeof(u32),
				     GEN_SYSCALLS_MAX, NULL);
	if (d->sites_fd < 0)
		return prog_explain(errno, "create", "the table of sites", err);
	for (u32 i = 0; i < n; i++) {
		numbers[i] = i;
		sites[i] = UINT32_MAX;
	}
	vec_for_each(one, &d->programs)
		for (size_t i = 0; i < one->group->sites.n; i++)
			if (group_site(one->group, i)->nr < n)
				sites[group_site(one->group, i)->nr] = 0;
	if (bpf_map_update_batch(d->sites_fd, numbers, sites, &n, NULL))
		return prog_explain(errno, "fill", "the table of sites", err);
	return 0;
}

static int make_maps(struct dispatcher *d, struct err *err)
{
	const struct dispatched *one;
	int ret = make_sites(d, err);

	if (ret || d->is_one_entry)
		return ret;
	d->progs_fd = bpf_map_create(BPF_MAP_TYPE_PROG_ARRAY, d->hook, sizeof(u32), sizeof(u32),
				     d->n_levels * GEN_SYSCALLS_MAX, NULL);
	if (d->progs_fd < 0)
		return prog_explain(errno, "create", "the table of programs", err);
	d->gen.next.progs_fd = d->progs_fd;
	vec_for_each(one, &d->programs)
		plan_of(one)->next.progs_fd = d->progs_fd;
	return 0;
}

int dispatch_open(struct probes *p, struct err *err)
{
	int ret = 0;

	dispatcher_for_each(d, p)
		ret = ret ?: make_maps(d, err);
	return ret;
}

/*
 * Put a program on its level, and on the levels before it that have no program for the call, so
 * that the previous program skips them.  Levels are filled from last to first, so that the nearest
 * one wins.
 */
static int fill_program(const struct dispatcher *d, const struct dispatched *one, struct err *err)
{
	int fd = one->is_entry ? one->group->entry_fd : one->group->prog_fd;

	for (size_t i = 0; i < one->group->sites.n; i++) {
		u32 nr = group_site(one->group, i)->nr;

		for (u32 level = 0; level <= one->level && nr < GEN_SYSCALLS_MAX; level++) {
			u32 at = level * GEN_SYSCALLS_MAX + nr;

			if (bpf_map_update_elem(d->progs_fd, &at, &fd, BPF_ANY))
				return prog_explain(errno, "fill", "the table of programs", err);
		}
	}
	return 0;
}

static const struct text *words_of(const struct dispatcher *d)
{
	return &d->programs.items[0].probe->spec.text;
}

static int generate(const struct probes *p, struct dispatcher *d, struct insns *out,
		    struct err *err)
{
	d->gen.maps.window = p->window_fd;
	d->gen.maps.sites = d->sites_fd;
	if (d->is_one_entry) {
		d->gen.maps.probe_counts = p->counts_fd;
		d->gen.call.kept.fd = plan_of(&d->programs.items[0])->call.kept.fd;
	}
	insns_init(out);
	return gen_program(&d->gen, words_of(d), out, err);
}

static int load(struct probes *p, struct dispatcher *d, struct err *err)
{
	const struct generated_opts opts = {
		.name = d->hook,
		.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
	};
	struct insns code;
	int ret = generate(p, d, &code, err);

	if (!ret) {
		d->prog_fd = generated_load(&code, &p->fixed, words_of(d), &opts, err);
		ret = d->prog_fd < 0 ? d->prog_fd : 0;
	}
	insns_release(&code);
	for (size_t i = d->programs.n; i > 0 && !ret && !d->is_one_entry; i--)
		ret = fill_program(d, &d->programs.items[i - 1], err);
	return ret;
}

int dispatch_load(struct probes *p, struct err *err)
{
	int ret = 0;

	dispatcher_for_each(d, p)
		ret = ret ?: load(p, d, err);
	return ret;
}

int dispatch_dump(const struct probes *p, struct str *out, struct err *err)
{
	int ret = 0;

	dispatcher_for_each(d, p) {
		struct insns code;

		ret = ret ?: generate(p, d, &code, err);
		if (ret)
			return ret;
		str_addf(out, "# one program at %s, %s\n", d->hook,
			 d->is_one_entry ? "the entry of all calls"
					 : "which jumps to those below that are of the call");
		insns_dump(&code, words_of(d), out);
		insns_release(&code);
	}
	return ret;
}

/* ---- attaching and disabling ---------------------------------------------------------------- */

int dispatch_attach(struct probes *p, bool has_filter, struct err *err)
{
	dispatcher_for_each(d, p) {
		if (d->has_filter != has_filter)
			continue;
		d->link_fd = bpf_raw_tracepoint_open(d->hook, d->prog_fd);
		if (d->link_fd < 0)
			return prog_explain(errno, "attach", d->hook, err);
	}
	return 0;
}

void dispatch_disable(struct probes *p)
{
	dispatcher_for_each(d, p) {
		close_p(&d->link_fd);
		d->link_fd = -1;
	}
}

static bool leads_to(const struct dispatcher *d, const struct probe *probe)
{
	const struct dispatched *one;

	vec_for_each(one, &d->programs)
		if (one->probe == probe)
			return true;
	return false;
}

static struct bpf_prog_info info_of(const struct dispatcher *d)
{
	struct bpf_prog_info info = { 0 };
	u32 bytes = sizeof(info);

	if (d->prog_fd < 0 || bpf_obj_get_info_by_fd(d->prog_fd, &info, &bytes))
		return (struct bpf_prog_info){ 0 };
	return info;
}

u64 dispatch_missed(const struct probes *p, const struct probe *probe)
{
	u64 sum = 0;

	dispatcher_for_each(d, p)
		if (!probe || leads_to(d, probe))
			sum += info_of(d).recursion_misses;
	return sum;
}

void dispatch_release(struct probes *p)
{
	dispatcher_for_each(d, p) {
		close_p(&d->link_fd);
		close_p(&d->prog_fd);
		close_p(&d->progs_fd);
		close_p(&d->sites_fd);
		vec_release(&d->programs);
	}
	vec_release(&p->dispatchers);
}
