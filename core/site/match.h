/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Matching names with a plain name, a glob, or a regular expression (funccount -r). */
#ifndef SITE_MATCH_H
#define SITE_MATCH_H

#include <regex.h>

#include "base/err.h"
#include "base/types.h"
#include "base/view.h"

/* `* ? [a-z] [!x] \c`, matched with all of `text`; the time is bounded by the product of the
 * lengths. */
bool glob_match(const char *pattern, struct view text);

struct matcher {
	const char *pattern;
	bool is_glob, is_regex;
	struct view prefix; /* the literal start of a glob, to skip others quickly */
	regex_t regex;
};

/* Returns -code if the regular expression cannot be compiled.  `pattern` is borrowed. */
int matcher_init(struct matcher *m, const char *pattern, bool is_glob, bool is_regex,
		 struct err *err);
void matcher_release(struct matcher *m);

bool matcher_matches(const struct matcher *m, struct view name);

#endif
