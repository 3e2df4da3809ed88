// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The helper sends a file together with its message; a helper that hangs costs a second. */
#include "base/helper_open.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "test.h"

static int open_null(void *ctx, struct str *said)
{
	str_adds(said, ctx);
	return open("/dev/null", O_WRONLY | O_CLOEXEC);
}

static int find_nothing(void *ctx, struct str *said)
{
	str_adds(said, ctx);
	return -ENOENT;
}

static int hang(void *ctx, struct str *said)
{
	(void)ctx;
	(void)said;
	return pause();
}

TEST(a_file_is_handed_over_with_its_message)
{
	struct str said = { 0 };
	int fd = helper_open(open_null, "path", &said);

	CHECK(fd >= 0 && write(fd, "x", 1) == 1);
	CHECK(fcntl(fd, F_GETFD) == FD_CLOEXEC);
	CHECK_STR(str_text(&said), "path");
	close(fd);
	str_release(&said);
}

TEST(a_missing_file_has_its_message_too)
{
	struct str said = { 0 };

	CHECK(helper_open(find_nothing, "nowhere", &said) == -ENOENT);
	CHECK_STR(str_text(&said), "nowhere");
	str_release(&said);
}

TEST(a_helper_that_hangs_is_left_after_a_second)
{
	struct str said = { 0 };
	u64 start = now_ns();

	CHECK(helper_open(hang, NULL, &said) == -ETIMEDOUT);
	CHECK(now_ns() - start >= NS_PER_SEC / 2);
	CHECK(!said.n);
	str_release(&said);
}
