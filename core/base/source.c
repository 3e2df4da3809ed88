// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/source.h"

#include <stdarg.h>
#include <stdio.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

struct text_range span_trim(const struct text *t, struct text_range s)
{
	while (s.n && is_blank(t->p[s.at])) {
		s.at++;
		s.n--;
	}
	while (s.n && is_blank(t->p[s.at + s.n - 1]))
		s.n--;
	return s;
}

static u32 blanks_before(const struct text *t, u32 at)
{
	u32 n = 0;

	while (n < at && is_blank(t->p[at - n - 1]))
		n++;
	return n;
}

/* Bytes of a long line that are shown before the position of the error. */
#define SHOWN_BEFORE 200

int text_error(const struct text *t, struct text_range at, struct err *err, const char *fmt, ...)
{
	u32 from, to, n;
	char line[sizeof(err->text)];
	char what[sizeof(err->what)];
	va_list ap;

	if (err->code)
		return -err->code;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	err_set(err, ERR_USAGE, "%s", what);
	if (at.at > t->n)
		at.at = t->n;
	/* Something missing at the end of the text is reported at the end of its last line. */
	if (at.at == t->n)
		at = (struct text_range){ at.at - blanks_before(t, at.at), 0 };
	for (from = at.at; from > 0 && t->p[from - 1] != '\n' && at.at - from < SHOWN_BEFORE;)
		from--;
	for (to = at.at; to < t->n && t->p[to] != '\n';)
		to++;
	if (at.n > to - at.at)
		at.n = to - at.at;
	if (to - from >= sizeof(line))
		to = from + (u32)sizeof(line) - 1;
	for (n = 0; n < to - from; n++)
		line[n] = strchr("\t", t->p[from + n]) ? ' ' : t->p[from + n]; /* NULs too */
	line[n] = '\0';
	return err_caret(err, line, at.at - from, at.n);
}

static char closing(char open)
{
	switch (open) {
	case '(':
		return ')';
	case '[':
		return ']';
	case '{':
		return '}';
	case '"':
	case '\'':
		return open;
	}
	return 0;
}

/* A stack of expected closing brackets, so that a bracket of the wrong kind cannot close one. */
u32 text_match(const struct text *t, u32 at, u32 end)
{
	char want[1024]; /* the expression parser refuses nesting long before this depth */
	u32 depth = 0;

	for (; at < end; at++) {
		char c = t->p[at];

		if (depth && (want[depth - 1] == '"' || want[depth - 1] == '\'')) {
			if (c == '\\')
				at++;
			else if (c == want[depth - 1] && !--depth)
				return at;
		} else if (depth && c == want[depth - 1]) {
			if (!--depth)
				return at;
		} else if (closing(c)) {
			if (depth == sizeof(want))
				return end;
			want[depth++] = closing(c);
		}
	}
	return end;
}

u32 text_find(const struct text *t, u32 at, u32 end, const char *stops)
{
	while (at < end) {
		char c = t->p[at];

		if (strchr(stops, c) && c)
			return at;
		if (closing(c)) {
			u32 close = text_match(t, at, end);

			if (close == end)
				return end;
			at = close;
		}
		at++;
	}
	return end;
}
