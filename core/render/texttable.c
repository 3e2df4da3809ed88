// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/texttable.h"

#include <stdlib.h>

#include "base/utf8.h"

#define NAME_MIN 12

void grid_add(struct grid *g, struct view text)
{
	struct str clean = { 0 };

	utf8_add_clean(&clean, text);
	vec_push(&g->cells, mem_strdup(str_text(&clean)));
	str_release(&clean);
}

void grid_addf(struct grid *g, const char *fmt, ...)
{
	struct str text = { 0 };
	va_list ap;

	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	grid_add(g, str_view(&text));
	str_release(&text);
}

static size_t width_of(const char *text)
{
	return utf8_columns(view_of(text));
}

static void add_cell(struct str *out, const char *text, size_t width, bool is_left)
{
	size_t used = width_of(text);
	int pad = used < width ? (int)(width - used) : 0;

	if (is_left)
		str_addf(out, "%s%*s", text, pad, "");
	else
		str_addf(out, "%*s%s", pad, "", text);
}

/* The columns left for the last cell; names shorter than NAME_MIN are useless. */
static size_t last_width(const struct grid *g, const size_t *widths)
{
	size_t used = 2 * (g->n_columns - 1);

	for (u32 i = 0; i + 1 < g->n_columns; i++)
		used += widths[i];
	return g->width > used + NAME_MIN ? g->width - used : NAME_MIN;
}

static void add_last(const struct grid *g, struct str *out, const char *text, const size_t *widths)
{
	if (g->width)
		utf8_add_cut(out, view_of(text), last_width(g, widths));
	else
		str_adds(out, text);
}

void grid_print(const struct grid *g, struct str *out)
{
	size_t *widths = mem_alloc(g->n_columns, sizeof(*widths));

	for (size_t i = 0; i < g->cells.n; i++) {
		size_t width = width_of(g->cells.items[i]);

		if (width > widths[i % g->n_columns])
			widths[i % g->n_columns] = width;
	}
	for (size_t i = 0; i < g->cells.n; i++) {
		size_t column = i % g->n_columns;

		if (column)
			str_adds(out, "  ");
		if (column + 1 < g->n_columns || !g->n_left) {
			add_cell(out, g->cells.items[i], widths[column],
				 column < g->n_first || column >= g->n_columns - g->n_left);
			if (column + 1 < g->n_columns)
				continue;
		} else {
			add_last(g, out, g->cells.items[i], widths);
		}
		while (out->n && out->p[out->n - 1] == ' ')
			out->n--;
		str_addc(out, '\n');
	}
	free(widths);
}

void grid_release(struct grid *g)
{
	for (size_t i = 0; i < g->cells.n; i++)
		free(g->cells.items[i]);
	vec_release(&g->cells);
}
