// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/flame.h"

#include "reports.h"
#include "test.h"

static const struct frame frames[] = { { .name = "main" }, { .name = "b" }, { .name = "a" } };

static const struct flame_box *find(const struct flame *f, const char *name)
{
	const struct flame_box *box;

	vec_for_each(box, &f->boxes)
		if (box->step.what == STEP_FRAME && !strcmp(frames[box->step.frame].name, name))
			return box;
	return NULL;
}

TEST(boxes_lie_on_what_they_share)
{
	struct sample s;
	struct flame f;

	sample_init(&s, frames, 3);
	sample_add(&s, "app", 1, 4, NULL, PATH(1, 0));
	sample_add(&s, "app", 1, 6, NULL, PATH(2, 0));
	sample_add(&s, "app", 1, 1, NULL, PATH(0));
	flame_layout(&s.report, false, 0, &f);
	CHECK_U64(f.total, 11);
	CHECK_U64(f.n_levels, 4);
	CHECK_U64(f.boxes.n, 5);
	CHECK(f.boxes.items[0].step.what == STEP_ALL && f.boxes.items[0].depth == 0);
	CHECK(f.boxes.items[1].step.what == STEP_TASK && f.boxes.items[1].depth == 1);
	CHECK_U64(find(&f, "main")->value, 11);
	CHECK_U64(find(&f, "a")->left, 1);
	CHECK_U64(find(&f, "a")->value, 6);
	CHECK_U64(find(&f, "b")->left, 7);
	CHECK_U64(find(&f, "b")->depth, 3);
	flame_release(&f);
	sample_release(&s);
}

TEST(narrow_boxes_are_counted_not_kept)
{
	struct sample s;
	struct flame f;

	sample_init(&s, frames, 3);
	sample_add(&s, "app", 1, 99, NULL, PATH(1, 0));
	sample_add(&s, "app", 1, 1, NULL, PATH(2, 0));
	flame_layout(&s.report, false, 2, &f);
	CHECK(!find(&f, "a") && find(&f, "b"));
	CHECK_U64(f.n_dropped, 1);
	CHECK_U64(find(&f, "main")->value, 100);
	flame_release(&f);
	sample_release(&s);
}

TEST(the_delimiter_is_a_box_of_its_own)
{
	struct sample s;
	struct flame f;

	sample_init(&s, frames, 3);
	sample_add(&s, "app", 1, 1, PATH(1), PATH(0));
	flame_layout(&s.report, true, 0, &f);
	CHECK_U64(f.boxes.n, 5);
	CHECK(f.boxes.items[3].step.what == STEP_DELIMITER);
	flame_release(&f);
	sample_release(&s);
}

TEST(an_empty_report_draws_no_boxes)
{
	struct sample s;
	struct flame f;

	sample_init(&s, NULL, 0);
	flame_layout(&s.report, false, 0, &f);
	CHECK_U64(f.boxes.n, 0);
	CHECK_U64(f.n_levels, 0);
	flame_release(&f);
	sample_release(&s);
}

/* Wakers that differ only at their roots share the boxes above the thread that they woke. */
TEST(wakers_stand_upside_down_on_the_sleeper)
{
	struct sample s;
	struct flame f;

	sample_init(&s, frames, 3);
	sample_waits(&s, "chain", SHAPE_CHAIN);
	for (u32 i = 0; i < 3; i++) {
		sample_add(&s, "app", 1, 10, NULL, PATH(0));
		sample_chain(&s, CHAIN_END_NONE);
		sample_waker(&s, i < 2 ? "w" : "v", 2, PATH(1, i % 2 ? 2 : 0), NULL, 0);
	}
	flame_layout(&s.report, false, 0, &f);
	CHECK_U64(f.total, 30);
	CHECK_U64(find(&f, "b")->value, 30);
	CHECK_U64(find(&f, "b")->depth, 4);
	CHECK_U64(find(&f, "a")->value, 10);
	CHECK_U64(find(&f, "a")->depth, 5);
	CHECK_U64(f.n_levels, 7);
	flame_release(&f);
	sample_release(&s);
}

TEST(wakeups_stand_on_the_waker)
{
	struct sample s;
	struct flame f;

	sample_init(&s, frames, 3);
	sample_waits(&s, "wakeup", SHAPE_WAKEUP);
	for (u32 i = 0; i < 2; i++) {
		sample_add(&s, i ? "x" : "y", 1, 10, NULL, NULL);
		sample_chain(&s, CHAIN_END_NONE);
		sample_waker(&s, "w", 2, PATH(1), PATH(0), 0);
	}
	flame_layout(&s.report, false, 0, &f);
	CHECK(f.boxes.items[1].step.what == STEP_WAKER);
	CHECK_U64(find(&f, "main")->value, 20);
	CHECK_U64(find(&f, "b")->value, 20);
	CHECK_U64(f.boxes.n, 6);
	CHECK_STR(f.boxes.items[4].step.text, "x");
	flame_release(&f);
	sample_release(&s);
}
