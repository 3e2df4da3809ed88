/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Brace sets: "tcp_{send,recv}msg" stands for two names. */
#ifndef SYNTAX_BRACES_H
#define SYNTAX_BRACES_H

#include "base/arena.h"
#include "base/mem.h"
#include "base/view.h"

#define BRACES_MAX 4096 /* most names that one text may expand to */

struct braces {
	VEC(const char *) names; /* in the arena */
	size_t bytes;		 /* copied so far */
};

/* Expand all sets in `text`, nested ones too, in the order of the text.  false: more than
 * BRACES_MAX names (or megabytes of text), or a brace that is not closed. */
bool braces_open(struct arena *a, struct view text, struct braces *out);
void braces_release(struct braces *b);

#endif
