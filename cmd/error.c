// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The only place where errors are printed.  They may contain the user's words and names from the
 * system: bytes that a terminal would interpret are escaped. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/printable.h"
#include "cmd/command.h"

#define MAX_HINT_LINES 2

static void put_clean(const char *text, FILE *f)
{
	while (*text) {
		size_t n = printable_bytes(text);

		if (n)
			fwrite(text, 1, n, f);
		else
			fputc('?', f);
		text += n ? n : 1;
	}
}

static void put_hint(const char *hint, u32 max_lines, FILE *f)
{
	while (*hint && max_lines--) {
		size_t n = strcspn(hint, "\n");
		char line[sizeof(((struct err *)0)->hint)];

		snprintf(line, sizeof(line), "%.*s", (int)n, hint);
		fputs("  ", f);
		put_clean(line, f);
		fputc('\n', f);
		hint += n + (hint[n] == '\n');
	}
}

/* The caret is below its byte if everything before it is ASCII; the hint follows on the same
 * line. */
static void put_caret(const struct err *err, FILE *f)
{
	size_t n = strlen(err->text);
	u32 at = err->caret < n ? err->caret : (u32)n;

	fputs("  ", f);
	put_clean(err->text, f);
	fprintf(f, "\n  %*s", (int)at, "");
	for (u32 i = 0; i < err->width && (i == 0 || at + i < n); i++)
		fputc('^', f);
	if (err->hint[0])
		put_hint(err->hint, 1, f);
	else
		fputc('\n', f);
}

static void put_error(const struct err *err, FILE *f)
{
	fputs("bperf: ", f);
	put_clean(err->what, f);
	fputc('\n', f);
	if (err->text[0])
		put_caret(err, f);
	else
		put_hint(err->hint, MAX_HINT_LINES, f);
}

/* stderr is unbuffered: byte by byte, the message would mix with those of other processes. */
void error_print(const struct err *err, FILE *f)
{
	char *text = NULL;
	size_t n = 0;
	FILE *whole;

	if (f == stderr && !log_has_room())
		return;
	whole = open_memstream(&text, &n);
	if (whole)
		put_error(err, whole);
	if (whole && !fclose(whole))
		fwrite(text, 1, n, f);
	else
		put_error(err, f);
	free(text);
}
