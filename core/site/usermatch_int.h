/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does a symbol have the requested name?  Mangled names can be requested as they are, or demangled,
 * in full or short, with parameters or without.  Private to core/site. */
#ifndef SITE_USERMATCH_INT_H
#define SITE_USERMATCH_INT_H

#include "base/str.h"
#include "site/find_int.h"

struct user_match {
	const struct site_name *name; /* borrowed, like the next member */
	const struct matcher *plain;  /* matches the name as it was written */
	struct matcher match;	      /* matches `wanted` */
	struct str wanted;	      /* the requested name, shortened as bperf shortens names */
	bool wants_symbols;	      /* the request is a symbol, or a pattern for symbols: _ZN* */
	struct str demangled;	      /* the last symbol that was looked at */
	struct str called; /* for a quoted name without a match: functions that differ in parameters
			      only */
	u32 n_called;
	struct view key; /* only mangled names that contain this are demangled; may be emptied
			    to look at all of them */
};

int user_match_init(struct user_match *m, struct finder *f);
void user_match_release(struct user_match *m);

/* Match the mangled or the demangled name.  Returns the name to show, valid until the next call;
 * NULL: the symbol has another name. */
const char *user_match_symbol(struct user_match *m, const char *name);

/* Add to `called`. */
void user_match_add_called(struct user_match *m, const char *call);

bool user_name_is_mangled(const char *name);

/* The index of the parameters, or of the end of the name: "f<int>(int)", "X::operator()()
 * const". */
size_t user_name_parameters(const char *call);

#endif
