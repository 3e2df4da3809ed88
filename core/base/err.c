// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *e, enum err_code code, const char *fmt, ...)
{
	va_list ap;

	if (e->code)
		return -e->code;
	e->code = (int)code;
	va_start(ap, fmt);
	vsnprintf(e->what, sizeof(e->what), fmt, ap);
	va_end(ap);
	return -e->code;
}

int err_errno(struct err *e, int errnum, const char *fmt, ...)
{
	va_list ap;
	size_t n;

	if (e->code)
		return -e->code;
	e->code = errnum == EPERM || errnum == EACCES ? ERR_PERM : ERR_FAIL;
	va_start(ap, fmt);
	vsnprintf(e->what, sizeof(e->what), fmt, ap);
	va_end(ap);
	n = strlen(e->what);
	snprintf(e->what + n, sizeof(e->what) - n, ": %s", strerror(errnum));
	return -e->code;
}

int err_wrap(struct err *e, const char *fmt, ...)
{
	char old[sizeof(e->what)];
	va_list ap;
	size_t n;

	memcpy(old, e->what, sizeof(old));
	va_start(ap, fmt);
	vsnprintf(e->what, sizeof(e->what), fmt, ap);
	va_end(ap);
	n = strlen(e->what);
	snprintf(e->what + n, sizeof(e->what) - n, ": %s", old);
	return -e->code;
}

int err_hint(struct err *e, const char *fmt, ...)
{
	size_t n = strlen(e->hint);
	va_list ap;

	if (n && n + 1 < sizeof(e->hint))
		e->hint[n++] = '\n';
	va_start(ap, fmt);
	vsnprintf(e->hint + n, sizeof(e->hint) - n, fmt, ap);
	va_end(ap);
	return -e->code;
}

int err_caret(struct err *e, const char *text, u32 at, u32 width)
{
	snprintf(e->text, sizeof(e->text), "%s", text);
	e->caret = at;
	e->width = width ? width : 1;
	return -e->code;
}

void err_clear(struct err *e)
{
	memset(e, 0, sizeof(*e));
}
