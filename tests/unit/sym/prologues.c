// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sym/prologues.h"

#include "test.h"

static bool is_zero(const struct prologues *p)
{
	return !p->n && !p->n_frames;
}

TEST(a_file_that_is_missing_is_said_to_be_unreadable)
{
	struct prologues p = { .n = 1, .n_frames = 1 };

	CHECK(prologues_count("/nonexistent", &p) == -1);
	CHECK(is_zero(&p));
}

TEST(a_file_that_is_not_elf_has_no_functions)
{
	struct prologues p = { .n = 1, .n_frames = 1 };

	CHECK(prologues_count("/proc/self/cmdline", &p) == -1);
	CHECK(is_zero(&p));
}

TEST(no_more_functions_have_frames_than_were_examined)
{
	struct prologues p;

	CHECK(prologues_count("/proc/self/exe", &p) == 0);
	CHECK(p.n_frames <= p.n);
}
