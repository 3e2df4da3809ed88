// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/nametable.h"

#include "test.h"

static const struct row {
	const char *glob;
	int number;
} rows[] = {
	{ "down", 0 },
	{ "down_read", 1 },
	{ "down_*", 2 },
	{ "down_write", 3 }, /* never: the row above matches first */
};

static int find(const char *name)
{
	struct globs g;
	const struct row *row;

	globs_init(&g, rows, sizeof(rows) / sizeof(*rows), sizeof(*rows));
	row = globs_find(&g, view_of(name));
	return row ? row->number : -1;
}

TEST(the_first_row_that_matches_counts)
{
	CHECK(find("down") == 0);
	CHECK(find("down_read") == 1);
	CHECK(find("down_write") == 2);
	CHECK(find("downs") == -1);
	CHECK(find("up_read") == -1);
}

TEST(suffixes_of_compilers_are_not_compared)
{
	CHECK(find("down.cold") == 0);
	CHECK(find("down_read.part.0") == 1);
}

TEST(short_and_long_names_are_safe)
{
	char name[4096];

	memset(name, 'x', sizeof(name) - 1);
	memcpy(name, "down_", 5);
	name[sizeof(name) - 1] = '\0';
	CHECK(find("") == -1);
	CHECK(find("dow") == -1);
	CHECK(find(".cold") == -1);
	CHECK(find(name) == 2);
}
