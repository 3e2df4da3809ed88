// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/ledger.h"

#include "render/summary.h"
#include "test.h"

TEST(losses_that_cannot_be_counted_are_not_summed)
{
	struct ledger l = { 0 };

	l.lost[LOST_ring_full] = 3;
	l.lost[LOST_exited] = 4;
	l.lost[LOST_missed] = LOST_UNKNOWN;
	CHECK_U64(ledger_total(&l), 7);
}

TEST(every_reason_has_a_name_and_a_sentence)
{
	for (int i = 0; i < LOST_N_REASONS; i++)
		CHECK(lost_names[i][0] && lost_texts[i][0]);
	CHECK_STR(lost_names[LOST_stack_fault], "stack_fault");
}

static void check_text(const struct ledger *l, const char *want)
{
	struct str text = { 0 };

	about_losses(&text, l);
	CHECK_STR(str_text(&text), want);
	str_release(&text);
}

TEST(losses_are_listed_by_reason)
{
	struct ledger l = { 0 };

	check_text(&l, "lost: none");
	l.lost[LOST_missed] = LOST_UNKNOWN;
	check_text(&l, "lost: none; missed: not countable here");
	l.lost[LOST_throttled] = 1204;
	l.lost[LOST_ring_full] = 1;
	l.stacks.truncated = 1;
	check_text(&l, "lost: 1 not sent: ring buffer full, 1,204 throttled by the kernel; "
		       "missed: not countable here; 1 stack truncated");
}

TEST(the_share_of_complete_user_stacks_is_shown_with_reasons)
{
	struct ledger l = { 0 };

	l.stacks.user = 1000;
	check_text(&l, "lost: none; user stacks complete: 100 %");
	l.stacks.user_truncated[TRUNCATED_table_late] = 19;
	l.stacks.user_truncated[TRUNCATED_no_unwind_info] = 8;
	CHECK(ledger_complete_share(&l) > 0.9729 && ledger_complete_share(&l) < 0.9731);
	check_text(&l, "lost: none; user stacks complete: 97.3 % (no unwind info 0.8 %, "
		       "unwind table late 1.9 %)");
}

/* "100 %" means all, and nothing less. */
TEST(one_truncated_stack_of_a_million_is_not_rounded_away)
{
	struct ledger l = { 0 };

	l.stacks.user = 1000000;
	l.stacks.user_truncated[TRUNCATED_jit] = 1;
	check_text(
		&l,
		"lost: none; user stacks complete: 99.9 % (JIT code without frame pointers 0.0 %)");
}
