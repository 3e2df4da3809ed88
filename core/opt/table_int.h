/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A flattened option table: includes expanded, letters assigned to their options, -h and -V added.
 * Private to core/opt.
 */
#ifndef OPT_TABLE_INT_H
#define OPT_TABLE_INT_H

#include "base/str.h"
#include "base/view.h"
#include "opt/opt.h"

struct opt_row {
	const struct opt *opt; /* never LETTER, INCLUDE or END */
	size_t offset;	       /* offset of the field in the command's conf struct */
	char letters[4];       /* NUL-terminated, in display order */
};

struct opt_rows {
	VEC(struct opt_row) v;
};

void opt_rows_init(struct opt_rows *rows, const struct opt *table);
void opt_rows_release(struct opt_rows *rows);

/* NULL: none.  A heading has no name and no letter. */
const struct opt_row *opt_rows_by_name(const struct opt_rows *rows, struct view name);
const struct opt_row *opt_rows_by_letter(const struct opt_rows *rows, char letter);

/* Find a word of `conflicts`: a letter or a long name. */
const struct opt_row *opt_rows_by_word(const struct opt_rows *rows, struct view word);

static inline bool opt_takes_argument(const struct opt *o)
{
	return o->arg != NULL;
}

#endif
