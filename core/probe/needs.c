// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "probe/needs.h"

#include "probe/probes_int.h"
#include "syntax/lex.h"

static const char *const everywhere[] = {
	"$pid",	 "$tid",  "$tgid", "$PID",    "$ppid", "$uid",	 "$gid",    "$cpu",
	"$comm", "$COMM", "$time", "$cgroup", "$func", "$probe", "$kstack", "$ustack",
};

static const char *const at_calls[] = {
	"arg1", "arg2", "arg3", "arg4", "arg5", "arg6", "retval", "$retval", "$latency", "$entry",
};

static bool is_among(const char *const *names, size_t n, struct view name)
{
	for (size_t i = 0; i < n; i++)
		if (view_eq(name, names[i]))
			return true;
	return false;
}

static bool is_known(struct view name, bool of_calls)
{
	return is_among(everywhere, ARRAY_SIZE(everywhere), name) ||
	       (of_calls && is_among(at_calls, ARRAY_SIZE(at_calls), name));
}

/* System calls have arg1 to arg6 and a result without any types. */
static bool is_of_calls(const struct probe_spec *spec)
{
	const struct site_pattern *p;

	vec_for_each(p, &spec->alternatives)
		if (p->kind != SITE_SYSCALL && p->kind != SITE_SYSCALL_RET)
			return false;
	return !spec->span;
}

/* Does it use only names that exist at every site, or at every system call, and constants? */
static bool is_plain(const struct text *t, struct text_range where, bool of_calls)
{
	struct err ignored = { 0 };
	struct token token;
	struct lex l;

	lex_init(&l, t, where);
	do {
		if (lex_next(&l, &token, &ignored) || token.kind == TOKEN_REG)
			return false;
		if ((token.kind == TOKEN_NAME || token.kind == TOKEN_DOLLAR) &&
		    !is_known(span_view(t, token.at), of_calls))
			return false;
	} while (token.kind != TOKEN_END);
	return true;
}

/* The default value of a function is its return value, by its type. */
static bool is_return(const struct probe_spec *spec)
{
	const struct site_pattern *p;

	vec_for_each(p, &spec->alternatives)
		if (site_kind_is_function_return(p->kind))
			return true;
	return false;
}

static bool needs_no_types(const struct probe_spec *spec)
{
	const struct text *t = &spec->text;
	bool of_calls = is_of_calls(spec);
	const struct spec_column *c;

	if (spec->span || (spec->form == SPEC_ARGDIST && !spec->exprs.n && is_return(spec)))
		return false;
	vec_for_each(c, &spec->columns)
		if (!is_plain(t, c->expr, of_calls))
			return false;
	return is_plain(t, spec->exprs, of_calls) && is_plain(t, spec->key, of_calls) &&
	       (!spec->has_predicate || is_plain(t, spec->predicate, of_calls));
}

bool asked_wants_types(const struct probes *p, const char *by, bool of_results)
{
	const struct text t = text_of(by ? by : "");
	bool of_calls = true, are_plain = true;

	probe_for_each(probe, p) {
		of_calls &= is_of_calls(&probe->spec);
		are_plain &= needs_no_types(&probe->spec);
	}
	return !are_plain || (of_results && !of_calls) || !is_plain(&t, span_all(&t), of_calls);
}

/* Does the predicate call is_target(), or, for options, matches_filter()? */
static bool asks_target(const struct probe_spec *spec, bool has_options)
{
	struct err ignored = { 0 };
	struct token token;
	struct view name;
	struct lex l;

	if (!spec->has_predicate)
		return false;
	lex_init(&l, &spec->text, spec->predicate);
	do {
		if (lex_next(&l, &token, &ignored))
			return false;
		name = span_view(&spec->text, token.at);
		if (token.kind == TOKEN_NAME && (view_eq(name, "is_target") ||
						 (has_options && view_eq(name, "matches_filter"))))
			return true;
	} while (token.kind != TOKEN_END);
	return false;
}

bool asked_for_targets(const struct probes *p, const struct probe *probe)
{
	const struct probe_spec *spec = &probe->spec, *part;
	bool has_options = p->opts.target, asks = asks_target(spec, has_options);

	if (!probes_has_filter(p, true))
		return false;
	if (spec->span) {
		vec_for_each(part, &spec->span->starts)
			asks |= asks_target(part, has_options);
		vec_for_each(part, &spec->span->ends)
			asks |= asks_target(part, has_options);
	}
	return asks;
}
