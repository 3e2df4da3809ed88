// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Print option tables: for people, for scripts, and for the tests that read every table. */
#include <stdlib.h>

#include "base/str.h"
#include "opt/opt.h"
#include "opt/table_int.h"

#define LEFT_COLUMNS 27
#define ALL_COLUMNS  79

/* "-p, --pid PID,..." */
static void add_left(struct str *s, const struct opt_row *row)
{
	const struct opt *o = row->opt;

	str_adds(s, "  ");
	for (const char *c = row->letters; *c; c++)
		str_addf(s, "%s-%c", c == row->letters ? "" : ", ", *c);
	if (o->name)
		str_addf(s, "%s--%s", row->letters[0] ? ", " : "    ", o->name);
	if (o->second_name)
		str_addf(s, ", --%s", o->second_name);
	if (o->arg)
		str_addf(s, " %s", o->arg);
}

/* Blanks stay as they are, except where a line is broken. */
static void put_line(struct view rest, size_t first_column, FILE *f)
{
	size_t column = first_column, blanks = 0;
	struct view word;

	for (; view_split(&rest, ' ', &word); blanks++) {
		if (!word.n)
			continue;
		if (column > first_column && column + blanks + word.n > ALL_COLUMNS) {
			fprintf(f, "\n%*s", (int)first_column, "");
			column = first_column;
			blanks = 0;
		}
		fprintf(f, "%*s%.*s", (int)blanks, "", (int)word.n, word.p);
		column += blanks + word.n;
		blanks = 0;
	}
	fputc('\n', f);
}

void opt_wrap(const char *text, size_t column, FILE *f)
{
	struct view rest = view_of(text), line;
	bool is_first = true;

	while (view_split(&rest, '\n', &line)) {
		if (!is_first)
			fprintf(f, "%*s", line.n ? (int)column : 0, "");
		put_line(line, column, f);
		is_first = false;
	}
}

static void put_option(const struct opt_row *row, FILE *f)
{
	struct str left = { 0 };

	add_left(&left, row);
	if (left.n + 2 > LEFT_COLUMNS)
		fprintf(f, "%s\n%*s", str_text(&left), LEFT_COLUMNS, "");
	else
		fprintf(f, "%-*s", LEFT_COLUMNS, str_text(&left));
	opt_wrap(row->opt->help, LEFT_COLUMNS, f);
	str_release(&left);
}

void opt_help(const struct opt *table, FILE *f)
{
	const struct opt_row *row;
	struct opt_rows rows;
	bool is_first = true;

	opt_rows_init(&rows, table);
	vec_for_each(row, &rows.v) {
		if (row->opt->is_hidden)
			continue;
		if (row->opt->kind == OPT_KIND_HEADING)
			fprintf(f, "%s%s:\n", is_first ? "" : "\n", row->opt->help);
		else
			put_option(row, f);
		is_first = false;
	}
	opt_rows_release(&rows);
}

static const char *const kind_names[] = {
	[OPT_KIND_FLAG] = "flag",	[OPT_KIND_COUNT] = "count",   [OPT_KIND_STRING] = "string",
	[OPT_KIND_STRINGS] = "strings", [OPT_KIND_U32] = "number",    [OPT_KIND_U64] = "number",
	[OPT_KIND_DURATION] = "time",	[OPT_KIND_CHOICE] = "choice", [OPT_KIND_CALL] = "value",
	[OPT_KIND_HELP] = "flag",	[OPT_KIND_VERSION] = "flag",
};

void opt_list(const struct opt *table, FILE *f)
{
	const struct opt_row *row;
	struct opt_rows rows;

	opt_rows_init(&rows, table);
	vec_for_each(row, &rows.v) {
		const struct opt *o = row->opt;

		if (o->kind == OPT_KIND_HEADING || o->is_hidden)
			continue;
		fprintf(f, "%s%s\t%s\t%s\t%s\t%s\n", o->name ? "--" : "-",
			o->name ? o->name : row->letters, o->arg ? o->arg : "", kind_names[o->kind],
			row->letters, o->help);
	}
	opt_rows_release(&rows);
}
