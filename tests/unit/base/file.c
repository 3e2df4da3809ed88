// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>

#include "test.h"

static int file_of(size_t n)
{
	FILE *f = tmpfile();

	CHECK(f);
	for (size_t i = 0; i < n; i++)
		fputc('a' + (int)(i % 26), f);
	rewind(f);
	return fileno(f);
}

TEST(a_file_is_added_to_what_is_there)
{
	struct str s = { 0 };

	str_adds(&s, "before:");
	CHECK(!file_read_fd(file_of(3), 100, &s));
	CHECK_STR(str_text(&s), "before:abc");
	str_release(&s);
}

TEST(the_limit_is_inclusive)
{
	static const size_t sizes[] = { 1, 100, 16383, 16384, 16385, 100000 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct str s = { 0 };

		CHECK(!file_read_fd(file_of(sizes[i]), sizes[i], &s));
		CHECK(s.n == sizes[i] && strlen(s.p) == s.n);
		str_clear(&s);
		CHECK(file_read_fd(file_of(sizes[i]), sizes[i] - 1, &s) == -E2BIG);
		str_release(&s);
	}
}

TEST(an_endless_file_ends_at_the_limit)
{
	struct str s = { 0 };

	CHECK(file_read("/dev/zero", 1 << 20, &s) == -E2BIG);
	CHECK(s.n < 2 << 20);
	str_release(&s);
}

TEST(files_of_proc_are_read_though_their_size_is_0)
{
	struct str s = { 0 };

	CHECK(!file_read("/proc/self/status", 1 << 16, &s));
	CHECK(view_starts(str_view(&s), "Name:"));
	str_release(&s);
}

TEST(an_empty_file_is_empty_text)
{
	struct str s = { 0 };

	CHECK(!file_read("/dev/null", 10, &s) && !s.n);
	CHECK_STR(str_text(&s), "");
	str_release(&s);
}

TEST(failures_come_back_as_errno)
{
	struct str s = { 0 };

	CHECK(file_read("/nonexistent/file", 10, &s) == -ENOENT);
	CHECK(file_read("/", 10, &s) == -EISDIR);
	str_release(&s);
}
