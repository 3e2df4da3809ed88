/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Keys of rows as texts. */
#ifndef MODEL_KEY_H
#define MODEL_KEY_H

#include "base/types.h"

/* The end of a text that was truncated. */
#define KEY_CUT "..."

/* A key, or a part of one, that could not be read. */
#define KEY_UNREADABLE "[unreadable]"

/* Facts about parts of a key, which a value with the same text must not imitate.  Bit i is part i.
 */
struct key_marks {
	u32 cut;	/* the part was truncated, and ends in KEY_CUT */
	u32 unreadable; /* the part is KEY_UNREADABLE */
};

static inline bool key_marks_equal(struct key_marks a, struct key_marks b)
{
	return a.cut == b.cut && a.unreadable == b.unreadable;
}

#endif
