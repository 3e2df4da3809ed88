// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/diff.h"

#include "reports.h"
#include "test.h"

/* The same program, built again: other addresses, another path of the library. */
enum {
	MAIN,
	HOT,
	COLD,
	LIB,
	N
};

static const struct frame old_build[N] = {
	[MAIN] = { .name = "main", .module = "/opt/1/app", .build_id = "aa", .vaddr = 0x10 },
	[HOT] = { .name = "hot", .module = "/opt/1/app", .build_id = "aa", .vaddr = 0x20 },
	[COLD] = { .name = "cold", .module = "/opt/1/app", .build_id = "aa", .vaddr = 0x30 },
	[LIB] = { .module = "/opt/1/libfoo.so.1", .off = 0x40, .vaddr = 0x40 },
};

static const struct frame new_build[N] = {
	[MAIN] = { .name = "main", .module = "/opt/2/app", .build_id = "bb", .vaddr = 0x11 },
	[HOT] = { .name = "hot", .module = "/opt/2/app", .build_id = "bb", .vaddr = 0x22 },
	[COLD] = { .name = "fresh", .module = "/opt/2/app", .build_id = "bb", .vaddr = 0x33 },
	[LIB] = { .module = "/opt/2/libfoo.so.1", .off = 0x44, .vaddr = 0x44 },
};

static const struct diff_opts share = { .z = 1.959964 };

struct pair_of_runs {
	struct sample before, after;
	struct diff diff;
};

static void start(struct pair_of_runs *p)
{
	sample_init(&p->before, old_build, N);
	sample_init(&p->after, new_build, N);
}

static void stop(struct pair_of_runs *p)
{
	diff_release(&p->diff);
	sample_release(&p->before);
	sample_release(&p->after);
}

static void make(struct pair_of_runs *p, const struct diff_opts *opts)
{
	struct err err = { 0 };

	CHECK(!diff_check(&p->before.report, &p->after.report, &err));
	diff_make(&p->diff, &p->before.report, &p->after.report, opts);
}

static const struct diff_func *find(const struct diff *d, const char *name)
{
	const struct diff_func *f;

	vec_for_each(f, &d->funcs)
		if (!strcmp(d->joined.frames[f->frame].name ?: "", name))
			return f;
	CHECK(!"found");
	return NULL;
}

static void add_two_builds(struct pair_of_runs *p)
{
	sample_add(&p->before, "app", 1, 600, NULL, PATH(HOT, MAIN));
	sample_add(&p->before, "app", 2, 100, NULL, PATH(HOT, HOT, MAIN));
	sample_add(&p->before, "app", 1, 200, NULL, PATH(COLD, MAIN));
	sample_add(&p->before, "app", 1, 100, NULL, PATH(LIB, MAIN));
	sample_add(&p->after, "app", 9, 400, NULL, PATH(HOT, MAIN));
	sample_add(&p->after, "app", 9, 1400, NULL, PATH(COLD, MAIN));
	sample_add(&p->after, "app", 9, 200, NULL, PATH(LIB, MAIN));
}

TEST(functions_are_the_same_by_name_in_another_build)
{
	struct pair_of_runs p;
	const struct diff_func *f;

	start(&p);
	add_two_builds(&p);
	make(&p, &share);
	CHECK_U64(p.diff.funcs.n, 5);
	f = find(&p.diff, "hot");
	CHECK_U64(f->self[DIFF_BEFORE].value, 700);
	CHECK_U64(f->self[DIFF_AFTER].value, 400);
	CHECK_U64(f->total[DIFF_BEFORE].value, 700);
	CHECK(f->self_by.by > -0.5001 && f->self_by.by < -0.4999);
	CHECK(f->self_by.verdict == DIFF_CHANGED);
	f = find(&p.diff, "main");
	CHECK_U64(f->self[DIFF_AFTER].value, 0);
	CHECK_U64(f->total[DIFF_BEFORE].value, 1000);
	CHECK_U64(f->total[DIFF_AFTER].value, 2000);
	CHECK(f->total_by.verdict == DIFF_NOISE);
	f = find(&p.diff, "");
	CHECK_U64(f->self[DIFF_BEFORE].value, 100);
	CHECK_U64(f->self[DIFF_AFTER].value, 200);
	stop(&p);
}

TEST(rows_on_one_side_only_are_new_or_gone)
{
	struct pair_of_runs p;

	start(&p);
	add_two_builds(&p);
	make(&p, &share);
	CHECK_U64(find(&p.diff, "cold")->total[DIFF_AFTER].value, 0);
	CHECK_U64(find(&p.diff, "fresh")->total[DIFF_BEFORE].value, 0);
	CHECK_U64(find(&p.diff, "fresh")->total[DIFF_AFTER].value, 1400);
	stop(&p);
}

/* By the size of the change; what may be chance comes last. */
TEST(the_largest_change_comes_first)
{
	struct pair_of_runs p;

	start(&p);
	add_two_builds(&p);
	make(&p, &share);
	CHECK_STR(p.diff.joined.frames[p.diff.funcs.items[0].frame].name, "fresh");
	CHECK_STR(p.diff.joined.frames[p.diff.funcs.items[1].frame].name, "hot");
	CHECK_STR(p.diff.joined.frames[p.diff.funcs.items[2].frame].name, "cold");
	CHECK_STR(p.diff.joined.frames[p.diff.funcs.items[4].frame].name, "main");
	CHECK(p.diff.funcs.items[2].self_by.verdict == DIFF_CHANGED);
	CHECK(p.diff.funcs.items[3].self_by.verdict == DIFF_NOISE);
	stop(&p);
}

/* A stack is one row, whatever the PIDs; the root is the comm. */
TEST(stacks_have_one_row_with_both_sides)
{
	struct pair_of_runs p;
	const struct stack_row *row;
	u64 before = 0, after = 0;

	start(&p);
	add_two_builds(&p);
	p.before.tasks.items[0].root = "app-1";
	p.after.tasks.items[0].root = "app-9";
	make(&p, &share);
	CHECK_U64(p.diff.stacks.n, 5);
	CHECK_U64(p.diff.joined.stacks.n, 5);
	CHECK_U64(p.diff.joined.total, 2000);
	for (size_t i = 0; i < 5; i++) {
		row = &p.diff.joined.stacks.items[i];
		CHECK_U64(row->value, p.diff.stacks.items[i].side[DIFF_AFTER].value);
		CHECK_U64(row->n_open, p.diff.stacks.items[i].side[DIFF_BEFORE].value);
		before += row->n_open;
		after += row->value;
	}
	CHECK_U64(before, 1000);
	CHECK_U64(after, 2000);
	stop(&p);
}

TEST(widths_can_be_those_before)
{
	const struct diff_opts opts = { .z = 1.96, .by_before = true };
	struct pair_of_runs p;

	start(&p);
	add_two_builds(&p);
	make(&p, &opts);
	CHECK_U64(p.diff.joined.total, 1000);
	for (size_t i = 0; i < 5; i++)
		CHECK_U64(p.diff.joined.stacks.items[i].value,
			  p.diff.stacks.items[i].side[DIFF_BEFORE].value);
	stop(&p);
}

TEST(equal_runs_have_noise_only)
{
	struct pair_of_runs p;
	const struct diff_func *f;

	start(&p);
	sample_add(&p.before, "app", 1, 60, NULL, PATH(HOT, MAIN));
	sample_add(&p.before, "app", 1, 40, NULL, PATH(LIB, MAIN));
	sample_add(&p.after, "app", 1, 120, NULL, PATH(HOT, MAIN));
	sample_add(&p.after, "app", 1, 80, NULL, PATH(LIB, MAIN));
	p.after.report.end_ns *= 2;
	make(&p, &share);
	vec_for_each(f, &p.diff.funcs)
		CHECK(f->self_by.verdict == DIFF_NOISE && f->self_by.by == 0);
	CHECK(p.diff.stacks.n == 2 && p.diff.stacks.items[0].by.verdict == DIFF_NOISE);
	CHECK(diff_compare(&p.diff, DIFF_PER_SECOND, p.diff.funcs.items[0].total).by == 0);
	stop(&p);
}

/* Waits through the whole window are apart in each report, and here too. */
TEST(waits_through_the_whole_window_are_left_out)
{
	struct pair_of_runs p;

	start(&p);
	sample_waits(&p.before, "offcpu", SHAPE_STACK);
	sample_waits(&p.after, "offcpu", SHAPE_STACK);
	sample_add(&p.before, "app", 1, 3000000, NULL, PATH(HOT, MAIN));
	sample_add(&p.before, "app", 1, 9000000, NULL, PATH(COLD, MAIN));
	sample_whole(&p.before);
	sample_add(&p.after, "app", 1, 1000000, NULL, PATH(HOT, MAIN));
	make(&p, &share);
	CHECK_U64(p.diff.stacks.n, 1);
	CHECK_U64(p.diff.side[DIFF_BEFORE].total, 3000000);
	CHECK(find(&p.diff, "hot")->self_by.by == 0);
	CHECK(find(&p.diff, "hot")->self_by.verdict == DIFF_UNCERTAIN);
	stop(&p);
}

/* The links of both sides are in one table. */
TEST(wakers_of_both_sides_are_kept)
{
	struct pair_of_runs p;

	start(&p);
	sample_waits(&p.before, "offwake", SHAPE_CHAIN);
	sample_waits(&p.after, "offwake", SHAPE_CHAIN);
	sample_add(&p.before, "app", 1, 3000000, NULL, PATH(HOT, MAIN));
	sample_chain(&p.before, CHAIN_END_NONE);
	sample_waker(&p.before, "waker", 2, NULL, PATH(LIB, MAIN), 0);
	sample_add(&p.after, "app", 1, 1000000, NULL, PATH(HOT, MAIN));
	sample_chain(&p.after, CHAIN_END_NONE);
	sample_waker(&p.after, "other", 3, NULL, PATH(LIB, MAIN), 0);
	sample_add(&p.after, "app", 1, 2000000, NULL, PATH(HOT, MAIN));
	sample_chain(&p.after, CHAIN_END_NONE);
	sample_waker(&p.after, "waker", 4, NULL, PATH(LIB, MAIN), 0);
	make(&p, &share);
	CHECK_U64(p.diff.stacks.n, 2);
	CHECK_U64(p.diff.joined.n_links, 3);
	CHECK_U64(p.diff.stacks.items[0].side[DIFF_BEFORE].value, 3000000);
	CHECK_U64(p.diff.stacks.items[0].side[DIFF_AFTER].value, 2000000);
	CHECK_U64(p.diff.stacks.items[1].side[DIFF_AFTER].value, 1000000);
	stop(&p);
}

TEST(reports_that_mean_different_things_are_refused)
{
	struct pair_of_runs p;
	struct err err = { 0 };

	start(&p);
	sample_waits(&p.after, "offcpu", SHAPE_STACK);
	CHECK(diff_check(&p.before.report, &p.after.report, &err));
	CHECK(strstr(err.what, "samples can't be compared with times"));
	err = (struct err){ 0 };
	sample_waits(&p.before, "wakeup", SHAPE_WAKEUP);
	CHECK(diff_check(&p.before.report, &p.after.report, &err));
	CHECK(strstr(err.what, "'blocked' can't be compared with 'offcpu'"));
	err = (struct err){ 0 };
	sample_waits(&p.after, "offwake", SHAPE_CHAIN);
	CHECK(diff_check(&p.before.report, &p.after.report, &err));
	CHECK(strstr(err.what, "wakers"));
	err = (struct err){ 0 };
	p.before.report.kind = REPORT_STATES;
	CHECK(diff_check(&p.before.report, &p.after.report, &err));
	CHECK(strstr(err.what, "before"));
	p.diff = (struct diff){ 0 };
	stop(&p);
}

TEST(nothing_on_either_side_is_no_difference)
{
	struct pair_of_runs p;

	start(&p);
	make(&p, &share);
	CHECK_U64(p.diff.stacks.n + p.diff.funcs.n, 0);
	stop(&p);
}
