// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The values that trace computes at each group of sites, for its message. */
#include "event/bind.h"

#include <string.h>

#include "syntax/parse.h"

/* The name of "args->filename" and of "filename" is filename; other expressions are their own
 * names. */
static const char *name_of(struct arena *a, const struct text *t, struct text_range at)
{
	struct view v = span_view(t, span_trim(t, at));

	if (view_starts(v, "args->")) {
		v.p += 6;
		v.n -= 6;
	}
	return arena_view(a, v);
}

/* Two values with the same name would be one field in JSON. */
static void make_unique(struct arena *a, struct probe_group *g)
{
	for (u32 i = 1; i < g->n_values; i++)
		for (u32 n = 0; n < i; n++)
			if (!strcmp(g->names[i], g->names[n])) {
				g->names[i] = arena_printf(a, "%s#%u", g->names[i], i + 1);
				n = UINT32_MAX;
			}
}

/* The values named by the spec's message, or all arguments; at returns and ends of spans also the
 * latency. */
static int bind_all(struct probes *p, struct probe_group *g)
{
	static const char latency[] = "$latency";
	const struct text text = text_of(latency);
	struct err ignored = { 0 };
	const struct tree *tree;

	g->n_values = expr_all_args(g->scope, g->names, g->values, EVENT_MAX_VALUES - 1);
	if (g->scope->side != SIDE_RETURN && !g->scope->starts)
		return 0;
	if (probes_compile(p, &text, span_all(&text), g, CHECK_VALUE, &tree, &ignored))
		return 0;
	g->names[g->n_values] = "latency";
	g->values[g->n_values++] = tree;
	return 0;
}

static int bind_action(struct probes *p, struct probe *probe, struct probe_group *g,
		       struct err *err)
{
	const struct check_opts opts = { .binary_compare = p->opts.binary_compare };
	const struct text *t = &probe->spec.text;
	struct ast **exprs;
	u32 n;
	int ret = parse_exprs(&p->arena, t, probe->spec.action, &exprs, &n, err);

	if (ret)
		return ret;
	if (n > EVENT_MAX_VALUES)
		return text_error(t, exprs[EVENT_MAX_VALUES]->at, err, "more than %u values",
				  EVENT_MAX_VALUES);
	for (u32 i = 0; i < n && !ret; i++) {
		enum check_as as =
			probe->spec.has_format ? format_wants(&probe->format, i) : CHECK_VALUE;

		g->names[i] = exprs[i]->label.n
				      ? arena_view(&p->arena, span_view(t, exprs[i]->label))
				      : name_of(&p->arena, t, exprs[i]->at);
		ret = expr_check(t, exprs[i], g->scope, as, &opts, &g->values[i], err);
	}
	g->n_values = n;
	if (ret || !probe->spec.has_format)
		return ret;
	format_limit(&probe->format, &p->types, g->values, n);
	return format_check(&probe->format, t, probe->spec.format, g->values, n, err);
}

static int bind_group(struct probes *p, const struct bind_opts *opts, struct probe *probe,
		      struct probe_group *g, struct err *err)
{
	bool has_action = probe->spec.has_format || probe->spec.action.n;
	int ret = probes_check_predicate(p, probe, g, err);

	if (ret)
		return ret;
	g->names = arena_alloc(&p->arena, EVENT_MAX_VALUES, sizeof(*g->names));
	g->values = arena_alloc(&p->arena, EVENT_MAX_VALUES, sizeof(*g->values));
	ret = has_action ? bind_action(p, probe, g, err) : bind_all(p, g);
	if (ret)
		return ret;
	scope_mark_values(g->scope, g->values, g->n_values);
	make_unique(&p->arena, g);
	g->gen.work.action = GEN_EVENT;
	g->gen.work.values = (const struct tree *const *)g->values;
	g->gen.work.n_values = g->n_values;
	g->gen.work.want_kstack = opts->kernel_stacks;
	g->gen.work.want_ustack = opts->user_stacks;
	return 0;
}

int bind_events(struct probes *p, const struct bind_opts *opts, struct err *err)
{
	for (size_t i = 0; i < p->v.n; i++) {
		struct probe *probe = p->v.items[i];

		for (size_t n = 0; n < probe->groups.n; n++) {
			int ret = bind_group(p, opts, probe, probe->groups.items[n], err);

			if (ret)
				return ret;
		}
	}
	return 0;
}
