// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stack/truncation.h"

#include "reports.h"
#include "test.h"

static const struct frame frames[] = {
	{ .name = "_start", .module = "/bin/a", .kind = FRAME_USER },
	{ .name = "qsort", .module = "/lib/libc.so.6", .kind = FRAME_USER },
	{ .name = "work", .module = "/bin/a", .kind = FRAME_USER },
	{ .module = "/bin/stripped", .kind = FRAME_USER },
	{ .name = "[truncated]", .kind = FRAME_NOTE },
	{ .kind = FRAME_UNKNOWN },
	{ .name = "__libc_start_call_main", .module = "/bin/a", .kind = FRAME_USER },
	{ .name = "__libc_start_main_impl", .module = "/bin/a", .kind = FRAME_USER },
	{ .name = "[unwind table late]", .kind = FRAME_NOTE },
	{ .name = "[asleep before start]", .kind = FRAME_NOTE },
	{ .name = "[stack store full]", .kind = FRAME_NOTE },
};

TEST(a_stack_that_does_not_reach_a_root_is_truncated)
{
	struct sample s;
	struct truncations truncations;

	sample_init(&s, frames, ARRAY_SIZE(frames));
	sample_add(&s, "a", 1, 60, NULL, PATH(2, 0));
	sample_add(&s, "a", 1, 30, NULL, PATH(2, 1));
	sample_add(&s, "a", 1, 5, NULL, PATH(3));
	sample_add(&s, "a", 1, 5, NULL, PATH(2, 4));
	sample_add(&s, "a", 1, 1000, PATH(1), NULL);
	truncations_find(&s.report, &truncations);
	CHECK_U64(truncations.walked, 100);
	CHECK_U64(truncations.value, 30);
	CHECK_U64(truncations.n_stacks, 1);
	CHECK_STR(truncations.module, "/lib/libc.so.6");
	CHECK_U64(truncations.in_module, 30);
	sample_release(&s);
}

TEST(garbage_after_a_frame_is_blamed_on_the_frame)
{
	struct sample s;
	struct truncations truncations;

	sample_init(&s, frames, ARRAY_SIZE(frames));
	sample_add(&s, "a", 1, 7, NULL, PATH(2, 1, 5));
	truncations_find(&s.report, &truncations);
	CHECK_U64(truncations.value, 7);
	CHECK_STR(truncations.module, "/lib/libc.so.6");
	sample_release(&s);
}

/* Each truncated stack counts for one reason, and a marker that is no stack for none. */
TEST(truncated_stacks_are_counted_by_reason)
{
	struct sample s;
	struct truncations truncations;
	struct ledger l = { 0 };

	sample_init(&s, frames, ARRAY_SIZE(frames));
	sample_add(&s, "a", 1, 100, NULL, PATH(2, 0));
	sample_add(&s, "a", 1, 20, NULL, PATH(2, 8));
	sample_add(&s, "a", 1, 3, NULL, PATH(2, 4));
	sample_add(&s, "a", 1, 5, NULL, PATH(10));
	sample_add(&s, "a", 1, 7, NULL, PATH(2, 1));
	sample_add(&s, "a", 1, 1000, NULL, PATH(9));
	truncations_find(&s.report, &truncations);
	truncations_settle(&truncations, &l);
	CHECK_U64(l.stacks.user, 135);
	CHECK_U64(l.stacks.user_truncated[TRUNCATED_table_late], 20);
	CHECK_U64(l.stacks.user_truncated[TRUNCATED_too_deep], 3);
	CHECK_U64(l.stacks.user_truncated[TRUNCATED_no_room], 5);
	CHECK_U64(l.stacks.user_truncated[TRUNCATED_frame_pointers], 7);
	CHECK_U64(l.symbols.no_unwind_info, 1);
	sample_release(&s);
}

static u32 whole(const u32 *locs, u32 n)
{
	return truncations_whole(frames, locs, n);
}

#define WHOLE(...) whole((const u32[]){ __VA_ARGS__ }, ARRAY_SIZE(((const u32[]){ __VA_ARGS__ })))

TEST(the_start_of_a_thread_has_no_caller)
{
	CHECK_U64(WHOLE(2, 0), 2);
	CHECK_U64(WHOLE(2, 0, 5, 5), 2);
	CHECK_U64(WHOLE(2, 6, 7, 0), 4);
	CHECK_U64(WHOLE(2, 6, 2, 5), 2);
	CHECK_U64(WHOLE(2, 6, 4), 3);
	CHECK_U64(WHOLE(2, 1, 5), 3);
	CHECK_U64(WHOLE(5), 1);
}
