// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "out/flame.h"

#include "reports.h"
#include "test.h"

static const struct flame_box *find(const struct flame *f, const char *name)
{
	const struct flame_box *box;

	vec_for_each(box, &f->boxes)
		if (box->what == FLAME_FRAME && !strcmp(box->frame->name, name))
			return box;
	return NULL;
}

static const struct frame frames[] = { { .name = "main" }, { .name = "b" }, { .name = "a" } };

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
	CHECK(f.boxes.items[0].what == FLAME_ALL && f.boxes.items[0].depth == 0);
	CHECK(f.boxes.items[1].what == FLAME_ROOT && f.boxes.items[1].depth == 1);
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
	CHECK(f.boxes.items[3].what == FLAME_DELIMITER);
	flame_release(&f);
	sample_release(&s);
}

TEST(nothing_is_drawn_of_nothing)
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

TEST_MAIN()
