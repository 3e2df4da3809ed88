// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Limits on the cost of symbolization: each limit ends the work, in every meter of a chain. */
#include "sym/meter.h"

#include "base/clock.h"
#include "test.h"

TEST(work_without_a_meter_or_a_limit_goes_on)
{
	struct meter m = { 0 };

	meter_begin(&m);
	CHECK(meter_read(NULL, 1ULL << 40) && meter_step(NULL, 1) && !meter_is_over(NULL));
	CHECK(meter_read(&m, 1ULL << 40) && meter_step(&m, 1ULL << 40) && !meter_is_over(&m));
	CHECK_U64(m.bytes, 1ULL << 40);
	CHECK_U64(m.reads, 1);
}

TEST(bytes_and_reads_end_the_work_and_it_stays_ended)
{
	struct meter bytes = { .max_bytes = 100 }, reads = { .max_reads = 2 };

	meter_begin(&bytes);
	meter_begin(&reads);
	CHECK(meter_read(&bytes, 100) && !meter_read(&bytes, 1));
	CHECK(bytes.over == METER_BYTES && !meter_step(&bytes, 0));
	CHECK(meter_read(&reads, 9) && meter_read(&reads, 9) && !meter_read(&reads, 9));
	CHECK(reads.over == METER_READS && meter_is_over(&reads));
}

TEST(kept_bytes_end_the_work_here_and_above)
{
	struct meter up = { .max_kept = 30 }, m = { .up = &up, .max_kept = 20 };

	meter_begin(&up);
	meter_begin(&m);
	CHECK(meter_keep(NULL, 1ULL << 40) && meter_keep(&m, 20) && !meter_keep(&m, 1));
	CHECK(m.over == METER_KEPT && !up.over);
	m = (struct meter){ .up = &up };
	meter_begin(&m);
	CHECK(meter_keep(&m, 9) && !meter_keep(&m, 1));
	CHECK(m.over == METER_ABOVE && up.over == METER_KEPT);
}

TEST(a_deadline_and_a_stop_are_seen_at_once_when_asked)
{
	volatile bool stop = false;
	struct meter late = { .deadline_ns = now_ns() }, stopped = { .stop = &stop };

	meter_begin(&late);
	meter_begin(&stopped);
	CHECK(meter_is_over(&late) && late.over == METER_LATE);
	CHECK(meter_step(&stopped, 1));
	stop = true;
	CHECK(!meter_step(&stopped, 1) && stopped.over == METER_STOPPED);
}

TEST(cpu_time_ends_a_loop_that_never_reads)
{
	struct meter m = { .max_cpu_ns = NS_PER_MS };

	meter_begin(&m);
	while (meter_step(&m, 1))
		;
	CHECK(m.over == METER_CPU && m.cpu_ns > NS_PER_MS);
}

TEST(the_meter_above_is_charged_and_ends_those_below)
{
	struct meter report = { .max_bytes = 150 }, a = { .up = &report }, b = a;

	meter_begin(&report);
	meter_begin(&a);
	meter_begin(&b);
	CHECK(meter_read(&a, 100) && !meter_read(&b, 100));
	CHECK(b.over == METER_ABOVE && report.over == METER_BYTES);
	CHECK(!meter_step(&a, 1));
}

TEST(a_part_left_out_does_not_end_the_rest)
{
	struct meter m = { 0 };

	meter_begin(&m);
	meter_refuse(&m);
	CHECK(m.is_refused && !meter_is_over(&m));
}
