// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "site/plan.h"

#include <stdio.h>
#include <unistd.h>

#include "site/choose.h"
#include "site/find_int.h"

/* ---- building ---- */

static int (*const finders[SITE_KIND_N])(struct finder *f) = {
	[SITE_FUNC] = find_kernel,
	[SITE_FUNC_RET] = find_kernel,
	[SITE_UFUNC] = find_user,
	[SITE_UFUNC_RET] = find_user,
	[SITE_TRACEPOINT] = find_tracepoints,
	[SITE_RAW] = find_raw,
	[SITE_USDT] = find_usdt,
	[SITE_PERF] = find_perf,
	[SITE_SYSCALL] = find_syscalls,
	[SITE_SYSCALL_RET] = find_syscalls,
};

static int find_name(struct finder *f, const struct site_name *name)
{
	int ret;

	f->name = name;
	ret = matcher_init(&f->match, name->func, name->is_glob, f->p->is_regex, f->err);
	if (ret)
		return ret;
	ret = finders[f->p->kind](f);
	matcher_release(&f->match);
	return ret;
}

/* Find all names of one alternative.  A missing member of a set is only noted if another member was
 * found. */
static int find_alternative(struct finder *f, struct err *err)
{
	struct err first = { 0 };
	size_t before = f->plan->sites.n;

	for (size_t i = 0; i < f->p->names.n; i++) {
		struct err e = { 0 };
		int ret;

		f->err = &e;
		ret = find_name(f, &f->p->names.items[i]);
		if (ret && ret != -ERR_NOTARGET) {
			*err = e;
			return ret;
		}
		if (ret && !first.code)
			first = e;
		if (ret && f->p->names.n > 1)
			finder_note(f, "'%s': %s", f->p->names.items[i].func, e.what);
	}
	if (f->plan->sites.n > before)
		return 0;
	*err = first;
	return -err->code;
}

static int find_sites(struct finder *f, const struct probe_spec *spec, struct err *err)
{
	struct err first = { 0 };

	for (size_t i = 0; i < spec->alternatives.n; i++) {
		struct err e = { 0 };
		int ret;

		f->p = &spec->alternatives.items[i];
		f->pattern = (u32)i;
		ret = find_alternative(f, &e);
		if (!ret && i)
			finder_note(f, "'%.*s' is taken", (int)f->p->at.n,
				    f->text->p + f->p->at.at);
		if (!ret)
			return 0;
		if (!first.code)
			first = e;
		if (ret != -ERR_NOTARGET)
			break;
		f->plan->notes.n = 0;
	}
	*err = first;
	return -err->code;
}

static int check_one_kind(const struct probe_plan *plan, const struct probe_spec *spec,
			  struct err *err)
{
	const struct site *first = &plan->sites.items[0], *s;

	vec_for_each(s, &plan->sites)
		if (s->kind != first->kind)
			return text_error(&spec->text, spec->site, err,
					  "these sites are of two kinds, such as %s and %s: give "
					  "each a spec of its own",
					  first->name, s->name);
	return 0;
}

struct class
{
	enum attach_method method;
	bool (*fits)(struct kernel *k, const struct site *s);
};

/* Move the sites that fit to a plan of their own. */
static void take_out(struct kernel *k, struct probe_plan *plan, const struct class *class)
{
	struct probe_plan *to = mem_alloc(1, sizeof(*to));
	const struct site *s;
	size_t n = 0;

	vec_for_each(s, &plan->sites)
		if (class->fits(k, s))
			vec_push(&to->sites, *s);
		else
			plan->sites.items[n++] = *s;
	plan->sites.n = n;
	to->method = class->method;
	to->next = plan->next;
	plan->next = to;
}

/* Remove plans without sites. */
static void drop_empty(struct probe_plan *plan)
{
	struct probe_plan *next = plan->next;

	while (next && (!next->sites.n || !plan->sites.n)) {
		if (!plan->sites.n) {
			vec_release(&plan->sites);
			memcpy(&plan->sites, &next->sites, sizeof(plan->sites));
			plan->method = next->method;
		}
		plan->next = next->next;
		free(next);
		next = plan->next;
	}
	if (next)
		drop_empty(next);
}

/*
 * Sites of several kinds could be attached only through perf, which waits for grace periods for
 * each tracepoint: a minute for 2,000 of them.  If no fields are used, system calls are instead
 * attached by two raw tracepoints, and most other tracepoints as raw ones: these attach and detach
 * at once and miss no hits.
 */
static void take_apart(struct kernel *k, const struct plan_ability *can, struct probe_plan *plan)
{
	static const struct class classes[] = {
		{ ATTACH_SYSCALL_RAW, tracepoint_is_syscall },
		{ ATTACH_RAW_TP, tracepoint_is_raw },
	};
	struct probe_plan *one;

	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		if (method_is_there(can, classes[i].method))
			take_out(k, plan, &classes[i]);
	drop_empty(plan);
	for (one = plan; plan->next && one; one = one->next)
		one->is_one_of_many = true;
}

/* Read the details of each site that the method and types need. */
static int load_sites(struct kernel *k, struct probe_plan *plan, const struct plan_opts *opts,
		      struct err *err)
{
	struct site *s;
	int ret = 0;

	vec_for_each(s, &plan->sites) {
		if (plan->method == ATTACH_TRACEPOINT)
			ret = load_tracepoint(k, plan, s, err);
		else if (attach_method_is_syscall(plan->method))
			load_syscall(k, plan, s, opts->wants_types);
		if (ret)
			return ret;
	}
	return 0;
}

static bool are_functions(const struct probe_plan *plan)
{
	return plan->sites.n && (plan->sites.items[0].kind == SITE_FUNC ||
				 plan->sites.items[0].kind == SITE_FUNC_RET);
}

static int find_and_choose(struct finder *f, const struct probe_spec *spec, struct plan_opts *own,
			   struct err *err)
{
	struct probe_plan *out = f->plan;
	struct index seen = { 0 };
	int ret;

	f->seen = &seen;
	ret = find_sites(f, spec, err);
	index_release(&seen);
	f->seen = NULL;
	if (!ret && out->sites.n == PLAN_MAX_SITES)
		ret = err_set(err, ERR_USAGE, "more than %d sites", PLAN_MAX_SITES - 1);
	if (!ret)
		ret = check_one_kind(out, spec, err);
	if (ret)
		return ret;
	if (spec->alternatives.items[out->sites.items[0].pattern].is_fentry)
		own->forced = ATTACH_FENTRY;
	return method_choose(f->k, out, f->can, own, err);
}

int plan_build(struct kernel *k, const struct probe_spec *spec, const struct plan_ability *can,
	       const struct plan_opts *opts, struct probe_plan *out, struct err *err)
{
	struct plan_opts own = *opts;
	struct finder f = { .k = k, .text = &spec->text, .can = can, .opts = &own, .plan = out };
	int ret;

	*out = (struct probe_plan){ 0 };
	ret = find_and_choose(&f, spec, &own, err);
	if (ret && !own.wants_types && are_functions(out)) {
		/* fentry, which finds functions by their types, may be the only method left. */
		struct err again = { 0 };

		own.wants_types = true;
		plan_release(out);
		*out = (struct probe_plan){ 0 };
		if (!find_and_choose(&f, spec, &own, &again)) {
			*err = (struct err){ 0 };
			ret = 0;
		}
	}
	if (!ret && out->method == ATTACH_TRACEPOINT && !own.wants_types && !own.forced)
		take_apart(k, can, out);
	for (struct probe_plan *one = out; one; one = one->next)
		ret = ret ?: load_sites(k, one, &own, err);
	return ret;
}

/* ---- returns and their entries ---- */

static enum site_kind entry_kind(enum site_kind k)
{
	switch (k) {
	case SITE_FUNC_RET:
		return SITE_FUNC;
	case SITE_UFUNC_RET:
		return SITE_UFUNC;
	case SITE_SYSCALL_RET:
		return SITE_SYSCALL;
	default:
		return k;
	}
}

bool site_is_syscall_exit(const struct site *s)
{
	return s->kind == SITE_TRACEPOINT && !strcmp(s->category, "syscalls") &&
	       !strncmp(s->func, "sys_exit_", 9);
}

bool site_is_syscall_return(const struct site *s)
{
	return s->kind == SITE_SYSCALL_RET || site_is_syscall_exit(s);
}

int plan_entries(const struct probe_plan *returns, const struct plan_ability *can,
		 struct probe_plan *out, struct err *err)
{
	const struct site *s;

	(void)can;
	*out = (struct probe_plan){ .method = returns->method,
				    .text_start = returns->text_start,
				    .reach = returns->reach };
	vec_for_each(s, &returns->sites) {
		struct site entry = *s;

		entry.kind = entry_kind(s->kind);
		if (site_is_syscall_exit(s) && attach_method_is_syscall(returns->method))
			entry.func = arena_printf(&out->arena, "sys_enter_%s", s->func + 9);
		else if (entry.kind == s->kind)
			return err_set(err, ERR_USAGE, "'%s' is not a return", s->name);
		vec_push(&out->sites, entry);
	}
	return 0;
}

/* ---- --dry-run ---- */

void plan_print(const struct probe_plan *p, struct str *out)
{
	const struct site *s;

	vec_for_each(s, &p->sites) {
		str_addf(out, "%s by %s", s->name, attach_method_name(p->method));
		if (s->file)
			str_addf(out, " at %s+0x%llx", s->file->path, s->file_offset);
		if (s->symbol && !s->file && strcmp(s->symbol, s->func) != 0)
			str_addf(out, " as %s", s->symbol);
		if (s->module)
			str_addf(out, " in %s", s->module);
		str_addc(out, '\n');
	}
	for (u32 i = 0; i < SKIP_N; i++)
		if (p->n_skipped[i])
			str_addf(out, "%llu skipped: %s\n", p->n_skipped[i], plan_skip_words[i]);
}
