// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Changes of the live view's state that views and keys have in common. */
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "live/live_int.h"
#include "render/framelabel.h"

#define PATTERN_MAX 256 /* bytes */
#define NAME_LEAST  20	/* columns */

void live_notice(struct live *l, const char *fmt, ...)
{
	struct str text = { 0 };
	va_list ap;

	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	free(l->notice);
	l->notice = mem_strdup(str_text(&text));
	l->must_draw = true;
	str_release(&text);
}

void live_drop_notice(struct live *l)
{
	free(l->notice);
	l->notice = NULL;
}

void live_refresh(struct live *l)
{
	l->has_news = true;
}

void live_prepare(struct live *l)
{
	shown_make(l);
	l->view->prepare(l);
	l->has_news = false;
	l->must_draw = true;
}

void live_use(struct live *l, const struct live_view *view)
{
	if (l->view != view) {
		l->list = (struct list){ 0 };
		l->sort = 0;
	}
	l->view = view;
	live_prepare(l);
}

void live_remember(struct live *l)
{
	l->back = l->view;
	l->back_at = l->at;
	l->back_is_last = l->is_last;
}

bool live_matches(const struct live *l, const char *text)
{
	return l->has_pattern && !regexec(&l->pattern, text, 0, NULL, 0);
}

static bool has_capital(const char *text)
{
	for (; *text; text++)
		if (*text >= 'A' && *text <= 'Z')
			return true;
	return false;
}

static int flags_for(const char *text)
{
	return REG_EXTENDED | REG_NOSUB | (has_capital(text) ? 0 : REG_ICASE);
}

/* Repetitions and references to groups can need any amount of memory and time, and braces are part
 * of names. */
static bool is_costly(const char *text)
{
	for (; *text; text++)
		if (*text == '{' || (text[0] == '\\' && isdigit((u8)text[1])))
			return true;
	return false;
}

static bool compile_literally(regex_t *pattern, const char *text, bool is_whole, int flags)
{
	struct str quoted = { 0 };
	bool is_good;

	str_adds(&quoted, is_whole ? "^" : "");
	for (; *text; text++) {
		if (strchr("\\^$.[]|()*+?{}", *text))
			str_addc(&quoted, '\\');
		str_addc(&quoted, *text);
	}
	str_adds(&quoted, is_whole ? "$" : "");
	is_good = !regcomp(pattern, str_text(&quoted), flags);
	str_release(&quoted);
	return is_good;
}

/* A pattern that is not a regular expression ("operator*") is searched for as it is. */
static bool compile(regex_t *pattern, const char *text)
{
	int flags = flags_for(text);

	if (!is_costly(text) && strlen(text) <= PATTERN_MAX && !regcomp(pattern, text, flags))
		return true;
	return compile_literally(pattern, text, false, flags);
}

static void forget_search(struct live *l)
{
	if (l->has_pattern)
		regfree(&l->pattern);
	free(l->search);
	l->search = NULL;
	l->has_pattern = false;
	l->must_draw = true;
}

static void apply_search(struct live *l)
{
	if (l->view->search)
		l->view->search(l);
}

void live_set_search(struct live *l, const char *text)
{
	forget_search(l);
	if (text && text[0]) {
		l->search = mem_strdup(text);
		l->has_pattern = compile(&l->pattern, text);
	}
	apply_search(l);
}

void live_search_name(struct live *l, const char *name)
{
	char *search = mem_strdup(name);

	forget_search(l);
	l->search = search;
	l->has_pattern = compile_literally(&l->pattern, name, true, REG_EXTENDED | REG_NOSUB);
	apply_search(l);
}

struct view live_take_row(struct view *rest, u32 columns)
{
	struct view row = *rest;

	if (row.n > columns) {
		for (row.n = columns; row.n > (columns + 1) / 2 && rest->p[row.n] != ' ';)
			row.n--;
	}
	rest->p += row.n;
	rest->n -= row.n;
	if (rest->n && rest->p[0] == ' ')
		rest->p++, rest->n--;
	return row;
}

void live_add_fitting(const struct live *l, struct str *out, const char *name, size_t used)
{
	size_t columns = screen_columns(l->screen);

	label_add_fitting(out, view_of(name),
			  used + NAME_LEAST < columns ? columns - used : NAME_LEAST);
}

void live_ask(struct live *l, const char *label, const char *start,
	      void (*done)(struct live *l, const char *text))
{
	l->prompt.is_open = true;
	l->prompt.label = label;
	l->prompt.done = done;
	str_clear(&l->prompt.text);
	str_adds(&l->prompt.text, start);
}
