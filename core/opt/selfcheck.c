// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Check the option tables for mistakes, in tests. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "opt/opt.h"
#include "opt/table_int.h"

#define LONGEST_NAME 24

static char sentence[256];

static const char *wrong(const struct opt *o, const char *fmt, ...) PRINTF(2, 3);

static const char *wrong(const struct opt *o, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (o->name)
		n = snprintf(sentence, sizeof(sentence), "--%s ", o->name);
	else
		n = snprintf(sentence, sizeof(sentence), "-%c ", o->letter ? o->letter : '?');
	va_start(ap, fmt);
	vsnprintf(sentence + n, sizeof(sentence) - (size_t)n, fmt, ap);
	va_end(ap);
	return sentence;
}

static bool needs_argument(enum opt_kind kind)
{
	return kind >= OPT_KIND_STRING && kind <= OPT_KIND_CHOICE;
}

static const char *check_range(const struct opt *o)
{
	if (o->kind != OPT_KIND_U32 && o->kind != OPT_KIND_U64 && o->kind != OPT_KIND_DURATION)
		return NULL;
	if (o->min > o->max)
		return wrong(o, "has a range upside down");
	if (o->kind == OPT_KIND_U32 && o->max > UINT32_MAX)
		return wrong(o, "allows more than its 32 bits hold");
	if (o->kind == OPT_KIND_DURATION && !o->unit_ns)
		return wrong(o, "has no unit for a bare number");
	return NULL;
}

/* Each choice appears in the argument or in the help. */
static const char *check_choices(const struct opt *o)
{
	if (o->kind != OPT_KIND_CHOICE)
		return NULL;
	if (!o->choices || !o->choices[0])
		return wrong(o, "has no choices");
	for (const char *const *c = o->choices; *c; c++)
		if (!strstr(o->arg, *c) && !strstr(o->help, *c))
			return wrong(o, "does not show its choice '%s'", *c);
	return NULL;
}

static const char *check_text(const struct opt *o)
{
	if (!o->name && !o->letter)
		return wrong(o, "has neither name nor letter");
	if (!o->help || !o->help[0])
		return wrong(o, "has no help");
	if (strpbrk(o->help, "\t\n") || o->help[strlen(o->help) - 1] == '.')
		return wrong(o, "has a tab, a line break or a full stop in its help");
	if (o->name && (strlen(o->name) > LONGEST_NAME ||
			o->name[strspn(o->name, "abcdefghijklmnopqrstuvwxyz0123456789-")]))
		return wrong(o, "is not a short name of small letters and dashes");
	return NULL;
}

static const char *check_option(const struct opt *o)
{
	const char *why = check_text(o);

	if (why)
		return why;
	if (needs_argument(o->kind) && !o->arg)
		return wrong(o, "has no name for its argument");
	if (!needs_argument(o->kind) && o->kind != OPT_KIND_CALL && o->arg)
		return wrong(o, "takes no argument, but names one");
	if (o->kind == OPT_KIND_CALL && !o->parse)
		return wrong(o, "has no parser");
	why = check_range(o);
	return why ? why : check_choices(o);
}

static const char *check_conflicts(const struct opt_rows *rows, const struct opt *o)
{
	struct view words = view_of(o->conflicts ? o->conflicts : ""), word;

	while (view_split(&words, ' ', &word))
		if (!opt_rows_by_word(rows, word))
			return wrong(o, "conflicts with '%.*s', which does not exist", (int)word.n,
				     word.p);
	return NULL;
}

/* Row i does not repeat a name or letter of the rows before it. */
static const char *check_twice(const struct opt_rows *rows, size_t i)
{
	const struct opt_row *row = &rows->v.items[i];
	const char *second = row->opt->second_name;

	if (second && opt_rows_by_name(rows, view_of(second)) != row)
		return wrong(row->opt, "has a second name that another option has");

	for (size_t j = 0; j < i; j++) {
		const struct opt_row *other = &rows->v.items[j];

		if (row->opt->name && other->opt->name && !strcmp(row->opt->name, other->opt->name))
			return wrong(row->opt, "is defined twice");
		if (row->letters[0] && strpbrk(row->letters, other->letters))
			return wrong(row->opt, "has a letter of --%s", other->opt->name);
	}
	return NULL;
}

static const char *check_letters(const struct opt_rows *rows, const struct opt *table)
{
	for (const struct opt *o = table; o->kind != OPT_KIND_END; o++) {
		const struct opt_row *row;
		const char *why = NULL;

		if (o->kind == OPT_KIND_INCLUDE)
			why = check_letters(rows, o->include);
		if (why)
			return why;
		if (o->kind != OPT_KIND_LETTER)
			continue;
		row = opt_rows_by_name(rows, view_of(o->name));
		if (!row)
			return wrong(o, "is given the letter -%c, but does not exist", o->letter);
		if (!strchr(row->letters, o->letter))
			return wrong(o, "has too many letters");
	}
	return NULL;
}

static const char *check_rows(const struct opt_rows *rows)
{
	const char *why = NULL;

	for (size_t i = 0; i < rows->v.n && !why; i++) {
		const struct opt *o = rows->v.items[i].opt;

		if (o->kind == OPT_KIND_HEADING)
			continue;
		why = check_option(o);
		why = why ? why : check_conflicts(rows, o);
		why = why ? why : check_twice(rows, i);
	}
	return why;
}

const char *opt_check(const struct opt *table)
{
	struct opt_rows rows;
	const char *why;

	opt_rows_init(&rows, table);
	why = check_rows(&rows);
	why = why ? why : check_letters(&rows, table);
	opt_rows_release(&rows);
	return why;
}
