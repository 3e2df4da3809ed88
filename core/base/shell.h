/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Words as a shell takes them. */
#ifndef BASE_SHELL_H
#define BASE_SHELL_H

#include "base/str.h"

/* Add a word, quoted if it needs to be, so that the line can be pasted into a shell. */
void shell_add_word(struct str *out, const char *word);

#endif
