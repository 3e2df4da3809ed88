// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shorten.h"

#define HINT_MIN 16 /* bytes: with less room left, a hint line is not worth adding */

/* Format "message" or "message: more" into `out`, shortened: names from users and files can have
 * any length. */
__attribute__((format(printf, 3, 0))) static void put(char *out, size_t size, const char *fmt,
						      va_list ap, const char *more)
{
	char *first = NULL, *all = NULL;
	int n = vasprintf(&first, fmt, ap);

	if (n >= 0)
		n = more ? asprintf(&all, "%s: %s", first, more) : asprintf(&all, "%s", first);
	if (n >= 0) {
		shorten(all, size - 1 < ERR_LINE_MAX ? size - 1 : ERR_LINE_MAX);
		snprintf(out, size, "%s", all);
		free(all);
	}
	free(first);
}

int err_set(struct err *e, enum err_code code, const char *fmt, ...)
{
	va_list ap;

	if (e->code)
		return -e->code;
	e->code = (int)code;
	va_start(ap, fmt);
	put(e->what, sizeof(e->what), fmt, ap, NULL);
	va_end(ap);
	return -e->code;
}

int err_errno(struct err *e, int errnum, const char *fmt, ...)
{
	va_list ap;

	if (e->code)
		return -e->code;
	e->code = errnum == EPERM || errnum == EACCES ? ERR_PERM : ERR_FAIL;
	va_start(ap, fmt);
	put(e->what, sizeof(e->what), fmt, ap, strerror(errnum));
	va_end(ap);
	return -e->code;
}

int err_wrap(struct err *e, const char *fmt, ...)
{
	char old[sizeof(e->what)];
	va_list ap;

	memcpy(old, e->what, sizeof(old));
	va_start(ap, fmt);
	put(e->what, sizeof(e->what), fmt, ap, old);
	va_end(ap);
	return -e->code;
}

int err_hint(struct err *e, const char *fmt, ...)
{
	size_t n = strlen(e->hint);
	va_list ap;

	if (n + HINT_MIN >= sizeof(e->hint))
		return -e->code;
	if (n)
		e->hint[n++] = '\n';
	va_start(ap, fmt);
	put(e->hint + n, sizeof(e->hint) - n, fmt, ap, NULL);
	va_end(ap);
	return -e->code;
}

int err_caret(struct err *e, const char *text, u32 at, u32 width)
{
	size_t left;

	shorten_around(text, &at, width, e->text, ERR_CARET_MAX);
	left = strlen(e->text) - (at < strlen(e->text) ? at : strlen(e->text));
	e->caret = at;
	e->width = width > left ? (u32)left : width;
	if (!e->width)
		e->width = 1;
	return -e->code;
}

void err_clear(struct err *e)
{
	memset(e, 0, sizeof(*e));
}
