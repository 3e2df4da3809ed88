/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Words as a shell takes them. */
#ifndef BASE_SHELL_H
#define BASE_SHELL_H

#include "base/str.h"

/* Add a word, quoted if it needs to be, so that the line can be pasted into a shell.  Bytes that a
 * terminal would interpret are escaped. */
void shell_add_word(struct str *out, const char *word);
/* The same for all words up to NULL, with a blank before each. */
void shell_add_words(struct str *out, char *const *words);

#endif
