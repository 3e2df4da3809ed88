// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/suggest.h"

#include "test.h"

static const char *const names[] = { "frequency", "folded", "follow", "format", "pid",
				     "tid",	  "comm",   "cgroup", "profile" };

static const char *nearest(const char *word)
{
	return nearest_of(word, names, ARRAY_SIZE(names));
}

TEST(slips_of_the_finger_are_explained)
{
	CHECK_STR(nearest("frequncy"), "frequency");	/* left out */
	CHECK_STR(nearest("frequennncy"), "frequency"); /* stuck key */
	CHECK_STR(nearest("proflie"), "profile");	/* swapped */
	CHECK_STR(nearest("cgruop"), "cgroup");
	CHECK_STR(nearest("comn"), "comm"); /* neighbour */
	CHECK_STR(nearest("pdi"), "pid");
}

TEST(beginnings_are_explained)
{
	CHECK_STR(nearest("freq"), "frequency");
	CHECK_STR(nearest("prof"), "profile");
	CHECK_STR(nearest("fol"), "folded");
}

TEST(other_words_are_not_explained)
{
	CHECK(!nearest("yesterday"));
	CHECK(!nearest("xyz"));
	CHECK(!nearest("x"));
	CHECK(!nearest(""));
	CHECK(!nearest_of("x", NULL, 0));
}

TEST(long_words_are_safe)
{
	char word[5000];

	memset(word, 'f', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	CHECK(!nearest(word));
	word[64] = '\0';
	CHECK(!nearest(word));
}
