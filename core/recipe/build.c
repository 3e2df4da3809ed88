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

static void take_line(struct build *b, const struct recipe_line *line)
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
		vec_push(&part->columns, named_of(t, rest));
		break;
	case BODY_LET:
		vec_push(&part->lets, named_of(t, rest));
		break;
	case BODY_HISTOGRAM:
	case BODY_COUNT:
	case BODY_STATS:
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
	case BODY_N_WORDS:
		break;
	}
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
	if (s->last.n == condition.n &&
	    !memcmp(t->p + s->last.at, t->p + condition.at, condition.n))
		return s->held;
	recipe_next_term(t, &rest, &first);
	s->was_taken = first.is_else && (s->was_taken || s->held);
	s->held = !s->was_taken && build_holds(b, condition);
	s->last = condition;
	return s->held;
}

static void take_lines(struct build *b)
{
	struct branches s = { 0 };

	add_part(b, (struct text_range){ 0 });
	for (size_t i = 0; i < b->r->lines.n; i++) {
		const struct recipe_line *line = &b->r->lines.items[i];

		if (counts(b, &s, line->condition))
			take_line(b, line);
	}
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
	err_set(err, ERR_KERNEL, "%s: this kernel has none of its probes", r->name);
	return tried.n ? err_hint(err, "looked for: %s", str_text(&tried)) : -ERR_KERNEL;
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

int recipe_build(const struct recipe *r, char *const *values, const struct recipe_host *host,
		 struct recipe_words *out, struct err *err)
{
	_cleanup_(release) struct build b = { .r = r, .host = host, .out = out };
	int ret = take_values(&b, values, err);

	*out = (struct recipe_words){ 0 };
	if (ret)
		return ret;
	take_lines(&b);
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
	vec_release(&w->words);
	vec_release(&w->pieces);
	vec_release(&w->sites);
}

/* ---- errors -------------------------------------------------------------------------------- */

static const struct recipe_piece *piece_at(const struct recipe_words *w, u32 word, u32 at)
{
	const struct recipe_piece *p;

	vec_for_each(p, &w->pieces)
		if (p->word == word && at >= p->at && at <= p->at + p->n)
			return p;
	return NULL;
}

void recipe_say_absent(const struct recipe_words *w, struct err *err)
{
	_cleanup_(str_release) struct str absent = { 0 };
	const struct recipe_site *site;

	if (err->code != ERR_NOTARGET && err->code != ERR_KERNEL)
		return;
	vec_for_each(site, &w->sites)
		if (!site->is_there)
			str_addf(&absent, "%s%s", absent.n ? ", " : "", site->name);
	if (absent.n)
		err_hint(err, "the recipe looked for others before: %s", str_text(&absent));
}

void recipe_point(const struct recipe *r, const struct recipe_words *w, struct err *err)
{
	for (u32 i = 0; err->text[0] && i < w->words.n; i++) {
		const char *in = strstr(w->words.items[i], err->text);
		const struct recipe_piece *p =
			in ? piece_at(w, i, (u32)(in - w->words.items[i]) + err->caret) : NULL;
		struct err moved = { 0 };

		if (!p)
			continue;
		recipe_error(r,
			     (struct text_range){ p->from + (u32)(in - w->words.items[i]) +
							  err->caret - p->at,
						  err->width },
			     &moved, "%s", err->what);
		moved.code = err->code;
		memcpy(moved.hint, err->hint, sizeof(moved.hint));
		*err = moved;
		return;
	}
}
