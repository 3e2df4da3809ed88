// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/asked.h"

#include "expr/lex.h"

static bool is_everywhere(struct view name)
{
	static const char *const names[] = {
		"$pid",	 "$tid",  "$tgid", "$PID",    "$ppid", "$uid",	 "$gid",    "$cpu",
		"$comm", "$COMM", "$time", "$cgroup", "$func", "$probe", "$kstack", "$ustack",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (view_eq(name, names[i]))
			return true;
	return false;
}

bool asked_is_plain(const struct text *t, struct span where)
{
	struct err ignored = { 0 };
	struct token token;
	struct lex l;

	lex_init(&l, t, where);
	do {
		if (lex_next(&l, &token, &ignored) || token.kind == TOKEN_NAME ||
		    token.kind == TOKEN_REG)
			return false;
		if (token.kind == TOKEN_DOLLAR && !is_everywhere(span_view(t, token.at)))
			return false;
	} while (token.kind != TOKEN_END);
	return true;
}

/* What a function returns is measured when nothing is said, by its type. */
static bool is_return(const struct probe_spec *spec)
{
	const struct site_pattern *p;

	vec_for_each(p, &spec->alternatives)
		if (p->kind == SITE_FUNC_RET || p->kind == SITE_UFUNC_RET)
			return true;
	return false;
}

bool asked_spec_is_plain(const struct probe_spec *spec)
{
	const struct text *t = &spec->text;
	const struct spec_column *c;

	if (spec->span || (spec->form == SPEC_ARGDIST && !spec->exprs.n && is_return(spec)))
		return false;
	vec_for_each(c, &spec->columns)
		if (!asked_is_plain(t, c->expr))
			return false;
	return asked_is_plain(t, spec->exprs) && asked_is_plain(t, spec->key) &&
	       (!spec->has_predicate || asked_is_plain(t, spec->predicate));
}
