// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/shell.h"

#include <string.h>

#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%^"

void shell_add_word(struct str *out, const char *word)
{
	if (word[0] && !word[strspn(word, PLAIN)]) {
		str_adds(out, word);
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
