// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Views that are lines of text: distributions as `text` prints them, messages, help. */
#include <stdlib.h>
#include <string.h>

#include "live/live_int.h"
#include "render/textpage.h"

/* Columns by which the continuation of a broken line is indented. */
#define MESSAGE_INDENT 2
#define OUTPUT_INDENT  8
#define HELP_INDENT    19 /* where the keys' meanings begin */

void lines_free(struct line_texts *t)
{
	for (size_t i = 0; i < t->v.n; i++)
		free(t->v.items[i]);
	vec_release(&t->v);
}

static void lines_add(struct line_texts *t, const char *text)
{
	struct view rest = view_of(text), line;

	while (view_split(&rest, '\n', &line))
		vec_push(&t->v, mem_strndup(line.p, line.n));
}

void lines_set(struct line_texts *t, const char *text)
{
	lines_free(t);
	lines_add(t, text);
}

/* Lines wider than the screen go on in the next row, from column `indent` on. */
static void lines_wrap(struct line_texts *t, const char *text, u32 columns, u32 indent)
{
	struct view rest = view_of(text), line;
	struct str row = { 0 };

	if (indent > columns / 2)
		indent = 0;
	lines_free(t);
	while (view_split(&rest, '\n', &line)) {
		u32 at = 0;

		do {
			struct view part = live_take_row(&line, columns - at);

			str_clear(&row);
			str_addf(&row, "%*s", (int)at, "");
			str_add(&row, part.p, part.n);
			vec_push(&t->v, mem_strndup(row.p, row.n));
			at = indent;
		} while (line.n);
	}
	str_release(&row);
}

static void draw_lines(struct live *l, const struct line_texts *t, struct area area)
{
	list_resize(&l->list, t->v.n);
	list_fit(&l->list, area.rows);
	for (u32 i = 0; i < area.rows && l->list.top + i < t->v.n; i++) {
		size_t row = l->list.top + i;
		struct style style = { .is_reverse =
					       l->search && live_matches(l, t->v.items[row]) };

		screen_put(l->screen, area.row + i, 0, area.columns, view_of(t->v.items[row]),
			   style);
	}
}

bool lines_key(struct live *l, s32 key)
{
	if (key == KEY_ARROW_DOWN || key == 'j' || key == KEY_WHEEL_DOWN)
		list_select(&l->list, l->list.top + l->list.rows);
	else if (key == KEY_ARROW_UP || key == 'k' || key == KEY_WHEEL_UP)
		list_select(&l->list, l->list.top ? l->list.top - 1 : 0);
	else if (key == KEY_PAGE_DOWN)
		list_select(&l->list, l->list.top + 2 * l->list.rows - 1);
	else if (key == KEY_PAGE_UP)
		list_select(&l->list, l->list.top > l->list.rows ? l->list.top - l->list.rows : 0);
	else
		return list_key(&l->list, key);
	return true;
}

static void find_line(struct live *l, const struct line_texts *t, bool is_forward)
{
	size_t n = t->v.n;

	for (size_t step = 1; step <= n; step++) {
		size_t i = (l->list.at + (is_forward ? step : n - step)) % n;

		if (live_matches(l, t->v.items[i])) {
			list_select(&l->list, i);
			return;
		}
	}
}

static void draw_own(struct live *l, struct area area)
{
	draw_lines(l, &l->lines, area);
}

static void find_own(struct live *l, bool is_forward)
{
	find_line(l, &l->lines, is_forward);
}

/* ---- distributions ---- */

static bool dist_fits(const struct live *l, const struct live_source *s)
{
	(void)l;
	return s->kind == REPORT_DISTS;
}

/* As in text, the most frequent key is the last. */
static void dist_prepare(struct live *l)
{
	bool is_at_end = l->list.at + 1 >= l->list.n && l->shown.report.dists.n == 1;
	const struct render_opts opts = { 0 };
	struct str text = { 0 };

	text_page(&l->shown.report, &opts, screen_columns(l->screen), &text);
	lines_set(&l->lines, str_text(&text));
	list_resize(&l->list, l->lines.v.n);
	if (is_at_end)
		list_select(&l->list, l->list.n);
	str_release(&text);
}

const struct live_view dist_view = {
	.name = "distributions",
	.fits = dist_fits,
	.prepare = dist_prepare,
	.draw = draw_own,
	.key = lines_key,
	.find = find_own,
};

/* ---- messages ---- */

static bool message_fits(const struct live *l, const struct live_source *s)
{
	(void)l;
	return s->messages.n;
}

static void message_prepare(struct live *l)
{
	lines_wrap(&l->lines, str_text(&current_source(l)->messages), screen_columns(l->screen),
		   MESSAGE_INDENT);
}

/* Messages arrive at any time, and there may be many: only those that are drawn are made into
 * lines. */
static void message_draw(struct live *l, struct area area)
{
	message_prepare(l);
	draw_own(l, area);
}

const struct live_view message_view = {
	.name = "messages",
	.fits = message_fits,
	.prepare = message_prepare,
	.draw = message_draw,
	.key = lines_key,
	.find = find_own,
};

/* ---- the output of a command ---- */

static bool never_fits(const struct live *l, const struct live_source *s)
{
	(void)l;
	(void)s;
	return false;
}

static void output_prepare(struct live *l)
{
	lines_wrap(&l->lines, str_text(&l->command_output), screen_columns(l->screen),
		   OUTPUT_INDENT);
}

const struct live_view output_view = {
	.name = "threads",
	.fits = never_fits,
	.prepare = output_prepare,
	.draw = draw_own,
	.key = lines_key,
	.find = find_own,
};

/* ---- help ---- */

static const char keys[] =
	"Everywhere\n"
	"  Tab, 1 to 9      the next view, or the one with this number\n"
	"  arrows, h j k l  move; PgUp, PgDn, g, G: by pages, to the start, to the end\n"
	"  /  n  N          search (a regular expression); the next, the previous match\n"
	"  Space, p         pause, and go on: nothing is lost meanwhile\n"
	"  b                from now on, compare with what was measured so far; b: stop\n"
	"  t                the last window, or all of them\n"
	"  r                begin again from zero\n"
	"  i                what is idle too: processes, waits through whole windows\n"
	"  w                write what is shown to a file, in the format of its name:\n"
	"                   .svg .html .json .pb.gz .folded .txt\n"
	"  m                use the mouse, or leave it to the terminal\n"
	"  Ctrl-L           draw everything again\n"
	"  q, Ctrl-C        leave; Ctrl-Z: stop for a while\n"
	"\n"
	"Flame graph\n"
	"  Enter            zoom into the selected box\n"
	"  Backspace, u     back to the zoom before\n"
	"  Esc              the whole graph, without a search; of one process: back to the table\n"
	"  #                search for the selected function\n"
	"\n"
	"Tables\n"
	"  s                sort functions by self or by total\n"
	"  Enter            the flame graph of the selected function or process\n";

static void help_prepare(struct live *l)
{
	struct str text = { 0 };

	str_adds(&text, keys);
	if (l->opts->has_commands)
		str_adds(&text, "\nThe selected process\n");
	for (const struct live_command *c = live_commands; l->opts->has_commands && c->key; c++)
		str_addf(&text, "  %-16c %s\n", c->key, c->what);
	lines_wrap(&l->lines, str_text(&text), screen_columns(l->screen), HELP_INDENT);
	str_release(&text);
}

const struct live_view help_view = {
	.name = "help",
	.fits = never_fits,
	.prepare = help_prepare,
	.draw = draw_own,
	.key = lines_key,
	.find = find_own,
};
