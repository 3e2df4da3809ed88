/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Guesses the meaning of words that are written where a format is expected.  Only spec.c includes
 * this. */
#ifndef SYNTAX_SPEC_HINTS_H
#define SYNTAX_SPEC_HINTS_H

#include "base/err.h"
#include "base/source.h"

/* Add a hint to the error: what to write instead of the text at `words`, which is not empty. */
int spec_words_hint(const struct text *t, struct text_range words, struct err *err);

#endif
