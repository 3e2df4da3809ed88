// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "agg/derive.h"

#include <math.h>

#include "test.h"

static bool lookup(void *ctx, const char *name, double *value)
{
	(void)ctx;
	*value = name[0] == 'A' ? 6 : 2;
	return !strcmp(name, "A") || !strcmp(name, "B");
}

static const char *name_of(void *ctx, u32 i)
{
	static const char *const names[] = { "A", "B", NULL };

	(void)ctx;
	return names[i];
}

static const struct derive_names measured = { .lookup = lookup, .name = name_of, .seconds = 3 };

/* The value of the last word; NAN when one cannot be parsed. */
static double value_of(const char *const *words, size_t n, struct err *err)
{
	struct arena arena = { 0 };
	struct derived columns[4];
	struct derive_names names = measured;
	double values[4] = { 0 }, value;

	names.before = columns;
	for (; names.n_before < n; names.n_before++)
		if (derive_parse(&arena, words[names.n_before], &names, &columns[names.n_before],
				 err))
			break;
	derive_values(columns, names.n_before, names, values);
	value = names.n_before < n ? (double)NAN : values[n - 1];
	arena_release(&arena);
	return value;
}

static double one(const char *word)
{
	struct err err = { 0 };

	return value_of(&word, 1, &err);
}

TEST(a_column_is_computed_from_others)
{
	CHECK(one("R=100*(1-B/A)") > 66.6 && one("R=100*(1-B/A)") < 66.7);
	CHECK(one("R=A > B ? A : B") > 5.9);
	CHECK(isnan(one("R=A/(B-B)")));
}

TEST(seconds_are_the_length_of_the_window)
{
	CHECK(one("A/s=A/SECONDS") > 1.9 && one("A/s=A/SECONDS") < 2.1);
}

TEST(a_column_may_use_those_before_it)
{
	static const char *const words[] = { "_SUM=A+B", "TWICE=_SUM*2" };
	struct err err = { 0 };

	CHECK(value_of(words, 2, &err) > 15.9);
}

TEST(a_column_may_not_use_itself_or_later_ones)
{
	static const char *const words[] = { "C=D", "D=A" };
	struct err err = { 0 };

	CHECK(isnan(value_of(words, 2, &err)));
	CHECK_STR(err.what, "no column has the name 'D'");
	CHECK_STR(err.hint, "it has A, B");
}
