/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Columns that are computed from others when a report is made: --col 'HIT%=100*(1-MISS/REFS)'.
 * Knows arithmetic; must not know where the values of the other columns come from.
 */
#ifndef AGG_DERIVE_H
#define AGG_DERIVE_H

#include "base/arena.h"
#include "syntax/ast.h"

struct derived {
	const char *name;
	struct text text; /* the option's argument, for error messages */
	struct ast *expr;
};

/* The name of the window's length in seconds, for rates; a column with this name takes
 * precedence. */
#define DERIVE_SECONDS "SECONDS"
/* Before the name of a line of /proc/meminfo: its kilobytes when the report is made. */
#define DERIVE_MEMINFO "MEMINFO_"

/* The value of a name; false: there is no such name. */
typedef bool (*derive_lookup)(void *ctx, const char *name, double *value);
/* The i-th name that has a value; NULL: there are no more. */
typedef const char *(*derive_name)(void *ctx, u32 i);

/* The names that an expression may use: measured columns, computed columns before it, SECONDS,
 * MEMINFO_Cached. */
struct derive_names {
	derive_lookup lookup;
	derive_name name;
	void *ctx;
	const struct derived *before; /* borrowed; n_before of them */
	const double *values;	      /* theirs; NULL while expressions are only parsed */
	size_t n_before;
	double seconds;
};

/* Parse "NAME=EXPR".  Returns 0, or -code with a caret, also for unknown names. */
int derive_parse(struct arena *a, const char *word, const struct derive_names *names,
		 struct derived *out, struct err *err);

/* Add the list of known names to an error about a name. */
int derive_hint(derive_name name, void *ctx, struct err *err);

/* The value of a column; NAN if it divides by zero. */
double derive_value(const struct derived *d, const struct derive_names *names);

/* Compute the values of all n columns, in their order: each may use those before it.  This sets
 * names.before, names.values and names.n_before. */
void derive_values(const struct derived *d, size_t n, struct derive_names names, double *out);

#endif
