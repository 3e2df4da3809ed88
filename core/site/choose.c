// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "site/choose.h"

#include <stdio.h>

#include "site/find_int.h"

/* Above this number, one event with many probes is created and removed faster than single
 * probes. */
#define MANY 8

struct method_choice {
	enum attach_method method;
	/* NULL: the method fits all sites */
	bool (*fits)(struct kernel *k, const struct probe_plan *plan, const struct plan_opts *opts);
};

static const char *const names[ATTACH_METHOD_N] = {
	[ATTACH_NONE] = "none",
	[ATTACH_RAW_TP] = "raw_tp",
	[ATTACH_TP_BTF] = "tp_btf",
	[ATTACH_TRACEPOINT] = "tracepoint",
	[ATTACH_FENTRY] = "fentry",
	[ATTACH_KPROBE_MULTI] = "kprobe.multi",
	[ATTACH_KPROBE_EVENT] = "kprobe-event",
	[ATTACH_KPROBE] = "kprobe",
	[ATTACH_UPROBE_MULTI] = "uprobe.multi",
	[ATTACH_UPROBE_EVENT] = "uprobe-event",
	[ATTACH_UPROBE] = "uprobe",
	[ATTACH_PERF] = "perf",
	[ATTACH_SYSCALL_RAW] = "raw-syscall",
	[ATTACH_SYSCALL_EVENT] = "syscall-event",
};

const char *attach_method_name(enum attach_method m)
{
	return names[m];
}

static bool is_many(struct kernel *k, const struct probe_plan *plan, const struct plan_opts *opts)
{
	(void)k;
	(void)opts;
	return plan->sites.n > MANY;
}

/* If no fields are used, the record is not needed, and no hits are skipped. */
static bool needs_no_record(struct kernel *k, const struct probe_plan *plan,
			    const struct plan_opts *opts)
{
	return !opts->wants_types && tracepoints_are(k, plan, tracepoint_is_raw);
}

/* Calls with arguments may need a program each, and each call runs all these programs: 15 ns for
 * each of them. */
#define MANY_CALLS 32

static bool are_syscalls(struct kernel *k, const struct probe_plan *plan,
			 const struct plan_opts *opts)
{
	return tracepoints_are(k, plan, tracepoint_is_syscall) &&
	       (!opts->wants_types || plan->sites.n <= MANY_CALLS);
}

/* Each call's tracepoint is an event of its own, whose closing waits for the kernel. */
#define FEW_CALLS 8

/*
 * At the tracepoint of a call, programs do not see the kernel's stack: they get the registers of
 * user space.  Kernels that do not count the events that a program misses are left out, since such
 * a run could not say whether its numbers are complete.  (The kernel got both features in 6.10.)
 */
static bool are_few_calls(struct kernel *k, const struct probe_plan *plan,
			  const struct plan_opts *opts)
{
	const struct site *s;
	u32 enter, exit;

	if (opts->wants_kstack || plan->sites.n * (opts->n_specs ? opts->n_specs : 1) > FEW_CALLS)
		return false;
	vec_for_each(s, &plan->sites)
		if (!syscall_find_events(k, s, &enter, &exit))
			return false;
	return true;
}

/* kprobe.multi and fentry attach to whole functions only. */
static bool are_whole(struct kernel *k, const struct probe_plan *plan, const struct plan_opts *opts)
{
	const struct site *s;

	(void)k;
	(void)opts;
	vec_for_each(s, &plan->sites)
		if (s->offset || !s->symbol)
			return false;
	return true;
}

static bool are_typed(struct kernel *k, const struct probe_plan *plan, const struct plan_opts *opts)
{
	const struct site *s;

	vec_for_each(s, &plan->sites)
		if (!s->attach_btf_id)
			return false;
	return are_whole(k, plan, opts);
}

#define MAX_WISHES 8

/*
 * Best first.  kprobe.multi and uprobe.multi attach and detach thousands of sites in a tenth of a
 * second; single probes need a tenth of a second each to detach (grace periods).  Programs attached
 * through perf events are skipped while another BPF program runs on that CPU.
 *
 * System calls: sys_enter with a guard costs every call 35 ns (6.18); the tracepoint of one call
 * costs other calls 10 ns.  The former attaches and detaches many calls at once.
 */
static const struct method_choice wishes[SITE_KIND_N][MAX_WISHES] = {
	[SITE_FUNC] = { { ATTACH_KPROBE_MULTI, are_whole },
			{ ATTACH_KPROBE_EVENT, is_many },
			{ ATTACH_KPROBE, NULL },
			{ ATTACH_KPROBE_EVENT, NULL },
			{ ATTACH_FENTRY, are_typed } },
	[SITE_FUNC_RET] = { { ATTACH_KPROBE_MULTI, are_whole },
			    { ATTACH_KPROBE_EVENT, is_many },
			    { ATTACH_KPROBE, NULL },
			    { ATTACH_KPROBE_EVENT, NULL },
			    { ATTACH_FENTRY, are_typed } },
	[SITE_UFUNC] = { { ATTACH_UPROBE_MULTI, NULL },
			 { ATTACH_UPROBE_EVENT, is_many },
			 { ATTACH_UPROBE, NULL },
			 { ATTACH_UPROBE_EVENT, NULL } },
	[SITE_UFUNC_RET] = { { ATTACH_UPROBE_MULTI, NULL },
			     { ATTACH_UPROBE_EVENT, is_many },
			     { ATTACH_UPROBE, NULL },
			     { ATTACH_UPROBE_EVENT, NULL } },
	[SITE_USDT] = { { ATTACH_UPROBE_MULTI, NULL },
			{ ATTACH_UPROBE_EVENT, is_many },
			{ ATTACH_UPROBE, NULL },
			{ ATTACH_UPROBE_EVENT, NULL } },
	[SITE_TRACEPOINT] = { { ATTACH_SYSCALL_EVENT, are_few_calls },
			      { ATTACH_SYSCALL_RAW, are_syscalls },
			      { ATTACH_RAW_TP, needs_no_record },
			      { ATTACH_TRACEPOINT, NULL } },
	[SITE_RAW] = { { ATTACH_RAW_TP, NULL }, { ATTACH_TP_BTF, are_typed } },
	[SITE_PERF] = { { ATTACH_PERF, NULL } },
	[SITE_SYSCALL] = { { ATTACH_SYSCALL_EVENT, are_few_calls }, { ATTACH_SYSCALL_RAW, NULL } },
	[SITE_SYSCALL_RET] = { { ATTACH_SYSCALL_EVENT, are_few_calls },
			       { ATTACH_SYSCALL_RAW, NULL } },
};

static const char *const what[SITE_KIND_N] = {
	[SITE_FUNC] = "kernel functions",  [SITE_FUNC_RET] = "returns of kernel functions",
	[SITE_UFUNC] = "user functions",   [SITE_UFUNC_RET] = "returns of user functions",
	[SITE_TRACEPOINT] = "tracepoints", [SITE_RAW] = "raw tracepoints",
	[SITE_USDT] = "USDT probes",	   [SITE_PERF] = "perf events",
	[SITE_SYSCALL] = "system calls",   [SITE_SYSCALL_RET] = "returns of system calls",
};

static bool is_possible(struct kernel *k, const struct method_choice *w,
			const struct probe_plan *plan, const struct plan_opts *opts)
{
	return !w->fits || w->fits(k, plan, opts);
}

/* The error for a forced method, on one line: lists the methods that can attach to these sites,
 * regardless of their number. */
static int forced_wrong(struct kernel *k, const struct probe_plan *plan,
			const struct plan_opts *opts, struct err *err)
{
	const struct site *s = &plan->sites.items[0];
	const struct method_choice *list = wishes[s->kind];
	char text[256] = "";
	size_t n = 0;

	for (u32 i = 0; i < MAX_WISHES && list[i].method; i++) {
		bool is_new = list[i].fits == is_many || is_possible(k, &list[i], plan, opts);

		for (u32 j = 0; j < i; j++)
			is_new &= list[j].method != list[i].method;
		if (is_new && n < sizeof(text))
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? ", " : "",
					      names[list[i].method]);
	}
	err_set(err, ERR_USAGE, "%s can't be probed by %s", what[s->kind], names[opts->forced]);
	return err_hint(err, "methods for %s: %s", s->name, text);
}

static bool is_there(const struct plan_ability *can, enum attach_method m, const char **why)
{
	*why = NULL;
	return can->methods >> m & 1 || (can->ask && can->ask(m, why));
}

bool method_is_there(const struct plan_ability *can, enum attach_method m)
{
	const char *why;

	return is_there(can, m, &why);
}

static int forced_missing(const struct site *s, enum attach_method m, const char *why,
			  struct err *err)
{
	err_set(err, ERR_KERNEL, "%s can't be probed by %s on this kernel%s%s", what[s->kind],
		names[m], why ? ": " : "", why ? why : "");
	return err_hint(err, "`bperf doctor` shows what can be");
}

static int none_there(const struct method_choice *list, const struct site *s,
		      const struct plan_ability *can, struct err *err)
{
	const char *why = NULL, *reason;

	for (u32 i = 0; i < MAX_WISHES && list[i].method; i++)
		if (!is_there(can, list[i].method, &reason) && reason &&
		    (!why || list[i].method == ATTACH_KPROBE))
			why = reason;
	err_set(err, ERR_KERNEL, "%s can't be probed on this kernel%s%s", what[s->kind],
		why ? ": " : "", why ? why : "");
	return err_hint(err, "`bperf doctor` shows what can be");
}

/* ---- limiting user probes to processes ---- */

/* Events of sites and processes: attaching each takes a millisecond, and detaching longer. */
#define EVENTS_MAX 1024

static bool is_headless(const struct reach *r)
{
	const u32 *tgid;

	vec_for_each(tgid, &r->tgids)
		if (reach_is_headless(*tgid))
			return true;
	return false;
}

/*
 * Can this method leave the code of other processes unchanged?  If children are included, only
 * events of tracefs can, which children inherit: a link for a child would be attached after its
 * first calls, and single probes cannot be inherited (their attributes contain an address in
 * bperf's memory).
 */
static bool can_limit(struct kernel *k, const struct probe_plan *plan, const struct reach *r,
		      enum attach_method m)
{
	if (r->has_children)
		return m == ATTACH_UPROBE_EVENT && r->tids.n <= REACH_THREADS_MAX &&
		       plan->sites.n <= REACH_SITES_MAX && kernel_keeps_inherited();
	if (r->tgids.n > REACH_PROCESSES_MAX || is_headless(r))
		return false;
	if (m == ATTACH_UPROBE_MULTI)
		return kernel_multi_has_processes(k);
	return plan->sites.n * r->tgids.n <= EVENTS_MAX;
}

static const char *why_wide(struct probe_plan *plan, const struct plan_opts *opts)
{
	const struct reach *r = opts->reach;

	if (!r->is_limited)
		return r->why_all;
	if (r->has_children && r->tids.n > REACH_THREADS_MAX)
		return arena_printf(&plan->arena, "they have more than %d threads",
				    REACH_THREADS_MAX);
	if (r->has_children && plan->sites.n > REACH_SITES_MAX)
		return arena_printf(&plan->arena, "there are more than %d sites", REACH_SITES_MAX);
	if (r->has_children)
		return arena_printf(&plan->arena, "%s cannot follow children in time",
				    kernel_keeps_inherited() ? names[plan->method] : "this kernel");
	if (r->tgids.n > REACH_PROCESSES_MAX)
		return arena_printf(&plan->arena, "there are more than %d of them",
				    REACH_PROCESSES_MAX);
	if (is_headless(r))
		return "the first thread of one of them has ended";
	return "this kernel cannot limit the attach method to processes";
}

static int set_method(struct probe_plan *plan, const struct plan_opts *opts, enum attach_method m,
		      bool is_limited)
{
	const struct reach *r = opts->reach;
	bool is_asked =
		r && (r->is_limited || r->why_all) && site_kind_is_user(plan->sites.items[0].kind);

	plan->method = m;
	plan->reach = is_limited ? opts->reach : NULL;
	plan->wide_why = is_asked && !is_limited ? why_wide(plan, opts) : NULL;
	return 0;
}

/* Choose a method that leaves the code of other processes unchanged, if there is one. */
static bool take_limiting(struct kernel *k, struct probe_plan *plan, const struct plan_ability *can,
			  const struct plan_opts *opts)
{
	const struct site *s = &plan->sites.items[0];
	const struct method_choice *list = wishes[s->kind];

	if (!opts->reach || !opts->reach->is_limited || !site_kind_is_user(s->kind))
		return false;
	for (u32 i = 0; i < MAX_WISHES && list[i].method; i++) {
		enum attach_method m = list[i].method;

		if ((opts->forced && m != opts->forced) || !can_limit(k, plan, opts->reach, m) ||
		    (!opts->forced && !is_possible(k, &list[i], plan, opts)) ||
		    !method_is_there(can, m))
			continue;
		set_method(plan, opts, m, true);
		return true;
	}
	return false;
}

int method_choose(struct kernel *k, struct probe_plan *plan, const struct plan_ability *can,
		  const struct plan_opts *opts, struct err *err)
{
	const struct site *s = &plan->sites.items[0];
	const struct method_choice *list = wishes[s->kind];
	bool is_known = false;
	const char *why;

	if (take_limiting(k, plan, can, opts))
		return 0;
	for (u32 i = 0; i < MAX_WISHES && list[i].method; i++) {
		const struct method_choice *w = &list[i];

		if (opts->forced && w->method != opts->forced)
			continue;
		is_known = true;
		if (opts->forced && !is_there(can, w->method, &why))
			return forced_missing(s, w->method, why, err);
		/* A forced method is refused only if it is impossible; the number of sites only
		 * decides which method is preferred. */
		if (opts->forced && w->fits == is_many)
			continue;
		if (!is_possible(k, w, plan, opts) || !is_there(can, w->method, &why))
			continue;
		return set_method(plan, opts, w->method, false);
	}
	if (opts->forced && !is_known)
		return forced_wrong(k, plan, opts, err);
	if (opts->forced)
		return err_set(err, ERR_NOTARGET, "'%s' can't be probed by %s", s->name,
			       names[opts->forced]);
	return none_there(list, s, can, err);
}
