// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A recipe's options: their lines, and the values that users give. */
#include "recipe/recipe_int.h"

#include <ctype.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "base/str.h"

static const struct {
	const char *name;
	enum recipe_type type;
} types[] = {
	{ "text", RECIPE_TEXT },       { "part", RECIPE_PART },
	{ "below", RECIPE_BELOW },     { "number", RECIPE_NUMBER },
	{ "numbers", RECIPE_NUMBERS }, { "users", RECIPE_USERS },
	{ "cgroups", RECIPE_CGROUPS }, { "us", RECIPE_US },
	{ "ms", RECIPE_MS },	       { "s", RECIPE_S },
	{ "word", RECIPE_WORD },       { "disk", RECIPE_DISK },
	{ "tty", RECIPE_TTY },	       { "flags", RECIPE_FLAGS },
};

const struct recipe_option *recipe_option_find(const struct recipe *r, struct view name)
{
	for (size_t i = 0; i < r->options.n; i++)
		if (view_eq(name, r->options.items[i].name))
			return &r->options.items[i];
	return NULL;
}

/* ---- the line ------------------------------------------------------------------------------ */

static bool is_name(struct view v)
{
	for (size_t i = 0; i < v.n; i++)
		if (!isalnum((unsigned char)v.p[i]) && !strchr(i ? "-_" : "", v.p[i]))
			return false;
	return v.n && v.n <= 32;
}

/* "a,b,c": one of these. */
static const char **read_choices(struct recipe *r, struct view list)
{
	const char **choices = arena_alloc(&r->arena, list.n + 2, sizeof(*choices));
	struct view one;
	size_t n = 0;

	while (view_split(&list, ',', &one))
		choices[n++] = arena_view(&r->arena, one);
	return choices;
}

/* "1..64", "1..": a number in this range. */
static bool read_range(struct recipe_option *o, struct view v)
{
	struct view least;
	u64 from, to = UINT64_MAX;

	if (!view_split(&v, '.', &least) || !num_parse_dec(least, &from) || !view_starts(v, ".") ||
	    (v.n > 1 && !num_parse_dec((struct view){ v.p + 1, v.n - 1 }, &to)) || from > to)
		return false;
	o->type = RECIPE_NUMBER;
	o->least = from;
	o->most = to;
	return true;
}

static int read_type(struct recipe *r, struct recipe_option *o, struct text_range at,
		     struct err *err)
{
	struct view v = span_view(&r->text, at);

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (view_eq(v, types[i].name)) {
			o->type = types[i].type;
			return 0;
		}
	if (read_range(o, v))
		return 0;
	if (!memchr(v.p, ',', v.n)) {
		recipe_error(r, at, err, "this is not a type of argument");
		return err_hint(
			err, "text, part, below, number, numbers, 1..64, users, cgroups, us, ms, "
			     "s, word, flags, disk, tty, or the choices: a,b,c");
	}
	o->type = RECIPE_CHOICE;
	o->choices = read_choices(r, v);
	return 0;
}

/* Bytes of `at` up to one of `stops`. */
static struct text_range up_to(const struct text *t, struct text_range at, const char *stops)
{
	struct text_range s = { at.at, 0 };

	while (s.n < at.n && !strchr(stops, t->p[s.at + s.n]))
		s.n++;
	return s;
}

/* "ARG:type=standard" */
static int read_argument(struct recipe *r, struct recipe_option *o, struct text_range at,
			 struct err *err)
{
	const struct text *t = &r->text;
	struct text_range name = up_to(t, at, ":="), rest;
	char *normal;
	int ret = 0;

	o->type = RECIPE_TEXT;
	o->most = UINT64_MAX;
	o->arg = arena_view(&r->arena, span_view(t, name));
	rest = (struct text_range){ span_end(name), at.n - name.n };
	if (rest.n && t->p[rest.at] == ':') {
		struct text_range type =
			up_to(t, (struct text_range){ rest.at + 1, rest.n - 1 }, "=");

		ret = read_type(r, o, type, err);
		rest = (struct text_range){ span_end(type), rest.n - 1 - type.n };
	}
	if (ret || !rest.n)
		return ret;
	o->standard = arena_view(&r->arena, (struct view){ t->p + rest.at + 1, rest.n - 1 });
	ret = recipe_value(o, o->standard, &normal, err);
	if (ret) {
		struct err why = *err;

		err_clear(err);
		return recipe_error(r, rest, err, "the default value is refused: %s", why.what);
	}
	free(normal);
	return 0;
}

static bool is_named(const struct recipe_option *o, const char *name)
{
	return !strcmp(o->name, name) || (o->second_name && !strcmp(o->second_name, name));
}

/* Every tool has these, for people who do not know it yet. */
static bool is_ours(const struct recipe_option *o)
{
	static const char *const names[] = { "help", "version", "show" };

	for (size_t i = 0; i < ARRAY_SIZE(names) && !o->is_positional; i++)
		if (is_named(o, names[i]))
			return true;
	return o->letter == 'h' || o->letter == 'V';
}

/* The name that an earlier option has already; NULL: none. */
static const char *name_twice(const struct recipe *r, const struct recipe_option *o)
{
	const struct recipe_option *other;

	if (o->second_name && !strcmp(o->name, o->second_name))
		return o->name;
	vec_for_each(other, &r->options) {
		if (is_named(other, o->name))
			return o->name;
		if (o->second_name && is_named(other, o->second_name))
			return o->second_name;
	}
	return NULL;
}

static int add_option(struct recipe *r, const struct recipe_option *o, struct text_range at,
		      struct err *err)
{
	bool is_short = o->letter && r->options.n;
	const char *twice = name_twice(r, o);

	if (is_ours(o))
		return recipe_error(
			r, at, err,
			"-h, --help, -V, --version and --show mean the same in all tools");
	if (twice)
		return recipe_error(r, at, err, "there is an option '%s' already", twice);
	for (size_t i = 0; is_short && i < r->options.n; i++)
		if (r->options.items[i].letter == o->letter)
			return recipe_error(r, at, err, "-%c already belongs to --%s", o->letter,
					    r->options.items[i].name);
	if (r->options.n == RECIPE_OPTIONS_MAX)
		return recipe_error(r, at, err, "more than %d options", RECIPE_OPTIONS_MAX);
	vec_push(&r->options, *o);
	return 0;
}

/* Take "--name" off *rest. */
static int read_name(struct recipe *r, struct text_range *rest, const char **name, struct err *err)
{
	const struct text *t = &r->text;
	struct text_range at = *rest, word = recipe_word(t, rest);

	if (word.n < 3 || strncmp(t->p + word.at, "--", 2) != 0 ||
	    !is_name((struct view){ t->p + word.at + 2, word.n - 2 }))
		return recipe_error(r, word.n ? word : at, err,
				    "a long name is expected, such as --failed");
	*name = arena_strndup(&r->arena, t->p + word.at + 2, word.n - 2);
	return 0;
}

/* Take "-x" and "--name" off *rest. */
static int read_names(struct recipe *r, struct text_range *rest, char *letter, const char **name,
		      struct err *err)
{
	const struct text *t = &r->text;
	struct text_range after = *rest, word = recipe_word(t, &after);

	if (word.n == 2 && t->p[word.at] == '-' && isalnum((unsigned char)t->p[word.at + 1])) {
		*letter = t->p[word.at + 1];
		*rest = after;
	}
	return read_name(r, rest, name, err);
}

static int read_help(struct recipe *r, struct text_range rest, const char **help, struct err *err)
{
	struct view v = span_view(&r->text, rest);

	if (v.n < 3 || !view_starts(v, "- "))
		return recipe_error(r, rest, err, "' - ' and what the option does are missing");
	*help = arena_strndup(&r->arena, v.p + 2, v.n - 2);
	return 0;
}

/* The name of a positional argument in conditions and ${}: MIN_MS is min_ms. */
static int name_argument(struct recipe *r, struct recipe_option *o, struct text_range at,
			 struct err *err)
{
	char *name = arena_printf(&r->arena, "%s", o->arg);

	if (!is_name(view_of(name)))
		return recipe_error(r, at, err, "a name is expected, such as MIN_MS");
	for (char *c = name; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	o->name = name;
	return 0;
}

int recipe_read_option(struct recipe *r, struct text_range rest, bool is_positional,
		       struct err *err)
{
	struct recipe_option o = { .name = "", .at = rest, .is_positional = is_positional };
	struct text_range line = rest, after, arg;
	int ret = 0;

	if (!is_positional)
		ret = read_names(r, &rest, &o.letter, &o.name, err);
	if (!ret && !is_positional && view_starts(span_view(&r->text, rest), "--"))
		ret = read_name(r, &rest, &o.second_name, err);
	after = rest;
	arg = recipe_word(&r->text, &after);
	if (!ret && !(arg.n == 1 && r->text.p[arg.at] == '-')) {
		o.is_optional = is_positional && r->text.p[arg.at] == '[' &&
				r->text.p[span_end(arg) - 1] == ']';
		if (o.is_optional)
			arg = (struct text_range){ arg.at + 1, arg.n - 2 };
		ret = read_argument(r, &o, arg, err);
		o.is_optional |= o.standard != NULL;
		rest = after;
	}
	if (!ret && is_positional && !o.arg)
		return recipe_error(r, line, err, "the form is: argument NAME:type - help");
	if (!ret && is_positional)
		ret = name_argument(r, &o, arg, err);
	return ret ?: read_help(r, rest, &o.help, err) ?: add_option(r, &o, line, err);
}

int recipe_read_letter(struct recipe *r, struct text_range rest, struct err *err)
{
	struct recipe_letter l = { .at = rest };
	int ret = read_names(r, &rest, &l.letter, &l.name, err);

	if (!ret && rest.n)
		ret = recipe_error(r, rest, err, "nothing may follow the option's name");
	if (!ret)
		vec_push(&r->letters, l);
	return ret;
}

/* ---- values -------------------------------------------------------------------------------- */

void recipe_title(const struct recipe_option *o, char room[RECIPE_TITLE])
{
	snprintf(room, RECIPE_TITLE, "%s%s", o->is_positional ? "" : "--",
		 o->is_positional ? o->arg : o->name);
}

static int duration(const struct recipe_option *o, const char *text, const char *what, char **out,
		    struct err *err)
{
	u64 unit = o->type == RECIPE_US ? NS_PER_US : o->type == RECIPE_MS ? NS_PER_MS : NS_PER_SEC;
	u64 ns;
	int ret = num_duration(text, unit, 0, 366 * 24 * 3600 * NS_PER_SEC, what, &ns, err);

	if (!ret)
		*out = mem_printf("%llu", ns);
	return ret;
}

static int choice(const struct recipe_option *o, const char *text, const char *what, char **out,
		  struct err *err)
{
	_cleanup_(str_release) struct str list = { 0 };

	for (size_t i = 0; o->choices && o->choices[i]; i++) {
		if (!strcmp(o->choices[i], text)) {
			*out = mem_strdup(text);
			return 0;
		}
		str_addf(&list, "%s%s", i ? ", " : "", o->choices[i]);
	}
	return err_set(err, ERR_USAGE, "%s: '%s' is none of %s", what, text, str_text(&list));
}

/* "80,443" */
static int numbers(const char *text, const char *what, char **out, struct err *err)
{
	_cleanup_(str_release) struct str list = { 0 }, one = { 0 };
	struct view rest = view_of(text), v;
	u64 number;
	int ret = *text ? 0 : num_u64(text, 0, UINT64_MAX, what, &number, err);

	while (!ret && view_split(&rest, ',', &v)) {
		str_clear(&one);
		str_add(&one, v.p, v.n);
		ret = num_u64(str_text(&one), 0, UINT64_MAX, what, &number, err);
		str_addf(&list, "%s%llu", list.n ? "," : "", number);
	}
	if (!ret)
		*out = mem_strdup(str_text(&list));
	return ret;
}

int recipe_value(const struct recipe_option *o, const char *text, char **out, struct err *err)
{
	char what[RECIPE_TITLE];
	u64 number;
	size_t n;
	int ret;

	recipe_title(o, what);
	*out = NULL;
	switch (o->type) {
	case RECIPE_NUMBER:
		ret = num_u64(text, o->least, o->most, what, &number, err);
		if (!ret)
			*out = mem_printf("%llu", number);
		return ret;
	case RECIPE_NUMBERS:
		return numbers(text, what, out, err);
	case RECIPE_USERS:
		return recipe_users(text, out, err);
	case RECIPE_CGROUPS:
		return recipe_cgroups(text, out, err);
	case RECIPE_US:
	case RECIPE_MS:
	case RECIPE_S:
		return duration(o, text, what, out, err);
	case RECIPE_DISK:
		return recipe_disk(text, what, out, err);
	case RECIPE_TTY:
		return recipe_tty(text, what, out, err);
	case RECIPE_CHOICE:
		return choice(o, text, what, out, err);
	case RECIPE_FLAG:
	case RECIPE_TEXT:
	case RECIPE_PART:
	case RECIPE_BELOW:
	case RECIPE_WORD:
	case RECIPE_FLAGS:
		break;
	}
	if (o->type != RECIPE_FLAG && !*text)
		return err_set(err, ERR_USAGE, "%s: the word is empty", what);
	/* It would become more than a part of a probe: a predicate, or a message.  A pattern may
	 * be a regular expression, with brackets. */
	if (o->type == RECIPE_WORD && text[strcspn(text, " \t\n\"'")])
		return err_set(err, ERR_USAGE, "%s: '%s' is not one word", what, text);
	n = strlen(text);
	/* "/tmp/" becomes "/tmp", and "/" becomes "": a slash and a star are added later. */
	while (o->type == RECIPE_BELOW && n && text[n - 1] == '/')
		n--;
	*out = mem_strndup(text, n);
	return 0;
}
