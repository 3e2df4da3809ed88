// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* From specs to groups of sites: all the work on probes that needs nothing loaded into the
 * kernel. */
#include "probe/needs.h"
#include "probe/probes_int.h"

#include <string.h>

#include "attach/ability.h"
#include "base/log.h"
#include "base/suggest.h"
#include "host/btf.h"
#include "host/ksymbols.h"
#include "syntax/parse.h"

/* ---- specs -------------------------------------------------------------------------------- */

static int find_method(const char *name, enum attach_method *out, struct err *err)
{
	const char *names[ATTACH_METHOD_N], *nearest;
	size_t n = 0;

	for (u32 m = ATTACH_NONE + 1; m < ATTACH_METHOD_N; m++) {
		const char *known = attach_method_name((enum attach_method)m);

		if (!known)
			continue;
		if (!strcmp(known, name)) {
			*out = (enum attach_method)m;
			return 0;
		}
		names[n++] = known;
	}
	err_set(err, ERR_USAGE, "--attach: '%s' is not an attach method", name);
	nearest = nearest_of(name, names, n);
	if (nearest)
		return err_hint(err, "did you mean '%s'?", nearest);
	return err_hint(err, "bperf help probes lists them");
}

static void find_symbol(void *ctx, const char *name, struct type_symbol *out)
{
	struct kernel_symbol s;
	int ret = ksymbol_find(ctx, name, &s);

	*out = (struct type_symbol){ -ret, s.n_found, s.is_hidden, s.has_data, s.addr, s.offsets };
}

int probes_init(struct probes *p, const struct probes_opts *opts, struct err *err)
{
	const struct kernel_paths paths = { .btf = opts->btf, .types = kernel_types };
	int ret = 0;

	*p = (struct probes){ .opts = *opts };
	if (opts->method)
		ret = find_method(opts->method, &p->method, err);
	if (ret)
		return ret;
	probes_set_reach(p);
	types_init(&p->types, &p->arena, opts->string_size + 1);
	p->types.key_string_size = opts->key_string_size + 1;
	p->kernel = kernel_open(&paths);
	p->types.find_symbol = find_symbol;
	p->types.find_ctx = p->kernel;
	return 0;
}

static int add_part(struct probes *p, struct probe *probe, const struct probe_spec *spec,
		    bool is_start, struct err *err)
{
	const struct text *t = &probe->spec.text;
	struct probe_part *part = arena_new(&p->arena, struct probe_part);

	part->spec = spec;
	part->name = arena_view(&p->arena, span_view(t, span_trim(t, spec->site)));
	part->is_start = is_start;
	part->plan = probe->spec.span ? arena_new(&p->arena, struct probe_plan) : &probe->plan;
	vec_push(&probe->parts, part);
	if (!spec->has_signature)
		return 0;
	return parse_signature(&p->arena, t, spec->signature, &part->sig, err);
}

static int add_parts(struct probes *p, struct probe *probe, struct err *err)
{
	const struct probe_span *span = probe->spec.span;
	const struct probe_spec *spec;
	int ret = 0;

	if (!span)
		return add_part(p, probe, &probe->spec, false, err);
	if (probe->spec.has_signature)
		return text_error(&probe->spec.text, probe->spec.signature, err,
				  "put a signature after the site of the span that it describes");
	vec_for_each(spec, &span->starts)
		ret = ret ?: add_part(p, probe, spec, true, err);
	for (size_t i = span->starts.n - span->n_updates; i < probe->parts.n; i++)
		probe->parts.items[i]->is_update = true;
	vec_for_each(spec, &span->ends)
		ret = ret ?: add_part(p, probe, spec, false, err);
	return ret;
}

int probes_add(struct probes *p, const char *word, enum spec_form form,
	       const struct spec_opts *opts, struct err *err)
{
	struct probe *probe = arena_new(&p->arena, struct probe);
	struct text_range site;
	int ret;

	probe->index = (u32)p->v.n;
	probe->span_fd = probe->bins_fd = probe->exit_fd = probe->exit_link_fd = -1;
	vec_push(&p->v, probe);
	ret = probe_parse(&p->arena, word, form, opts, &probe->spec, err);
	if (ret)
		return ret;
	site = span_trim(&probe->spec.text, probe->spec.site);
	probe->name = arena_view(&p->arena, span_view(&probe->spec.text, site));
	ret = add_parts(p, probe, err);
	if (!ret && probe->spec.has_format)
		ret = format_parse(&p->arena, &probe->spec.text, probe->spec.format, &probe->format,
				   err);
	return ret;
}

/* ---- sites -------------------------------------------------------------------------------- */

/* Can one program serve all sites of this plan? */
static bool can_share(const struct probes *p, const struct probe_plan *plan)
{
	struct attach_kind kind = attach_kind(plan, &p->can);
	const struct site *site;

	if (plan->sites.n < 2 || kind.is_one_per_site)
		return false;
	if (kind.has_cookie || plan->method == ATTACH_SYSCALL_RAW)
		return true;
	vec_for_each(site, &plan->sites)
		if ((site->kind != SITE_FUNC && site->kind != SITE_FUNC_RET) || !site->addr)
			return false;
	return p->can.has_func_ip;
}

static struct probe_group *new_group(struct probes *p, struct probe *probe, struct probe_part *part,
				     struct scope *scope)
{
	struct probe_group *g = arena_new(&p->arena, struct probe_group);

	g->part = part;
	g->scope = scope;
	g->prog_fd = g->entry_fd = g->sites_fd = -1;
	if (part->is_start)
		vec_push(&probe->start_groups, g);
	else
		vec_push(&probe->groups, g);
	return g;
}

static int add_site(struct probes *p, struct probe *probe, struct probe_part *part, u32 i,
		    struct err *err)
{
	const struct arena mark = p->arena;
	struct scope *scope = arena_new(&p->arena, struct scope);
	struct probe_group *found = NULL;
	int ret = site_scope(p->kernel, part->plan, i, &p->types, &probe->spec.text, &part->sig,
			     scope, err);

	if (ret)
		return ret;
	group_for_each(g, probe)
		if (part->can_share && !found && g->part == part && scope_same(g->scope, scope))
			found = g;
	if (!found) {
		found = new_group(p, probe, part, scope);
	} else {
		/* Copies of one scope for ten thousand sites would fill memory. */
		probes_release_scope(scope);
		arena_rewind(&p->arena, &mark);
	}
	vec_push(&found->sites, part->first + i);
	return 0;
}

/* The current task is unrelated to these events, and a span belongs to the thread that starts
 * it. */
static int check_task(const struct probes *p, const struct probe *probe,
		      const struct probe_part *part, struct err *err)
{
	/* Other events have a current task, and the filter is about that one. */
	const char *option = probe->spec.span ? p->opts.target : p->opts.tgid ? "-p" : NULL;
	const struct site_pattern *pattern;
	const struct site *site = NULL;

	group_for_each(g, probe)
		if (g->part == part && g->scope->is_any_task)
			site = group_site(g, 0);
	if (!site || !option || asked_for_targets(p, probe) ||
	    (probe->spec.span && !part->is_start))
		return 0;
	pattern = &part->spec->alternatives.items[site->pattern];
	if (!probe->spec.span && (pattern->is_glob || pattern->is_regex))
		return 0;
	text_error(&probe->spec.text, pattern->at, err,
		   "%s: %s is about a task other than the one that is running when it happens",
		   option, site->name);
	return err_hint(err, "filter by its arguments in a predicate instead of %s", option);
}

static void say_notes(const struct probe_part *part)
{
	static const char *const reasons[SKIP_N] = {
		[SKIP_NOT_TRACEABLE] = "not traceable",
		[SKIP_DENIED] = "on the kernel's blacklist",
		[SKIP_DANGEROUS] = "known to hang machines",
		[SKIP_DUPLICATE] = "at the address of another",
		[SKIP_AMBIGUOUS] = "with a name that several functions have",
		[SKIP_UNTYPED] = "not in BTF, which fentry needs",
		[SKIP_RETURN] = "whose callers a return probe would crash",
		[SKIP_VOID] = "without a return value that can be read",
		[SKIP_INSN] = "at an instruction that the kernel cannot replace",
		[SKIP_REFUSED] = "refused by the kernel",
	};
	const struct probe_plan *plan = part->plan;
	const char **line;

	vec_for_each(line, &plan->notes)
		log_note("%s", *line);
	for (u32 i = 0; i < SKIP_N; i++)
		if (plan->n_skipped[i])
			log_note("%s: %llu skipped: %s", part->name, plan->n_skipped[i],
				 reasons[i]);
	vec_for_each(line, &plan->skipped)
		log_info("skipped %s", *line);
	log_info("%s: %zu site%s by %s", part->name, plan->sites.n, plan->sites.n == 1 ? "" : "s",
		 attach_method_name(plan->method));
}

static int build(struct probes *p, struct probe *probe, struct probe_part *part, struct err *err)
{
	bool is_everybodys = !part->is_start && probe_ends_elsewhere(probe);
	const struct plan_opts opts = {
		.forced = p->method,
		.tgid = p->opts.tgid,
		.reach = is_everybodys ? NULL : &p->reach,
		.is_offline = p->opts.is_offline,
		.wants_types = p->opts.wants_types || probe->spec.span,
		.wants_kstack = p->opts.wants_kstack || strstr(probe->spec.text.p, "kstack"),
		.n_specs = (u32)p->v.n,
	};

	if (!is_everybodys && probe_is_in_user_code(part->spec))
		probes_reach_members(p);
	return plan_build(p->kernel, part->spec, &p->can, &opts, part->plan, err);
}

/* true if site i is a function without a return value.  A pattern with retval skips those. */
static bool is_void(struct probes *p, const struct probe *probe, const struct probe_part *part,
		    u32 i)
{
	const struct site *site = &part->plan->sites.items[i];
	const struct site_pattern *pattern = &part->spec->alternatives.items[site->pattern];
	const struct arena mark = p->arena;
	struct scope *scope;
	struct err ignored = { 0 };
	bool is = false;

	if (!site_kind_is_function_return(site->kind) ||
	    (!pattern->is_glob && !pattern->is_regex) || !strstr(probe->spec.text.p, "retval"))
		return false;
	scope = arena_new(&p->arena, struct scope);
	if (!site_scope(p->kernel, part->plan, i, &p->types, &probe->spec.text, &part->sig, scope,
			&ignored))
		is = !scope->retval;
	probes_release_scope(scope);
	arena_rewind(&p->arena, &mark);
	return is;
}

static void leave_out(struct probe_plan *plan, u32 i)
{
	if (plan->n_skipped[SKIP_VOID]++ < 1000)
		vec_push(&plan->skipped,
			 arena_printf(&plan->arena, "%s has no return value that can be read",
				      plan->sites.items[i].name));
	memmove(&plan->sites.items[i], &plan->sites.items[i + 1],
		(plan->sites.n - i - 1) * sizeof(*plan->sites.items));
	plan->sites.n--;
}

/* Only if the probe has one plan, and sites remain: otherwise the error about retval is printed. */
static void leave_out_void(struct probes *p, const struct probe *probe,
			   const struct probe_part *part)
{
	u32 n = 0;

	if (part->plan != &probe->plan || probe->spec.span)
		return;
	for (u32 i = 0; i < part->plan->sites.n; i++)
		n += is_void(p, probe, part, i);
	if (n == part->plan->sites.n)
		return;
	for (u32 i = (u32)part->plan->sites.n; n && i-- > 0;)
		if (is_void(p, probe, part, i))
			leave_out(part->plan, i);
}

/* Build the scopes of a plan's sites, and their groups. */
static int group_sites(struct probes *p, struct probe *probe, struct probe_part *part,
		       struct err *err)
{
	int ret = 0;

	leave_out_void(p, probe, part);
	part->can_share = can_share(p, part->plan);
	say_notes(part);
	for (u32 i = 0; i < part->plan->sites.n && !ret; i++)
		ret = add_site(p, probe, part, i, err);
	return ret ?: check_task(p, probe, part, err);
}

int probes_plan_part(struct probes *p, struct probe *probe, struct probe_part *part,
		     struct err *err)
{
	return build(p, probe, part, err) ?: group_sites(p, probe, part, err);
}

/* Make one part for each method; the probe's own plan has the names of all sites. */
static void take_apart(struct probes *p, struct probe *probe)
{
	struct probe_part *part = probe->parts.items[0];
	struct probe_plan *next = probe->plan.next;
	const struct site *site;

	part->plan = arena_new(&p->arena, struct probe_plan);
	*part->plan = probe->plan;
	probe->plan = (struct probe_plan){ .method = part->plan->method };
	while (next) {
		struct probe_plan *one = next;

		part = arena_new(&p->arena, struct probe_part);
		*part = *probe->parts.items[0];
		part->plan = arena_new(&p->arena, struct probe_plan);
		*part->plan = *one;
		vec_push(&probe->parts, part);
		next = one->next;
		free(one);
	}
	part_for_each(each, probe) {
		each->plan->next = NULL;
		each->first = (u32)probe->plan.sites.n;
		vec_for_each(site, &each->plan->sites)
			vec_push(&probe->plan.sites, *site);
	}
}

int probes_plan_plain(struct probes *p, struct probe *probe, struct err *err)
{
	int ret = build(p, probe, probe->parts.items[0], err);

	if (!ret && probe->plan.next)
		take_apart(p, probe);
	part_for_each(part, probe)
		ret = ret ?: group_sites(p, probe, part, err);
	return ret;
}

struct probe_group *probe_group_of(const struct probe *probe, u32 site)
{
	for (size_t i = 0; probe->groups.n > 1 && i < probe->groups.n; i++) {
		const u32 *s;

		vec_for_each(s, &probe->groups.items[i]->sites)
			if (*s == site)
				return probe->groups.items[i];
	}
	return probe->groups.items[0];
}

/* ---- expressions -------------------------------------------------------------------------- */

int probes_compile(struct probes *p, const struct text *t, struct text_range where,
		   struct probe_group *g, enum check_as as, const struct tree **out,
		   struct err *err)
{
	const struct check_opts opts = { .binary_compare = p->opts.binary_compare };

	return expr_compile(t, where, g->scope, as, &opts, out, err);
}

int probes_check_predicate(struct probes *p, struct probe *probe, struct probe_group *g,
			   struct err *err)
{
	if (!probe->spec.has_predicate)
		return 0;
	return probes_compile(p, &probe->spec.text, probe->spec.predicate, g, CHECK_PREDICATE,
			      &g->predicate, err);
}

/* ---- output ------------------------------------------------------------------------------- */

void probes_print_plan(struct probes *p, struct str *out)
{
	probe_for_each(probe, p)
		part_for_each(part, probe) {
			if (probe->spec.span)
				str_addf(out, "# %s %s\n", part->is_start ? "start" : "end",
					 part->name);
			plan_print(part->plan, out);
		}
}
