// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Evaluates conditions, fills in options, and builds words. */
#include "recipe/build_int.h"

/* ---- conditions ---------------------------------------------------------------------------- */

static const char *value_of(const struct build *b, const struct recipe_option *o)
{
	return b->values[o - b->r->options.items];
}

/* Many lines test the same site, and each search for it takes a while: remember the results. */
static bool has_site(const struct build *b, struct view name)
{
	const struct recipe_site *known;
	struct recipe_site site;

	vec_for_each(known, &b->out->sites)
		if (view_eq(name, known->name))
			return known->is_there;
	site.name = mem_strndup(name.p, name.n);
	site.is_there = b->host->has_site(b->host->ctx, site.name);
	vec_push(&b->out->sites, site);
	return site.is_there;
}

static bool holds(const struct build *b, const struct term *term)
{
	const struct recipe_option *o;
	const char *value;

	if (term->is_site)
		return has_site(b, term->name);
	o = recipe_option_find(b->r, term->name);
	value = value_of(b, o);
	return value && (!term->value.p || view_eq(term->value, value));
}

bool build_holds(const struct build *b, struct text_range condition)
{
	struct term term;

	while (recipe_next_term(&b->r->text, &condition, &term))
		if (!term.is_else && holds(b, &term) == term.is_not)
			return false;
	return true;
}

/* ---- words --------------------------------------------------------------------------------- */

void build_put(struct build *b, const char *text)
{
	str_adds(&b->word, text);
}

void build_end(struct build *b)
{
	vec_push(&b->out->words, mem_strdup(str_text(&b->word)));
	str_clear(&b->word);
}

void build_word(struct build *b, const char *text)
{
	build_put(b, text);
	build_end(b);
}

/* A string of the language. */
static void put_literal(struct str *s, const char *text, enum recipe_type type)
{
	str_adds(s, type == RECIPE_PART ? "\"*" : "\"");
	for (; *text; text++)
		if (*text == '"' || *text == '\\')
			str_addf(s, "\\%c", *text);
		else if ((unsigned char)*text < ' ')
			str_addf(s, "\\x%02x", (unsigned char)*text);
		else
			str_addc(s, *text);
	str_adds(s, type == RECIPE_PART ? "*\"" : type == RECIPE_BELOW ? "/*\"" : "\"");
}

/* The end of the current word, from `at` on, was made from this part of the recipe. */
static void add_piece(struct build *b, size_t at, struct text_range from,
		      const struct recipe_option *o)
{
	const struct recipe_piece piece = {
		.word = (u32)b->out->words.n,
		.at = (u32)at,
		.n = (u32)(b->word.n - at),
		.from = from,
		.option = o,
	};

	if (piece.n)
		vec_push(&b->out->pieces, piece);
}

static void put_plain(struct build *b, u32 from, u32 to)
{
	const struct text_range part = { from, to - from };
	size_t at = b->word.n;

	str_add(&b->word, b->r->text.p + from, part.n);
	add_piece(b, at, part, NULL);
}

/* The number of a list with which the line is filled in now. */
static struct view current_number(const struct build *b, const char *list)
{
	struct view rest = view_of(list), v = rest;

	for (u32 i = 0; i <= b->number && view_split(&rest, ',', &v); i++)
		;
	return v;
}

u32 build_n_fills(const struct build *b, struct text_range at)
{
	struct text_range whole, name;
	u32 n = 1;

	/* All lists of a line are of one option (check.c). */
	for (u32 from = at.at;
	     n == 1 && recipe_next_blank(&b->r->text, from, span_end(at), &whole, &name);
	     from = span_end(whole)) {
		const struct recipe_option *o =
			recipe_option_find(b->r, span_view(&b->r->text, name));
		const char *value = value_of(b, o);

		for (; value && recipe_is_list(o->type) && (value = strchr(value, ',')); value++)
			n++;
	}
	return n;
}

static int put_value(struct build *b, struct text_range whole, struct text_range name,
		     struct err *err)
{
	const struct recipe_option *o = recipe_option_find(b->r, span_view(&b->r->text, name));
	const char *value = value_of(b, o);
	size_t at = b->word.n;
	struct view v;

	if (!value)
		return recipe_error(
			b->r, whole, err,
			"%s was not given, and this line has no condition that tests it", o->name);
	if (!b->is_raw && recipe_is_literal(o->type))
		put_literal(&b->word, value, o->type);
	else if (o->type == RECIPE_FLAGS) {
		str_addf(&b->word, "(%s)", value);
	} else {
		v = recipe_is_list(o->type) ? current_number(b, value) : view_of(value);
		str_add(&b->word, v.p, v.n);
	}
	add_piece(b, at, whole, o);
	return 0;
}

int build_fill(struct build *b, struct text_range at, struct err *err)
{
	u32 from = at.at, end = span_end(at);
	struct text_range whole, name;
	int ret = 0;

	while (!ret && recipe_next_blank(&b->r->text, from, end, &whole, &name)) {
		put_plain(b, from, whole.at);
		ret = put_value(b, whole, name, err);
		from = span_end(whole);
	}
	if (!ret)
		put_plain(b, from, end);
	return ret;
}
