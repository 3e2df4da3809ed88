// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Differences of two reports, written by hand, drawn by every renderer that has them (goldens.h).
 */
#include "goldens.h"
#include "model/diff.h"
#include "reports.h"

static char *diff_argv[] = { (char *)"diff", (char *)"before.json", (char *)"after.json" };

static const struct diff_opts share = { .z = 1.959964, .level = "95" };

static void check_diff(const char *name, const struct sample *before, const struct sample *after,
		       const struct diff_opts *opts, const u32 *in, size_t n,
		       const struct render_opts *render)
{
	struct diff d;
	const struct report *r = &d.joined;
	struct err err = { 0 };

	CHECK(!diff_check(&before->report, &after->report, &err));
	diff_make(&d, &before->report, &after->report, opts);
	d.side[DIFF_BEFORE].is_unaccounted = d.side[DIFF_BEFORE].seconds <= 0;
	d.side[DIFF_AFTER].is_unaccounted = d.side[DIFF_AFTER].seconds <= 0;
	d.run.command = "diff";
	d.run.title = "CPU profile, before and after";
	d.run.argv = diff_argv;
	d.run.argc = ARRAY_SIZE(diff_argv);
	for (size_t i = 0; i < n; i++)
		check_in(name, &r, 1, in[i], render);
	diff_release(&d);
}

#define IN(...) (const u32[]){ __VA_ARGS__ }, ARRAY_SIZE(((const u32[]){ __VA_ARGS__ }))

/* The server before and after a release: more TLS, no JIT, half the writes, and 10 s, not 5. */
static void add_releases(struct sample *before, struct sample *after)
{
	sample_server(before);
	sample_init(after, server_frames, F_N);
	after->report.end_ns *= 2;
	sample_add(after, "nginx", 4100, 390, PATH(F_TCP, F_SYSCALL),
		   PATH(F_WRITE, F_HANDLE, F_WORKER, F_MAIN));
	sample_add(after, "nginx", 4100, 470, NULL, PATH(F_PUSH_BACK, F_HANDLE, F_WORKER, F_MAIN));
	sample_add(after, "nginx", 4100, 180, PATH(F_NFT, F_TCP, F_SYSCALL),
		   PATH(F_WRITE, F_HANDLE, F_WORKER, F_MAIN));
	sample_add(after, "nginx", 4100, 640, NULL, PATH(F_LIBSSL, F_HANDLE, F_WORKER, F_MAIN));
	sample_add(after, "nginx", 4100, 25, NULL, PATH(F_VDSO, F_WORKER, F_MAIN));
	sample_add(after, "nginx", 4100, 120, NULL, PATH(F_VDSO, F_HANDLE, F_WORKER, F_MAIN));
	sample_add(after, "kworker/3:1", 88, 41, PATH(F_TCP), PATH(F_MISSED));
}

TEST(functions_and_stacks)
{
	struct sample before, after;

	add_releases(&before, &after);
	check_diff("diff", &before, &after, &share, IN(IN_TEXT, IN_FOLDED, IN_JSON, IN_SVG),
		   &plain);
	sample_release(&before);
	sample_release(&after);
}

TEST(stacks_in_text)
{
	const struct render_opts opts = { .top = 4, .color = COLOR_NEVER, .stacks = true };
	struct sample before, after;

	add_releases(&before, &after);
	check_diff("diff-stacks", &before, &after, &share, IN(IN_TEXT), &opts);
	sample_release(&before);
	sample_release(&after);
}

TEST(rates_drawn_as_before)
{
	const struct diff_opts rates = { .z = 2.575829,
					 .level = "99",
					 .basis = DIFF_PER_SECOND,
					 .by_before = true,
					 .by_total = true };
	const struct render_opts opts = { .top = 5, .color = COLOR_ALWAYS, .inverted = true };
	struct sample before, after;

	add_releases(&before, &after);
	check_diff("diff-rates", &before, &after, &rates, IN(IN_TEXT, IN_SVG), &opts);
	sample_release(&before);
	sample_release(&after);
}

static void add_waits(struct sample *before, struct sample *after)
{
	sample_init(before, server_frames, F_N);
	sample_init(after, server_frames, F_N);
	sample_waits(before, "offcpu", SHAPE_STACK);
	sample_waits(after, "offcpu", SHAPE_STACK);
	sample_add(before, "nginx", 1, 3400000, PATH(F_TCP, F_SYSCALL), PATH(F_WRITE, F_MAIN));
	sample_add(before, "java", 2, 1000400, PATH(F_SYSCALL), PATH(F_JIT));
	sample_add(before, "java", 2, 9000000, PATH(F_SYSCALL), PATH(F_JIT));
	sample_whole(before);
	sample_add(after, "nginx", 1, 1400000, PATH(F_TCP, F_SYSCALL), PATH(F_WRITE, F_MAIN));
	sample_add(after, "nginx", 1, 5000000, PATH(F_SYSCALL), PATH(F_WRITE, F_MAIN));
	sample_add(after, "java", 2, 1000300, PATH(F_SYSCALL), PATH(F_JIT));
}

/* Sums of times have no interval unless their variance is known. */
TEST(times)
{
	const struct diff_opts absolute = { .z = 1.959964, .level = "95", .basis = DIFF_ABSOLUTE };
	struct sample before, after;

	add_waits(&before, &after);
	check_diff("diff-times", &before, &after, &share, IN(IN_TEXT, IN_FOLDED, IN_JSON, IN_SVG),
		   &plain);
	after.report.stacks.items[1].variance = 1e11;
	check_diff("diff-times-sampled", &before, &after, &absolute, IN(IN_TEXT, IN_SVG), &plain);
	sample_release(&before);
	sample_release(&after);
}

/* Folded stacks of others: no host, no length, no losses known. */
TEST(folded_without_lengths)
{
	struct sample before, after;

	add_releases(&before, &after);
	before.report.end_ns = after.report.end_ns = 0;
	before.run.host = after.run.host = NULL;
	before.run.event = after.run.event = NULL;
	check_diff("diff-no-length", &before, &after, &share, IN(IN_TEXT, IN_JSON), &plain);
	sample_release(&before);
	sample_release(&after);
}

TEST(nothing_on_one_side)
{
	struct sample before, after;

	sample_init(&before, server_frames, F_N);
	sample_init(&after, server_frames, F_N);
	sample_add(&after, "nginx", 1, 5, NULL, PATH(F_WRITE, F_MAIN));
	check_diff("diff-nothing", &before, &after, &share, IN(IN_TEXT, IN_FOLDED, IN_SVG), &plain);
	sample_release(&before);
	sample_release(&after);
}

TEST(hostile_names)
{
	static const struct frame frames[] = { { .name = "a;b 12" },
					       { .name = "<script> & \"q\" (x)" },
					       { .name = "\033[31mred\n" } };
	struct sample before, after;

	sample_init(&before, frames, ARRAY_SIZE(frames));
	sample_init(&after, frames, ARRAY_SIZE(frames));
	before.run.host = "\033[7m";
	sample_add(&before, "x;y", 1, 500, NULL, PATH(0, 1));
	sample_add(&after, "x;y", 1, 900, NULL, PATH(2, 0, 1));
	check_diff("hostile-diff", &before, &after, &share, IN(IN_TEXT, IN_FOLDED, IN_JSON, IN_SVG),
		   &plain);
	sample_release(&before);
	sample_release(&after);
}
