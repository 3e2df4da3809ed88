/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Parts of HTML pages: sections, tables and their cells.  All text is escaped here: names are
 * hostile, and a page is a program. */
#ifndef RENDER_HTMLTABLE_H
#define RENDER_HTMLTABLE_H

#include "base/str.h"
#include "render/renderer.h"

enum html_column {
	HTML_WORDS,
	HTML_NUMBERS,
	HTML_SORTED, /* numbers; the rows are in their order, largest first */
	HTML_PICTURE /* not sortable */
};

/* Escaped text. */
void html_text(struct str *out, const char *text);
/* Escaped text in an element, with attributes, such as "p class=\"note\"". */
void html_element(struct str *out, const char *start, const char *text);

/* `id` is the target for links. */
void html_section_start(struct str *out, const char *id, const char *title);
void html_section_end(struct str *out);

/* A table that the script of the page sorts and filters: call html_heading for each column, then
 * html_table_body, then write the rows. */
void html_table_start(struct str *out, const char *label);
void html_heading(struct str *out, enum html_column kind, const char *name);
void html_table_body(struct str *out);
void html_table_end(struct str *out);
void html_row_start(struct str *out);
void html_row_end(struct str *out);

void html_words(struct str *out, const char *text);
void html_number(struct str *out, u64 value);
/* A cell that is a number with its sign, decimals or unit; not escaped. */
void html_numberf(struct str *out, const char *fmt, ...) PRINTF(2, 3);
/* "31.0 %", with a bar. */
void html_share(struct str *out, u64 part, u64 whole);

/* A value of the run: milliseconds with three decimals unless --unit says otherwise, or a count. */
void html_value(struct render *out, u64 value);
/* Its unit: "ms", "samples". */
const char *html_unit(const struct render *out);

#endif
