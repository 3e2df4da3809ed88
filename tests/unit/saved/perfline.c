// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lines of perf script. */
#include "saved/perfline.h"
#include "test.h"

static void check_view(struct view got, const char *want)
{
	char *text = strndup(got.n ? got.p : "", got.n);

	CHECK_STR(text, want);
	free(text);
}

TEST(a_sample_with_everything)
{
	struct perf_sample s;

	CHECK(perf_line_is_sample(
		view_of("     Web Content  12/34 [002]  7.000012:  10101 cycles:u:  "), &s));
	check_view(s.comm, "Web Content");
	CHECK(s.pid == 12 && s.tid == 34 && s.cpu == 2);
	CHECK_U64(s.time_ns, 7000012000ULL);
	CHECK_U64(s.period, 10101);
	check_view(s.event, "cycles:u");
	CHECK(!s.rest.n);
}

TEST(one_number_is_the_threads)
{
	struct perf_sample s;

	CHECK(perf_line_is_sample(view_of("a b 34 7.123456789: sched:sched_switch: x=1"), &s));
	CHECK(s.pid == -1 && s.tid == 34 && s.cpu == -1 && !s.period);
	CHECK_U64(s.time_ns, 7123456789ULL);
	check_view(s.event, "sched:sched_switch");
	check_view(s.rest, "x=1");
}

/* Anyone can choose a comm. */
TEST(comms_that_look_like_the_rest)
{
	struct perf_sample s;

	CHECK(perf_line_is_sample(view_of("1.234567: [001] 5 12/34 [002] 7.000000: cycles:"), &s));
	check_view(s.comm, "1.234567: [001] 5");
	CHECK(s.pid == 12);
	CHECK(perf_line_is_sample(view_of(":1234 1234 7.000000: cycles:"), &s));
	check_view(s.comm, ":1234");
}

TEST(other_lines_are_no_samples)
{
	static const char *const lines[] = { "",
					     "main;foo 12",
					     "	ffffffff81000000 f+0x1 ([kernel.kallsyms])",
					     "x 1 7.0000: cycles",
					     "x 7.000000: cycles:",
					     "1 7.000000: cycles:",
					     "x 1 99999999999999999999.000000: cycles:",
					     "7.000000:" };
	struct perf_sample s;

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		CHECK(!perf_line_is_sample(view_of(lines[i]), &s));
}

TEST(a_frame_with_spaces_everywhere)
{
	struct perf_frame f;

	CHECK(perf_line_is_frame(
		view_of("\t  7f01 operator new(unsigned long)+0x14 (/tmp/a b (deleted))"), &f));
	CHECK_U64(f.addr, 0x7f01);
	check_view(f.symbol, "operator new(unsigned long)");
	CHECK(f.has_off && f.off == 0x14);
	check_view(f.module, "/tmp/a b (deleted)");
}

TEST(frames_without_a_part)
{
	struct perf_frame f;

	CHECK(perf_line_is_frame(view_of(" 12 [unknown] (/bin/x)"), &f));
	CHECK(!f.symbol.n && !f.has_off);
	CHECK(perf_line_is_frame(view_of(" 12 foo (inlined)"), &f));
	check_view(f.module, "inlined");
	CHECK(perf_line_is_frame(view_of(" 12 foo(int)"), &f));
	check_view(f.symbol, "foo(int)");
	CHECK(!f.module.n);
	CHECK(!perf_line_is_frame(view_of(" main foo (x)"), &f));
	CHECK(!perf_line_is_frame(view_of(" 12"), &f));
	CHECK(!perf_line_is_frame(view_of(""), &f));
}
