// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/err.h"

#include <errno.h>

#include "test.h"

TEST(setting_an_error_is_failing)
{
	struct err err = { 0 };

	CHECK(err_set(&err, ERR_USAGE, "no such option: %s", "--x") == -ERR_USAGE);
	CHECK(err.code == ERR_USAGE);
	CHECK_STR(err.what, "no such option: --x");
	CHECK_STR(err.hint, "");
}

TEST(the_first_failure_is_the_cause)
{
	struct err err = { 0 };

	err_set(&err, ERR_NOTARGET, "first");
	CHECK(err_set(&err, ERR_FAIL, "second") == -ERR_NOTARGET);
	CHECK(err_errno(&err, EPERM, "third") == -ERR_NOTARGET);
	CHECK_STR(err.what, "first");
}

TEST(errno_is_shown_by_name_and_sets_the_status)
{
	struct err err = { 0 };

	CHECK(err_errno(&err, ENOENT, "open '%s'", "/x") == -ERR_FAIL);
	CHECK_STR(err.what, "open '/x': No such file or directory");
	err_clear(&err);
	CHECK(err_errno(&err, EPERM, "load") == -ERR_PERM);
	err_clear(&err);
	CHECK(err_errno(&err, EACCES, "load") == -ERR_PERM);
	CHECK_STR(err.what, "load: Permission denied");
}

TEST(context_goes_before_and_hints_go_below)
{
	struct err err = { 0 };

	err_set(&err, ERR_KERNEL, "no BTF");
	CHECK(err_wrap(&err, "load %s", "profile") == -ERR_KERNEL);
	CHECK(err_hint(&err, "give one with %s", "--btf") == -ERR_KERNEL);
	err_hint(&err, "or boot another kernel");
	CHECK_STR(err.what, "load profile: no BTF");
	CHECK_STR(err.hint, "give one with --btf\nor boot another kernel");
}

TEST(a_caret_is_at_least_one_wide)
{
	struct err err = { 0 };

	err_set(&err, ERR_USAGE, "bad");
	CHECK(err_caret(&err, "1,x", 2, 0) == -ERR_USAGE);
	CHECK_STR(err.text, "1,x");
	CHECK(err.caret == 2 && err.width == 1);
}

TEST(clear_makes_it_new)
{
	struct err err = { 0 };

	err_set(&err, ERR_FAIL, "x");
	err_hint(&err, "y");
	err_clear(&err);
	CHECK(!err.code && !err.what[0] && !err.hint[0]);
}

/* Words of a user or a file may be longer than any message: the reason must still be visible. */
TEST(long_words_are_cut_and_the_reason_stays)
{
	static char word[200000];
	struct err err = { 0 };

	memset(word, 'w', sizeof(word) - 1);
	err_set(&err, ERR_FAIL, "cannot run '%s': no such program", word);
	CHECK(strlen(err.what) <= ERR_LINE_MAX);
	CHECK(!strncmp(err.what, "cannot run 'www", 15));
	CHECK(strstr(err.what, "www...www"));
	CHECK(strstr(err.what, "w': no such program"));
	err_wrap(&err, "%s", word);
	CHECK(strlen(err.what) <= ERR_LINE_MAX);
	CHECK(strstr(err.what, "w': no such program"));
	for (int i = 0; i < 3; i++)
		err_hint(&err, "%s", word);
	CHECK(strlen(err.hint) < sizeof(err.hint));
	err_clear(&err);
	err_errno(&err, ENOENT, "%s", word);
	CHECK(strlen(err.what) <= ERR_LINE_MAX);
	CHECK(strstr(err.what, "w: No such file or directory"));
}

TEST(a_caret_stays_under_its_place_in_a_long_text)
{
	static char word[60001];
	u32 places[] = { 0, 5, 300, 30000, 59990, 59999 };
	struct err err = { 0 };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		memset(word, 'w', sizeof(word) - 1);
		word[places[i]] = 'X';
		err_caret(&err, word, places[i], 1);
		CHECK(strlen(err.text) <= ERR_CARET_MAX);
		CHECK(err.text[err.caret] == 'X');
		CHECK(err.width == 1);
	}
	err_caret(&err, word, 100, 59000);
	CHECK(err.caret + err.width <= strlen(err.text));
}

TEST(characters_stay_whole)
{
	static char word[2001];
	struct err err = { 0 };

	for (size_t i = 0; i < sizeof(word) - 1; i++)
		word[i] = i % 2 ? '\xa4' : '\xc3';
	for (int i = 0; i < 4; i++) {
		err_clear(&err);
		err_set(&err, ERR_FAIL, "%.*s%s", i, "abcd", word);
		CHECK(!strstr(err.what, "\xc3."));
		CHECK(!strstr(err.what, ".\xa4"));
	}
}
