// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads a recipe's lines: the word with which each begins, and its arguments. */
#include "recipe/recipe_int.h"

#include "base/num.h"
#include "base/suggest.h"

#define ALL (RUN_BIT(TRACE) | RUN_BIT(ARGDIST) | RUN_BIT(FUNCCOUNT))

const char *const recipe_runs[RECIPE_N_RUNS] = { "trace", "argdist", "funccount" };

const struct body_row body_rows[BODY_N_WORDS] = {
	[BODY_PROBE] = { "probe", "probe SITE", ALL },
	[BODY_WHERE] = { "where", "where CONDITION", ALL },
	[BODY_COLUMN] = { "column", "column NAME %-8s EXPRESSION, or NAME FUNCTION(EXPRESSION)",
			  RUN_BIT(TRACE) | RUN_BIT(ARGDIST) },
	[BODY_LET] = { "let", "let COLUMN EXPRESSION", RUN_BIT(TRACE) },
	[BODY_HISTOGRAM] = { "histogram", "histogram EXPRESSION", RUN_BIT(ARGDIST) },
	[BODY_COUNT] = { "count", "count EXPRESSION", RUN_BIT(ARGDIST) },
	[BODY_STATS] = { "stats", "stats EXPRESSION", RUN_BIT(ARGDIST) },
	[BODY_TYPE] = { "type", "type C-TYPE", RUN_BIT(ARGDIST) },
	[BODY_LABEL] = { "label", "label TEXT", RUN_BIT(ARGDIST) | RUN_BIT(FUNCCOUNT) },
	[BODY_BY] = { "by", "by [NAME=]EXPRESSION", RUN_BIT(ARGDIST) | RUN_BIT(FUNCCOUNT) },
	[BODY_DERIVE] = { "derive", "derive NAME EXPRESSION",
			  RUN_BIT(ARGDIST) | RUN_BIT(FUNCCOUNT) },
	[BODY_WITH] = { "with", "with OPTION...", ALL },
	[BODY_LIST] = { "list", "list SITE", ALL },
	[BODY_MODULE] = { "module", "module NAME", ALL },
};

/* ---- the head ------------------------------------------------------------------------------ */

static const char *copy(struct recipe *r, struct text_range at)
{
	return arena_view(&r->arena, span_view(&r->text, at));
}

static int once(struct recipe *r, const char **field, struct text_range rest, struct err *err)
{
	if (*field)
		return recipe_error(r, rest, err, "this line may appear only once");
	*field = copy(r, rest);
	return 0;
}

/* Several lines are one paragraph. */
static int more(struct recipe *r, const char **field, struct text_range rest)
{
	*field = *field ? arena_printf(&r->arena, "%s %s", *field, copy(r, rest)) : copy(r, rest);
	return 0;
}

static int read_purpose(struct recipe *r, struct text_range rest, struct err *err)
{
	return once(r, &r->purpose, rest, err);
}

static int read_group(struct recipe *r, struct text_range rest, struct err *err)
{
	return once(r, &r->group, rest, err);
}

static int read_about(struct recipe *r, struct text_range rest, struct err *err)
{
	(void)err;
	return more(r, &r->about, rest);
}

static int read_overhead(struct recipe *r, struct text_range rest, struct err *err)
{
	(void)err;
	return more(r, &r->overhead, rest);
}

static int read_interval(struct recipe *r, struct text_range rest, struct err *err)
{
	struct err ignored = { 0 };
	u64 ns;
	int ret = once(r, &r->interval, rest, err);

	r->interval_at = rest;

	if (!ret && num_duration(r->interval, NS_PER_SEC, 1, UINT64_MAX, "", &ns, &ignored))
		ret = recipe_error(r, rest, err, "a time is expected, such as 1s");
	return ret;
}

static int read_run(struct recipe *r, struct text_range rest, struct err *err)
{
	if (r->has_run)
		return recipe_error(r, rest, err, "this line may appear only once");
	for (u32 i = 0; i < RECIPE_N_RUNS; i++)
		if (view_eq(span_view(&r->text, rest), recipe_runs[i])) {
			r->run = (enum recipe_run)i;
			r->has_run = true;
			return 0;
		}
	return recipe_error(r, rest, err, "'run' takes trace, argdist or funccount");
}

static int read_option(struct recipe *r, struct text_range rest, struct err *err)
{
	return recipe_read_option(r, rest, false, err);
}

static int read_argument(struct recipe *r, struct text_range rest, struct err *err)
{
	return recipe_read_option(r, rest, true, err);
}

/* "ARGS - what it does"; ARGS may be empty. */
static int read_example(struct recipe *r, struct text_range rest, struct err *err)
{
	const char *all = copy(r, rest), *dash = strstr(all, "- ");
	struct recipe_example *e = &r->examples[r->n_examples];

	while (dash && dash != all && dash[-1] != ' ')
		dash = strstr(dash + 1, "- ");
	if (!dash)
		return recipe_error(r, rest, err, "the form is: example ARGUMENTS - what it does");
	if (r->n_examples == RECIPE_EXAMPLES)
		return recipe_error(r, rest, err, "more than %d examples", RECIPE_EXAMPLES);
	e->args = arena_strndup(&r->arena, all, dash == all ? 0 : (size_t)(dash - all) - 1);
	e->what = dash + 2;
	r->n_examples++;
	return 0;
}

static const struct head_row {
	const char *word;
	int (*read)(struct recipe *r, struct text_range rest, struct err *err);
} head_rows[] = {
	{ "purpose", read_purpose },	  { "group", read_group },
	{ "about", read_about },	  { "overhead", read_overhead },
	{ "interval", read_interval },	  { "run", read_run },
	{ "option", read_option },	  { "argument", read_argument },
	{ "letter", recipe_read_letter }, { "example", read_example },
};

/* ---- lines --------------------------------------------------------------------------------- */

static int unknown_word(const struct recipe *r, struct text_range word, struct err *err)
{
	_Static_assert(BODY_N_WORDS < 32, "room for all words");
	const char *names[ARRAY_SIZE(head_rows) + BODY_N_WORDS], *nearest;
	char *typed = mem_strndup(r->text.p + word.at, word.n);
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(head_rows); i++)
		names[n++] = head_rows[i].word;
	for (u32 i = 0; i < BODY_N_WORDS; i++)
		names[n++] = body_rows[i].word;
	nearest = nearest_of(typed, names, n);
	free(typed);
	recipe_error(r, word, err, "no line begins with this word");
	return nearest ? err_hint(err, "did you mean '%s'?", nearest)
		       : err_hint(err, "bperf help recipes lists those that do");
}

static int read_body(struct recipe *r, u32 row, struct text_range condition, struct text_range rest,
		     struct err *err)
{
	const struct recipe_line line = { row, condition, rest };

	if (!r->has_run)
		return recipe_error(r, rest, err, "a line 'run COMMAND' must come before this one");
	if (!(body_rows[row].runs & 1U << r->run))
		return recipe_error(r, rest, err, "'%s' is not for %s", body_rows[row].word,
				    recipe_runs[r->run]);
	vec_push(&r->lines, line);
	return 0;
}

static bool is_word(const struct recipe *r, struct text_range word, const char *text)
{
	return view_eq(span_view(&r->text, word), text);
}

/* "[condition]" before a line; its inside. */
static int take_condition(const struct recipe *r, struct text_range *rest,
			  struct text_range *inside, struct err *err)
{
	u32 n = 0;

	*inside = (struct text_range){ 0 };
	if (!rest->n || r->text.p[rest->at] != '[')
		return 0;
	while (n < rest->n && r->text.p[rest->at + n] != ']')
		n++;
	if (n == rest->n)
		return recipe_error(r, (struct text_range){ rest->at, 1 }, err,
				    "this '[' is not closed");
	*inside = span_trim(&r->text, (struct text_range){ rest->at + 1, n - 1 });
	if (!inside->n)
		return recipe_error(r, (struct text_range){ rest->at, 2 }, err,
				    "a condition is missing");
	*rest = span_trim(&r->text, (struct text_range){ rest->at + n + 1, rest->n - n - 1 });
	return 0;
}

static int read_line(struct recipe *r, struct text_range rest, struct err *err)
{
	struct text_range condition, word;
	int ret = take_condition(r, &rest, &condition, err);

	if (ret)
		return ret;
	word = recipe_word(&r->text, &rest);
	for (u32 i = 0; i < BODY_N_WORDS; i++)
		if (is_word(r, word, body_rows[i].word))
			return rest.n ? read_body(r, i, condition, rest, err)
				      : recipe_error(r, word, err, "the form is: %s",
						     body_rows[i].form);
	for (size_t i = 0; i < ARRAY_SIZE(head_rows); i++) {
		if (!is_word(r, word, head_rows[i].word))
			continue;
		if (condition.n)
			return recipe_error(r, condition, err, "'%s' has no condition",
					    head_rows[i].word);
		return rest.n ? head_rows[i].read(r, rest, err)
			      : recipe_error(r, word, err, "something is missing after it");
	}
	return unknown_word(r, word, err);
}

/* Texts of a recipe are printed on terminals, which obey control characters: those of ASCII, and of
 * Latin-1 as UTF-8 has them. */
static int check_characters(struct recipe *r, struct err *err)
{
	const struct text *t = &r->text;

	for (u32 at = 0; at < t->n; at++) {
		u8 c = (u8)t->p[at], next = at + 1 < t->n ? (u8)t->p[at + 1] : 0;

		if (c == '\r' && next == '\n')
			return recipe_error(r, (struct text_range){ at, 1 }, err,
					    "the line ends with a carriage return, as on Windows; "
					    "remove it");
		if ((c < ' ' && c != '\t' && c != '\n') || c == 0x7f ||
		    (c == 0xc2 && next >= 0x80 && next < 0xa0))
			return recipe_error(r, (struct text_range){ at, 1 }, err,
					    "a terminal would obey this control character; "
					    "remove it");
	}
	return 0;
}

static int read_lines(struct recipe *r, struct err *err)
{
	const struct text *t = &r->text;
	int ret = 0;

	for (u32 at = 0, end; at < t->n && !ret; at = end + 1) {
		struct text_range line;

		for (end = at; end < t->n && t->p[end] != '\n';)
			end++;
		line = span_trim(t, (struct text_range){ at, end - at });
		if (line.n && t->p[line.at] != '#')
			ret = read_line(r, line, err);
	}
	return ret;
}

static int is_whole(const struct recipe *r, struct err *err)
{
	const struct text_range end = { r->text.n, 0 };
	bool has_probe = false;

	for (size_t i = 0; i < r->lines.n; i++)
		has_probe |= r->lines.items[i].word == BODY_PROBE;
	if (!r->purpose)
		return recipe_error(r, end, err, "a line 'purpose TEXT' is missing");
	if (!has_probe)
		return recipe_error(r, end, err, "a line 'probe SITE' is missing");
	if (r->interval && r->run == RECIPE_TRACE)
		return recipe_error(r, r->interval_at, err, "'interval' is not for trace");
	return 0;
}

int recipe_read(const char *name, const char *file, const char *text, struct recipe *out,
		struct err *err)
{
	*out = (struct recipe){ .name = name, .file = file };
	if (strlen(text) > TEXT_MAX)
		return err_set(err, ERR_USAGE,
			       "'%s' is longer than %d bytes, the limit of a recipe", file,
			       TEXT_MAX);
	out->text = text_of(text);
	return check_characters(out, err) ?: read_lines(out, err) ?: is_whole(out, err) ?: recipe_check(out, err);
}

void recipe_release(struct recipe *r)
{
	vec_release(&r->options);
	vec_release(&r->letters);
	vec_release(&r->lines);
	arena_release(&r->arena);
}
