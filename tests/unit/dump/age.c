// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "dump/age.h"

#include "model/thread.h"
#include "test.h"

/* The run queues' clock is 1000 less than CLOCK_MONOTONIC, and this reader's is 5 old. */
static struct dump_thread thread_at(u64 now)
{
	return (struct dump_thread){ .time_ns = now,
				     .start_time = 100,
				     .state = 1,
				     .more = { .clock_ns = now - 1005,
					       .arrived_ns = 20000,
					       .ran_ns = 300,
					       .counted_ns = 20250 } };
}

static u64 age(const struct dump_thread *t)
{
	struct dump_thread fresh = { .time_ns = 50000, .more = { .clock_ns = 49000 } };
	struct age_clock c = { 0 };

	age_clock_take(&c, t);
	age_clock_take(&c, &fresh);
	return age_of(&c, t);
}

TEST(a_wait_begins_when_the_last_run_ended)
{
	struct dump_thread t = thread_at(31000);

	CHECK_U64(age(&t), 30000 - 20300);
	t.more.counted_ns = 20400;
	CHECK_U64(age(&t), 30000 - 20400);
	t.more.ran_ns = 0; /* a real-time thread */
	CHECK_U64(age(&t), 30000 - 20400);
}

TEST(a_run_begins_at_the_switch_in)
{
	struct dump_thread t = thread_at(31000);

	t.on_cpu = true;
	CHECK_U64(age(&t), 10000);
	t.on_cpu = false;
	t.state = 0;
	t.more.queued_ns = 29000;
	CHECK_U64(age(&t), 1000);
}

TEST(nothing_is_older_than_its_thread)
{
	struct dump_thread t = thread_at(31000);

	t.start_time = 30900;
	CHECK_U64(age(&t), 100);
	t.more.arrived_ns = 40000; /* the clocks of CPUs differ */
	CHECK_U64(age(&t), 0);
}

TEST(a_kernel_without_the_times_has_no_ages)
{
	struct dump_thread t = { .time_ns = 31000, .state = 1 };
	struct age_clock c = { 0 };

	age_clock_take(&c, &t);
	CHECK(age_of(&c, &t) == THREAD_AGE_UNKNOWN);
}
