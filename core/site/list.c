// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "site/list.h"

#include <stdio.h>

#include "base/str.h"
#include "host/kernel_facts.h"
#include "site/scope.h"

/* The most names of a field's values that are shown. */
#define MAX_NAMES 12

struct listing {
	struct kernel *k;
	const struct list_opts *opts;
	void (*put)(void *ctx, const char *line);
	void *ctx;
	struct err *err;
	size_t n; /* lines printed */
};

/* ---- arguments ---- */

static void put_names(struct str *s, const struct type *of)
{
	const struct type_names *names = of->names;

	if (!names)
		return;
	str_adds(s, names->is_flags ? "  bits " : "  ");
	for (u32 i = 0; i < names->n && i < MAX_NAMES; i++)
		str_addf(s, of->is_signed ? "%s%lld=%s" : "%s%llu=%s", i ? " " : "",
			 names->items[i].value, names->items[i].name);
	if (names->n > MAX_NAMES)
		str_addf(s, " and %u more", names->n - MAX_NAMES);
}

/* "char[16] comm" */
static void put_argument(struct listing *l, const struct scope_name *name, const char *note)
{
	const struct type *of = name->value ? name->value->type : name->type;
	struct str s = { 0 };
	char type[256];

	str_adds(&s, "    ");
	if (of)
		str_addf(&s, "%s ",
			 of->kind == TYPE_BYTES && of->name ? of->name
							    : type_text(of, type, sizeof(type)));
	str_addf(&s, "%s%s", name->name, note);
	if (name->value && of)
		put_names(&s, of);
	l->put(l->ctx, str_text(&s));
	str_release(&s);
}

/* The location of a USDT argument, as its note describes it. */
static const char *operand_text(const struct site *s, size_t i, char *buf, size_t size)
{
	buf[0] = '\0';
	if (s->usdt && i < s->usdt->n_operands)
		snprintf(buf, size, " (%s)", s->usdt->operands[i].text);
	return buf;
}

static void put_return(struct listing *l, struct probe_plan *plan, u32 i, struct types *types,
		       const struct text *t)
{
	struct site *s = &plan->sites.items[i];
	enum site_kind kind = s->kind;
	struct scope scope;
	struct err err = { 0 };
	char type[256], line[300];

	if (site_is_syscall_exit(s) && attach_method_is_syscall(plan->method))
		l->put(l->ctx, "    long ret");
	if (site_kind_return(kind) == SITE_KIND_N)
		return;
	s->kind = site_kind_return(kind);
	if (!site_scope(l->k, plan, i, types, t, NULL, &scope, &err) && scope.retval &&
	    !scope.is_retval_plain) {
		snprintf(line, sizeof(line), "    returns %s",
			 type_text(scope.retval->type, type, sizeof(type)));
		l->put(l->ctx, line);
	}
	if (scope.entry)
		scope_release(scope.entry);
	scope_release(&scope);
	s->kind = kind;
}

static void put_arguments(struct listing *l, struct probe_plan *plan, u32 i, struct types *types,
			  const struct text *t)
{
	const struct site *s = &plan->sites.items[i];
	struct scope scope;
	struct err err = { 0 };
	size_t n = 0;
	char note[128];

	if (!site_scope(l->k, plan, i, types, t, NULL, &scope, &err))
		for (size_t j = 0; j < scope.names.n; j++)
			if (scope.names.items[j].is_arg)
				put_argument(l, &scope.names.items[j],
					     operand_text(s, n++, note, sizeof(note)));
	if (scope.entry)
		scope_release(scope.entry);
	scope_release(&scope);
	put_return(l, plan, i, types, t);
}

/* ---- sites ---- */

static int by_name(const void *a, const void *b)
{
	const struct site *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Types are built for one site at a time: there may be tens of thousands of sites. */
static void put_sites(struct listing *l, struct probe_plan *plan, const struct text *t)
{
	const char *last = "";

	qsort(plan->sites.items, plan->sites.n, sizeof(*plan->sites.items), by_name);
	for (u32 i = 0; i < plan->sites.n; i++) {
		const struct site *s = &plan->sites.items[i];
		struct arena arena = { 0 };
		struct types types;
		struct err err = { 0 };

		/* A USDT probe may have many sites. */
		if (!strcmp(s->name, last))
			continue;
		last = s->name;
		l->put(l->ctx, s->name);
		l->n++;
		if (!l->opts->verbose)
			continue;
		types_init(&types, &arena, 81);
		if (s->kind != SITE_USDT && s->kind != SITE_PERF)
			types_add_btf(&types, kernel_btf(l->k, &err));
		put_arguments(l, plan, i, &types, t);
		types_release(&types);
		arena_release(&arena);
	}
}

static int list_spec(struct listing *l, const struct probe_spec *spec)
{
	struct plan_ability can = { .methods = ~0ULL };
	struct plan_opts opts = { .wants_types = l->opts->verbose, .tgid = l->opts->tgid };
	struct probe_plan plan = { 0 };
	int ret = plan_build(l->k, spec, &can, &opts, &plan, l->err);

	if (!ret)
		put_sites(l, &plan, &spec->text);
	plan_release(&plan);
	return ret;
}

/* List the start and the end of a span. */
static int list_span(struct listing *l, const struct probe_span *span)
{
	const struct probe_spec *spec;
	int ret = 0;

	vec_for_each(spec, &span->starts)
		ret = ret ? ret : list_spec(l, spec);
	vec_for_each(spec, &span->ends)
		ret = ret ? ret : list_spec(l, spec);
	return ret;
}

/* List one pattern; -ERR_NOTARGET if nothing matches. */
static int list_one(struct listing *l, const char *pattern)
{
	struct arena arena = { 0 };
	struct probe_spec spec;
	int ret = probe_parse(&arena, pattern, SPEC_FUNCCOUNT, NULL, &spec, l->err);

	if (!ret)
		ret = spec.span ? list_span(l, spec.span) : list_spec(l, &spec);
	probe_spec_release(&spec);
	arena_release(&arena);
	return ret;
}

/* A word without a kind may be of any of these kinds; a kind without a match is an error only if no
 * kind has one. */
static int list_kinds(struct listing *l, const char *const *kinds, size_t n, const char *word)
{
	struct err first = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct err e = { 0 };
		char *pattern = mem_printf("%s%s", kinds[i], word);

		l->err = &e;
		if (list_one(l, pattern) && !first.code)
			first = e;
		free(pattern);
	}
	l->err = NULL;
	if (l->n)
		return 0;
	return -first.code;
}

/* Explain a word without any match by looking it up on its own. */
static int explain_word(const char *word, struct err *err)
{
	struct arena arena = { 0 };
	struct probe_spec spec;
	int ret = probe_parse(&arena, word, SPEC_FUNCCOUNT, NULL, &spec, err);

	probe_spec_release(&spec);
	arena_release(&arena);
	if (ret)
		return ret;
	return err_set(err, ERR_NOTARGET,
		       "no tracepoint, system call or kernel function matches '%s'", word);
}

int list_probes(struct kernel *k, const char *pattern, const struct list_opts *opts,
		void (*put)(void *ctx, const char *line), void *ctx, struct err *err)
{
	static const char *const all[] = { "t:*:", "syscall:" };
	static const char *const any[] = { "t:*:", "raw:", "syscall:", "k:", "e:" };
	struct listing l = { .k = k, .opts = opts, .put = put, .ctx = ctx, .err = err };
	char *own;
	int ret;

	if (!pattern)
		list_kinds(&l, all, ARRAY_SIZE(all), "*");
	else if (!strchr(pattern, ':'))
		list_kinds(&l, any, ARRAY_SIZE(any), pattern);
	if (l.n)
		return 0;
	if (!pattern || !strchr(pattern, ':'))
		return explain_word(pattern ? pattern : "*", err);
	/* "u:c", "t:sched": everything in it. */
	own = (!strncmp(pattern, "u:", 2) || !strncmp(pattern, "t:", 2)) &&
			      !strchr(pattern + 2, ':')
		      ? mem_printf("%s:*", pattern)
		      : mem_strdup(pattern);
	l.err = err;
	ret = list_one(&l, own);
	free(own);
	return ret;
}
