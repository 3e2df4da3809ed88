// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/shell.h"

#include <string.h>

#include "base/printable.h"

#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%^"

static bool is_printable(const char *word)
{
	while (*word) {
		size_t n = printable_bytes(word);

		if (!n)
			return false;
		word += n;
	}
	return true;
}

/* $'...', which bash, zsh, ksh and busybox know: bytes that a terminal would interpret are octal.
 */
static void add_escaped(struct str *out, const char *word)
{
	str_adds(out, "$'");
	while (*word) {
		size_t n = printable_bytes(word);

		if (!n) {
			str_addf(out, "\\%03o", (unsigned char)*word++);
			continue;
		}
		if (*word == '\'' || *word == '\\')
			str_addc(out, '\\');
		str_add(out, word, n);
		word += n;
	}
	str_addc(out, '\'');
}

void shell_add_word(struct str *out, const char *word)
{
	if (word[0] && !word[strspn(word, PLAIN)]) {
		str_adds(out, word);
		return;
	}
	if (!is_printable(word)) {
		add_escaped(out, word);
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
