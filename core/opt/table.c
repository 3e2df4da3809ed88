// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "opt/table_int.h"

#include <stdlib.h>
#include <string.h>

static const struct opt common_opts[] = {
	OPT_HEADING("Help"),
	{ .kind = OPT_KIND_HELP, .letter = 'h', .name = "help", .help = "show this text" },
	{ .kind = OPT_KIND_VERSION,
	  .letter = 'V',
	  .name = "version",
	  .help = "show the version and the licences" },
	OPT_END,
};

static void add_letter(struct opt_row *row, char letter)
{
	size_t n = strlen(row->letters);

	if (letter && n + 1 < sizeof(row->letters))
		row->letters[n] = letter;
}

static void add_rows(struct opt_rows *rows, const struct opt *table, size_t base)
{
	for (const struct opt *o = table; o->kind != OPT_KIND_END; o++) {
		struct opt_row row = { .opt = o, .offset = base + o->offset };

		if (o->kind == OPT_KIND_INCLUDE) {
			add_rows(rows, o->include, base + o->offset);
			continue;
		}
		if (o->kind == OPT_KIND_LETTER)
			continue;
		add_letter(&row, o->letter);
		vec_push(&rows->v, row);
	}
}

/* A command's own use of a letter overrides the use in a shared table. */
static void take_letter(struct opt_rows *rows, char letter)
{
	struct opt_row *row;

	vec_for_each(row, &rows->v) {
		char *at = letter ? strchr(row->letters, letter) : NULL;

		if (at)
			memmove(at, at + 1, strlen(at));
	}
}

/* Runs after add_rows, because a letter can precede the table with its option. */
static void add_letters(struct opt_rows *rows, const struct opt *table)
{
	for (const struct opt *o = table; o->kind != OPT_KIND_END; o++) {
		const struct opt_row *row;

		if (o->kind == OPT_KIND_INCLUDE)
			add_letters(rows, o->include);
		if (o->kind != OPT_KIND_LETTER)
			continue;
		row = opt_rows_by_name(rows, view_of(o->name));
		take_letter(rows, o->letter);
		if (row)
			add_letter(&rows->v.items[row - rows->v.items], o->letter);
	}
}

void opt_rows_init(struct opt_rows *rows, const struct opt *table)
{
	*rows = (struct opt_rows){ 0 };
	add_rows(rows, table, 0);
	add_letters(rows, table);
	add_rows(rows, common_opts, 0);
}

void opt_rows_release(struct opt_rows *rows)
{
	vec_release(&rows->v);
}

const struct opt_row *opt_rows_by_name(const struct opt_rows *rows, struct view name)
{
	const struct opt_row *row;

	vec_for_each(row, &rows->v)
		if ((row->opt->name && view_eq(name, row->opt->name)) ||
		    (row->opt->second_name && view_eq(name, row->opt->second_name)))
			return row;
	return NULL;
}

const struct opt_row *opt_rows_by_letter(const struct opt_rows *rows, char letter)
{
	const struct opt_row *row;

	vec_for_each(row, &rows->v)
		if (letter && strchr(row->letters, letter))
			return row;
	return NULL;
}

const struct opt_row *opt_rows_by_word(const struct opt_rows *rows, struct view word)
{
	return word.n == 1 ? opt_rows_by_letter(rows, word.p[0]) : opt_rows_by_name(rows, word);
}
