// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Selects the lines of a recipe that apply, and collects their contents by probe. */
#include "recipe/build_int.h"

/* ---- what the lines say -------------------------------------------------------------------- */

static struct part *last_part(struct build *b)
{
	return &b->parts.items[b->parts.n - 1];
}

static void add_part(struct build *b, struct text_range site)
{
	const struct part part = { .site = site, .kind = BODY_N_WORDS };

	vec_push(&b->parts, part);
}

static struct named named_of(const struct text *t, struct text_range rest)
{
	struct named n = { .rest = rest };

	n.name = recipe_word(t, &n.rest);
	return n;
}

static int two_results(const struct build *b, struct text_range at, struct err *err)
{
	return recipe_error(
		b->r, at, err,
		"a line above has said already what is measured: a recipe has columns, a "
		"histogram, counts or statistics");
}

/* Columns of one name would have one name in JSON too. */
static int take_column(struct build *b, struct part *part, struct text_range rest, struct err *err)
{
	const struct text *t = &b->r->text;
	const struct named column = named_of(t, rest), *other;

	if (b->r->run == RECIPE_ARGDIST && memchr(t->p + column.name.at, '=', column.name.n))
		return recipe_error(b->r, column.name, err,
				    "the form is: column NAME FUNCTION(EXPRESSION)");
	if (part->kind != BODY_N_WORDS)
		return two_results(b, column.name, err);
	vec_for_each(other, &part->columns)
		if (span_same(&b->r->text, other->name, column.name))
			return recipe_error(b->r, column.name, err,
					    "a line above has a column of this name");
	vec_push(&part->columns, column);
	return 0;
}

static int take_line(struct build *b, const struct recipe_line *line, struct err *err)
{
	const struct text *t = &b->r->text;
	struct part *part = last_part(b);
	struct text_range rest = line->rest;

	switch ((enum body_word)line->word) {
	case BODY_PROBE:
		add_part(b, rest);
		break;
	case BODY_WHERE:
		vec_push(&part->wheres, rest);
		break;
	case BODY_COLUMN:
		return take_column(b, part, rest, err);
	case BODY_LET:
		vec_push(&part->lets, named_of(t, rest));
		break;
	case BODY_HISTOGRAM:
	case BODY_COUNT:
	case BODY_STATS:
		if (part->kind != BODY_N_WORDS || part->columns.n)
			return two_results(b, rest, err);
		part->kind = (enum body_word)line->word;
		part->value = rest;
		break;
	case BODY_TYPE:
		part->type = rest;
		break;
	case BODY_LABEL:
		part->label = rest;
		break;
	case BODY_BY:
		vec_push(&part->by, rest);
		break;
	case BODY_DERIVE:
		vec_push(&b->derive, named_of(t, rest));
		break;
	case BODY_WITH:
		vec_push(&b->with, rest);
		break;
	case BODY_LIST:
		b->list = rest;
		break;
	case BODY_MODULE:
		vec_push(&b->modules, rest);
		break;
	case BODY_N_WORDS:
		break;
	}
	return 0;
}

/*
 * "[else ...]": holds if no earlier condition of its chain has held; a condition without else
 * begins a chain.  Several lines with the same condition are one branch.
 */
struct branches {
	struct text_range last; /* the last condition; n == 0: none */
	bool was_taken;		/* a branch before the last one was taken */
	bool held;		/* the last condition held */
};

static bool counts(const struct build *b, struct branches *s, struct text_range condition)
{
	const struct text *t = &b->r->text;
	struct text_range rest = condition;
	struct term first;

	if (!condition.n)
		return true;
	if (span_same(t, s->last, condition))
		return s->held;
	recipe_next_term(t, &rest, &first);
	s->was_taken = first.is_else && (s->was_taken || s->held);
	s->held = !s->was_taken && build_holds(b, condition);
	s->last = condition;
	return s->held;
}

static int take_lines(struct build *b, struct err *err)
{
	struct branches s = { 0 };
	int ret = 0;

	add_part(b, (struct text_range){ 0 });
	for (size_t i = 0; i < b->r->lines.n && !ret; i++) {
		const struct recipe_line *line = &b->r->lines.items[i];

		if (counts(b, &s, line->condition))
			ret = take_line(b, line, err);
	}
	return ret;
}

/* This kernel has none of the alternatives; the conditions contain the sites that were looked
 * for. */
static int no_probe(const struct recipe *r, struct err *err)
{
	_cleanup_(str_release) struct str tried = { 0 };
	struct term term;

	for (size_t i = 0; i < r->lines.n; i++) {
		struct text_range rest = r->lines.items[i].condition;

		while (recipe_next_term(&r->text, &rest, &term))
			if (term.is_site)
				str_addf(&tried, "%s%.*s", tried.n ? ", " : "", (int)term.name.n,
					 term.name.p);
	}
	if (!tried.n)
		return err_set(err, ERR_USAGE,
			       "%s: no probe: each is only for options that were not given",
			       r->name);
	err_set(err, ERR_KERNEL, "%s: this kernel has none of its probes", r->name);
	return err_hint(err, "looked for: %s", str_text(&tried));
}

/* A default value is as it is written in the recipe: "10", of milliseconds. */
static int take_values(struct build *b, char *const *given, struct err *err)
{
	const struct recipe *r = b->r;
	int ret = 0;

	b->values = mem_alloc(r->options.n + 1, sizeof(*b->values));
	for (size_t i = 0; i < r->options.n && !ret; i++) {
		const struct recipe_option *o = &r->options.items[i];

		if (given[i])
			b->values[i] = mem_strdup(given[i]);
		else if (o->standard)
			ret = recipe_value(o, o->standard, &b->values[i], err);
	}
	return ret;
}

static void release(struct build *b)
{
	struct part *part;

	for (size_t i = 0; i < b->r->options.n; i++)
		free(b->values[i]);
	free(b->values);
	vec_for_each(part, &b->parts) {
		vec_release(&part->wheres);
		vec_release(&part->by);
		vec_release(&part->columns);
		vec_release(&part->lets);
	}
	vec_release(&b->parts);
	vec_release(&b->with);
	vec_release(&b->derive);
	vec_release(&b->modules);
	str_release(&b->word);
}

/* The sites are printed, and nothing is measured. */
static int list_words(struct build *b, struct err *err)
{
	int ret;

	build_word(b, "list");
	ret = build_fill(b, b->list, err);
	build_end(b);
	return ret;
}

static int take_modules(struct build *b, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < b->modules.n && !ret; i++) {
		ret = build_fill(b, b->modules.items[i], err);
		vec_push(&b->out->modules, mem_strdup(str_text(&b->word)));
		str_clear(&b->word);
	}
	b->out->pieces.n = 0;
	return ret;
}

int recipe_build(const struct recipe *r, char *const *values, const struct recipe_host *host,
		 struct recipe_words *out, struct err *err)
{
	_cleanup_(release) struct build b = { .r = r, .host = host, .out = out };
	int ret = take_values(&b, values, err);

	*out = (struct recipe_words){ 0 };
	ret = ret ?: take_lines(&b, err) ?: take_modules(&b, err);
	if (ret)
		return ret;
	if (b.list.n)
		return list_words(&b, err);
	if (b.parts.n == 1)
		return no_probe(r, err);
	build_word(&b, recipe_runs[r->run]);
	return build_words(&b, err);
}

void recipe_words_release(struct recipe_words *w)
{
	for (size_t i = 0; i < w->words.n; i++)
		free(w->words.items[i]);
	for (size_t i = 0; i < w->sites.n; i++)
		free(w->sites.items[i].name);
	for (size_t i = 0; i < w->modules.n; i++)
		free(w->modules.items[i]);
	vec_release(&w->modules);
	vec_release(&w->words);
	vec_release(&w->pieces);
	vec_release(&w->sites);
}
