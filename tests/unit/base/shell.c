// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Words for a shell: plain ones stay as they are. */
#include "base/shell.h"

#include "test.h"

static void check_word(const char *word, const char *want)
{
	struct str out = { 0 };

	shell_add_word(&out, word);
	CHECK_STR(str_text(&out), want);
	str_release(&out);
}

TEST(words_are_quoted_if_they_need_it)
{
	check_word("p:/usr/lib/libc.so.6:malloc", "p:/usr/lib/libc.so.6:malloc");
	check_word("", "''");
	check_word("a b", "'a b'");
	check_word("it's", "'it'\\''s'");
	check_word("$(id)", "'$(id)'");
	check_word("\xc3\xa4", "'\xc3\xa4'");
	check_word("a\nb", "$'a\\012b'");
	check_word("\033[31m'\\7\xff", "$'\\033[31m\\'\\\\7\\377'");
	check_word("\xc2\x9b", "$'\\302\\233'");
	check_word("a\xe2\x80\xae-", "$'a\\342\\200\\256-'");
	check_word("\xed\xa0\x80", "$'\\355\\240\\200'");
}
