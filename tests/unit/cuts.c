// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "fold/cuts.h"

#include "test.h"

static const struct frame frames[] = {
	{ .name = "_start", .module = "/bin/a", .kind = FRAME_USER },
	{ .name = "qsort", .module = "/lib/libc.so.6", .kind = FRAME_USER },
	{ .name = "work", .module = "/bin/a", .kind = FRAME_USER },
	{ .module = "/bin/stripped", .kind = FRAME_USER },
	{ .name = "[truncated]", .kind = FRAME_NOTE },
	{ .kind = FRAME_UNKNOWN },
};

TEST(a_stack_that_does_not_reach_a_root_is_cut)
{
	static const u32 whole[] = { 2, 0 }, cut[] = { 2, 1 }, stripped[] = { 3 },
			 noted[] = { 2, 4 };
	struct report r = { .frames = frames, .n_frames = ARRAY_SIZE(frames) };
	struct cuts cuts;

	vec_push(&r.stacks, (struct stack_row){ .user = whole, .n_user = 2, .value = 60 });
	vec_push(&r.stacks, (struct stack_row){ .user = cut, .n_user = 2, .value = 30 });
	vec_push(&r.stacks, (struct stack_row){ .user = stripped, .n_user = 1, .value = 5 });
	vec_push(&r.stacks, (struct stack_row){ .user = noted, .n_user = 2, .value = 5 });
	vec_push(&r.stacks, (struct stack_row){ .value = 1000 }); /* kernel only */
	cuts_find(&r, &cuts);
	CHECK_U64(cuts.walked, 100);
	CHECK_U64(cuts.cut, 30);
	CHECK_U64(cuts.n_stacks, 1);
	CHECK_STR(cuts.module, "/lib/libc.so.6");
	CHECK_U64(cuts.in_module, 30);
	vec_release(&r.stacks);
}

TEST(garbage_behind_a_frame_is_blamed_on_the_frame)
{
	static const u32 garbage[] = { 2, 1, 5 };
	struct report r = { .frames = frames, .n_frames = ARRAY_SIZE(frames) };
	struct cuts cuts;

	vec_push(&r.stacks, (struct stack_row){ .user = garbage, .n_user = 3, .value = 7 });
	cuts_find(&r, &cuts);
	CHECK_U64(cuts.cut, 7);
	CHECK_STR(cuts.module, "/lib/libc.so.6");
	vec_release(&r.stacks);
}

TEST_MAIN()
