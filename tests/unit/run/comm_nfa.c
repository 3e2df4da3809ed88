// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "run/comm_nfa.h"

#include <fnmatch.h>

#include "test.h"

static bool match(const char *pattern, const char *comm)
{
	struct commglob g = { 0 };
	struct err err = { 0 };

	CHECK(!commglob_add(&g, pattern, true, &err));
	return commglob_wants(&g, true, comm);
}

TEST(one_pattern_means_what_fnmatch_means)
{
	const char *const patterns[] = { "*",	  "a",	    "a*",	"*a",	 "*a*",	  "a?c",
					 "?",	  "a*b*c",  "**",	"[ab]c", "[!a]*", "[a-c]?",
					 "x\\*y", "nginx*", "*/[0-9]*", "[]]x",	 "a*a*a", "*ab" };
	const char *const comms[] = {
		"",    "a",   "ab", "abc", "aXc", "ba",	 "nginx", "nginx: worker", "kworker/0:1",
		"x*y", "xzy", "]x", "bc",  "cc",  "aaa", "aab",	  "abab",	   "123456789012345"
	};

	for (size_t p = 0; p < ARRAY_SIZE(patterns); p++)
		for (size_t c = 0; c < ARRAY_SIZE(comms); c++) {
			bool want = !fnmatch(patterns[p], comms[c], 0);

			if (match(patterns[p], comms[c]) != want)
				printf("# %s ~ %s\n", patterns[p], comms[c]);
			CHECK(match(patterns[p], comms[c]) == want);
		}
}

TEST(many_patterns_do_not_leak_into_each_other)
{
	struct commglob g = { 0 };
	struct err err = { 0 };

	CHECK(!commglob_add(&g, "ab", true, &err) && !commglob_add(&g, "c*", true, &err) &&
	      !commglob_add(&g, "cron", false, &err));
	CHECK(commglob_wants(&g, true, "ab") && commglob_wants(&g, true, "crond"));
	CHECK(!commglob_wants(&g, true, "cron") && !commglob_wants(&g, true, "abc"));
	CHECK(!commglob_wants(&g, true, "a") && !commglob_wants(&g, true, "b"));
	CHECK(!commglob_wants(&g, true, ""));
}

TEST(exclusions_alone_let_the_rest_through)
{
	struct commglob g = { 0 };
	struct err err = { 0 };

	CHECK(!commglob_add(&g, "k*", false, &err));
	CHECK(commglob_wants(&g, false, "nginx") && !commglob_wants(&g, false, "kswapd0"));
}

TEST(broken_and_oversized_patterns_are_errors)
{
	struct commglob g = { 0 };
	struct err err = { 0 };

	CHECK(commglob_add(&g, "[ab", true, &err) == -ERR_USAGE);
	err_clear(&err);
	CHECK(commglob_add(&g, "", true, &err) == -ERR_USAGE);
	err_clear(&err);
	for (int i = 0; i < 4 && !err.code; i++)
		commglob_add(&g, "123456789012345", true, &err);
	CHECK(!err.code);
	CHECK(commglob_add(&g, "x", true, &err) == -ERR_USAGE);
}
