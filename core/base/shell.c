// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/shell.h"

#include <string.h>

#include "base/utf8.h"

#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%^"

/* Remove the first character from the view.  False: a terminal would interpret it. */
static bool take_printable(struct view *v)
{
	u32 cp = utf8_next(v);

	return cp != UTF8_BAD && !utf8_is_control(cp);
}

static bool is_printable(struct view word)
{
	while (word.n)
		if (!take_printable(&word))
			return false;
	return true;
}

/* $'...', which bash, zsh, ksh and busybox know: bytes that a terminal would interpret are octal.
 */
static void add_escaped(struct str *out, struct view word)
{
	str_adds(out, "$'");
	while (word.n) {
		const char *start = word.p;

		if (take_printable(&word)) {
			if (*start == '\'' || *start == '\\')
				str_addc(out, '\\');
			str_add(out, start, (size_t)(word.p - start));
			continue;
		}
		for (; start < word.p; start++)
			str_addf(out, "\\%03o", (unsigned char)*start);
	}
	str_addc(out, '\'');
}

void shell_add_word(struct str *out, const char *word)
{
	if (word[0] && !word[strspn(word, PLAIN)]) {
		str_adds(out, word);
		return;
	}
	if (!is_printable(view_of(word))) {
		add_escaped(out, view_of(word));
		return;
	}
	str_addc(out, '\'');
	for (const char *p = word; *p; p++) {
		if (*p == '\'')
			str_adds(out, "'\\'");
		str_addc(out, *p);
	}
	str_addc(out, '\'');
}

void shell_add_words(struct str *out, char *const *words)
{
	for (; *words; words++) {
		str_addc(out, ' ');
		shell_add_word(out, *words);
	}
}
