// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Checks that each name in a recipe's lines is that of an option. */
#include <string.h>

#include "base/cleanup.h"
#include "base/suggest.h"
#include "recipe/recipe_int.h"

bool recipe_next_blank(const struct text *t, u32 at, u32 end, struct text_range *whole,
		       struct text_range *name)
{
	for (; at + 1 < end; at++) {
		u32 close = at + 2;

		if (t->p[at] != '$' || t->p[at + 1] != '{')
			continue;
		while (close < end && t->p[close] != '}')
			close++;
		*name = (struct text_range){ at + 2, close - at - 2 };
		*whole = (struct text_range){ at, (close < end ? close + 1 : end) - at };
		return true;
	}
	return false;
}

bool recipe_next_term(const struct text *t, struct text_range *rest, struct term *out)
{
	const char *equals;
	struct view v;

	*out = (struct term){ .at = recipe_word(t, rest) };
	v = span_view(t, out->at);
	if (!v.n)
		return false;
	out->is_else = view_eq(v, "else");
	out->is_not = v.p[0] == '!';
	v.p += out->is_not;
	v.n -= out->is_not;
	out->is_site = memchr(v.p, ':', v.n);
	equals = out->is_site ? NULL : memchr(v.p, '=', v.n);
	if (equals) {
		out->value = (struct view){ equals + 1, v.n - (size_t)(equals + 1 - v.p) };
		v.n = (size_t)(equals - v.p);
	}
	out->name = v;
	return true;
}

static int no_option(const struct recipe *r, struct text_range at, struct view name,
		     struct err *err)
{
	_cleanup_(free_p) char *typed = mem_strndup(name.p, name.n);
	const char *names[RECIPE_OPTIONS_MAX], *nearest;

	for (size_t i = 0; i < r->options.n; i++)
		names[i] = r->options.items[i].name;
	nearest = nearest_of(typed, names, r->options.n);
	recipe_error(r, at, err, "there is no option '%s'", typed);
	return nearest ? err_hint(err, "did you mean '%s'?", nearest) : -err->code;
}

/* "[sort=bytes]" */
static bool can_be(const struct recipe_option *o, struct view value)
{
	for (size_t i = 0; o->choices && o->choices[i]; i++)
		if (view_eq(value, o->choices[i]))
			return true;
	return o->type != RECIPE_FLAG && !o->choices;
}

static int check_condition(const struct recipe *r, struct text_range rest, bool is_first,
			   struct err *err)
{
	const struct recipe_option *o;
	struct term term;

	while (recipe_next_term(&r->text, &rest, &term)) {
		if (term.is_else && is_first)
			return recipe_error(r, term.at, err,
					    "no line with a condition comes before this one");
		if (term.is_else || term.is_site)
			continue;
		o = recipe_option_find(r, term.name);
		if (!o)
			return no_option(r, term.at, term.name, err);
		if (term.value.p && !can_be(o, term.value))
			return recipe_error(r, term.at, err, "--%s is never '%.*s'", o->name,
					    (int)term.value.n, term.value.p);
	}
	return 0;
}

static int check_blanks(const struct recipe *r, const struct recipe_line *line, struct err *err)
{
	struct text_range whole, name, at = line->rest;
	const struct recipe_option *list = NULL;

	for (u32 from = at.at; recipe_next_blank(&r->text, from, span_end(at), &whole, &name);
	     from = span_end(whole)) {
		const struct recipe_option *o = recipe_option_find(r, span_view(&r->text, name));

		if (r->text.p[span_end(whole) - 1] != '}')
			return recipe_error(r, whole, err, "the '}' of this is missing");
		if (!o)
			return no_option(r, whole, span_view(&r->text, name), err);
		if (o->type == RECIPE_FLAG)
			return recipe_error(r, whole, err, "--%s takes no argument", o->name);
		if (recipe_is_list(o->type) && line->word != BODY_WHERE)
			return recipe_error(r, whole, err, "only 'where' takes a list of numbers");
		if (recipe_is_list(o->type) && list && o != list)
			return recipe_error(r, whole, err,
					    "a line takes one list: --%s comes before", list->name);
		list = recipe_is_list(o->type) ? o : list;
	}
	return 0;
}

static bool is_used_in(const struct recipe *r, const struct recipe_option *o,
		       const struct recipe_line *line)
{
	struct text_range rest = line->condition, whole, name;
	struct term term;

	while (recipe_next_term(&r->text, &rest, &term))
		if (view_eq(term.name, o->name))
			return true;
	for (u32 at = line->rest.at;
	     recipe_next_blank(&r->text, at, span_end(line->rest), &whole, &name);
	     at = span_end(whole))
		if (view_eq(span_view(&r->text, name), o->name))
			return true;
	return false;
}

/* Refuse an option that no line uses: it would be accepted and ignored. */
static int check_used(const struct recipe *r, struct err *err)
{
	const struct recipe_option *o;

	vec_for_each(o, &r->options) {
		bool is_used = false;

		for (size_t i = 0; i < r->lines.n && !is_used; i++)
			is_used = is_used_in(r, o, &r->lines.items[i]);
		if (!is_used)
			return recipe_error(r, o->at, err, "no line asks for this option");
	}
	return 0;
}

/*
 * The probe to which a line belongs: the last one above it that applies.  A probe with a condition
 * may not apply, and then a line after it would belong to another probe, unless the line has the
 * same condition or one of the probes of a chain of [else] always applies.
 */
struct owner {
	struct text_range condition; /* the last probe has it; n == 0: none */
	struct text_range branch;    /* the last condition of a chain */
	bool has_probe;		     /* that branch has a probe */
	bool all_have;		     /* all branches of the chain before it have one */
};

static bool has_term(const struct text *t, struct text_range condition, struct text_range term)
{
	struct term one;

	while (recipe_next_term(t, &condition, &one))
		if (span_same(t, one.at, term))
			return true;
	return false;
}

/* Does the probe apply whenever the line does? */
static bool implies(const struct text *t, struct text_range line, struct text_range probe)
{
	struct term term;

	if (span_same(t, line, probe))
		return true;
	while (recipe_next_term(t, &probe, &term))
		if (term.is_else || !has_term(t, line, term.at))
			return false;
	return true;
}

static void take_branch(const struct text *t, struct owner *o, struct text_range condition)
{
	struct text_range rest = condition;
	struct term first;

	if (!condition.n || span_same(t, condition, o->branch))
		return;
	recipe_next_term(t, &rest, &first);
	o->all_have = !first.is_else || (o->all_have && o->has_probe);
	o->has_probe = false;
	o->branch = condition;
}

static bool is_about_probe(u32 word)
{
	return word != BODY_PROBE && word != BODY_DERIVE && word != BODY_WITH &&
	       word != BODY_LIST && word != BODY_MODULE;
}

static int check_owner(const struct recipe *r, struct owner *o, const struct recipe_line *line,
		       struct err *err)
{
	const struct text *t = &r->text;

	take_branch(t, o, line->condition);
	if (line->word == BODY_PROBE) {
		struct text_range rest = line->condition;
		struct term first;

		/* If the earlier branches have probes, one applies if the rest of [else ...] holds.
		 */
		if (recipe_next_term(t, &rest, &first) && !(first.is_else && o->all_have))
			rest = line->condition;
		o->condition = rest;
		o->has_probe = true;
		return 0;
	}
	if (!is_about_probe(line->word) || implies(t, line->condition, o->condition))
		return 0;
	recipe_error(r, line->rest, err,
		     "the probe above has the condition [%.*s], and this line does not: without "
		     "it, the line would belong to another probe",
		     (int)o->condition.n, t->p + o->condition.at);
	return err_hint(err, "begin the line with [%.*s]", (int)o->condition.n,
			t->p + o->condition.at);
}

/* The part of a line that is in the language of probes.  It follows a column's name, which may be
 * any text. */
static struct text_range code_of(const struct recipe *r, const struct recipe_line *line)
{
	struct text_range code = line->rest;

	if (line->word == BODY_COLUMN || line->word == BODY_LET || line->word == BODY_DERIVE)
		recipe_word(&r->text, &code);
	return code;
}

/* The lines become parts of one command, so a line must close every bracket and quote that it
 * opens: otherwise it would contain the lines after it. */
static int check_closed(const struct recipe *r, const struct recipe_line *line, struct err *err)
{
	const struct text *t = &r->text;
	struct text_range code = code_of(r, line);

	if (line->word == BODY_LABEL || line->word == BODY_WITH || line->word == BODY_MODULE ||
	    line->word == BODY_PROBE || line->word == BODY_LIST)
		return 0;
	for (u32 at = code.at, end = span_end(code); at < end; at++) {
		bool opens = strchr("([{\"'", t->p[at]);
		u32 close = opens ? text_match(t, at, end) : at;

		if (strchr(")]}", t->p[at]))
			return recipe_error(r, (struct text_range){ at, 1 }, err,
					    "nothing is open that this '%c' closes", t->p[at]);
		if (close == end)
			return recipe_error(r, (struct text_range){ at, 1 }, err,
					    "this '%c' is not closed", t->p[at]);
		at = close;
	}
	return 0;
}

int recipe_check(const struct recipe *r, struct err *err)
{
	bool has_probe = false;
	struct owner owner = { 0 };
	bool is_first = true;
	int ret = 0;

	for (size_t i = 0; i < r->lines.n && !ret; i++) {
		const struct recipe_line *line = &r->lines.items[i];

		ret = check_condition(r, line->condition, is_first, err)
			      ?: check_blanks(r, line, err)
			      ?: check_closed(r, line, err)
			      ?: check_owner(r, &owner, line, err);
		if (!ret && line->word == BODY_LET && !has_probe)
			ret = recipe_error(r, line->rest, err,
					   "'let' follows a probe; before the first one, 'column' "
					   "sets the value at all of them");
		has_probe |= line->word == BODY_PROBE;
		is_first &= !line->condition.n;
	}
	return ret ?: check_used(r, err);
}
