// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The only place where errors are printed.  They may contain the user's words and names from the
 * system: bytes that a terminal would interpret are escaped. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/utf8.h"
#include "cmd/command.h"

#define MAX_HINT_LINES 2

static void put_clean(struct view text, FILE *f)
{
	_cleanup_(str_release) struct str clean = { 0 };

	utf8_add_clean(&clean, text);
	fputs(str_text(&clean), f);
}

static void put_hint(const char *hint, u32 max_lines, FILE *f)
{
	while (*hint && max_lines--) {
		size_t n = strcspn(hint, "\n");

		fputs("  ", f);
		put_clean((struct view){ hint, n }, f);
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
	put_clean(view_of(err->text), f);
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
	put_clean(view_of(err->what), f);
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
