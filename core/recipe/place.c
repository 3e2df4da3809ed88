// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Positions in a recipe's text, and errors about them. */
#include <stdarg.h>
#include <stdio.h>

#include "recipe/recipe_int.h"

static u32 line_of(const struct text *t, u32 at)
{
	u32 line = 1;

	for (u32 i = 0; i < at; i++)
		line += t->p[i] == '\n';
	return line;
}

int recipe_error(const struct recipe *r, struct text_range at, struct err *err, const char *fmt,
		 ...)
{
	char what[sizeof(err->what)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	text_error(&r->text, at, err, "%s", what);
	return err_wrap(err, "%s:%u", r->file, line_of(&r->text, at.at));
}

struct text_range recipe_word(const struct text *t, struct text_range *rest)
{
	struct text_range word;

	*rest = span_trim(t, *rest);
	word = (struct text_range){ rest->at, 0 };
	while (word.n < rest->n && !strchr(" \t", t->p[word.at + word.n]))
		word.n++;
	*rest = span_trim(t, (struct text_range){ span_end(word), rest->n - word.n });
	return word;
}
