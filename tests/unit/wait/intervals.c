// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Time is divided at the cuts, and each nanosecond is counted once, in whatever order records
 * come. */
#include "wait/waits_fixture.h"

static const struct waits_conf chains = {
	.levels = 3, .weight = 1, .max_ns = UINT64_MAX, .want_path = true
};

TEST(a_wait_over_a_cut_is_divided_there)
{
	struct fixture f;

	fixture_init(&f, &plain);
	put_stack(&f, 1, "app");
	waits_cut(&f.w, 2000, UINT64_MAX);
	add_wait(&f, 1, 1500, 2400, 2500);
	CHECK_U64(report_total(&f, 1), 500);
	waits_cut(&f.w, 3000, UINT64_MAX);
	CHECK_U64(report_total(&f, 1), 500);
	fixture_release(&f);
}

TEST(credited_time_is_not_counted_again)
{
	const struct wait_thread t = thread_off(1, 1500, 0);
	struct fixture f;

	fixture_init(&f, &plain);
	put_stack(&f, 1, "app");
	waits_cut(&f.w, 2000, UINT64_MAX);
	waits_credit_thread(&f.w, PID, &t);
	CHECK_U64(f.w.n_open, 1);
	CHECK_U64(report_total(&f, 1), 500);
	waits_cut(&f.w, 3000, UINT64_MAX);
	waits_credit_thread(&f.w, PID, &t);
	CHECK_U64(report_total(&f, 1), 1000);
	add_wait(&f, 1, 1500, 3400, 3500);
	waits_cut(&f.w, 4000, UINT64_MAX);
	CHECK_U64(report_total(&f, 1), 500);
	fixture_release(&f);
}

/* The hook was running when its thread was scanned: the credit said that the wait went on, the
 * records say that it had ended, and what followed. */
TEST(a_wait_that_ends_during_the_scan_is_counted_once)
{
	const struct wait_thread t = thread_off(1, 1500, 0);
	struct fixture f;

	fixture_init(&f, &plain);
	put_stack(&f, 1, "app");
	put_stack(&f, 2, "app");
	waits_cut(&f.w, 2000, UINT64_MAX);
	waits_credit_thread(&f.w, PID, &t);
	CHECK_U64(report_total(&f, 1), 500);
	add_wait(&f, 1, 1500, 1890, 1900);
	add_wait(&f, 2, 1900, 2090, 2100);
	waits_cut(&f.w, 3000, UINT64_MAX);
	CHECK_U64(report_total(&f, 1), 100);
	fixture_release(&f);
}

/* Credited at the cut, the window of BEGIN to 2000. */
static void report_with(struct fixture *f, const struct wait_thread *t, bool is_snapshot,
			struct report *r)
{
	const struct store_view view = { .by = BY_COMM, .is_snapshot = is_snapshot };

	*r = (struct report){ 0 };
	waits_credit_thread(&f->w, PID, t);
	waits_report(&f->w, &view, r);
	waits_end_report(&f->w, is_snapshot);
	report_release(r);
}

TEST(a_snapshot_shows_what_there_is_and_takes_nothing_away)
{
	const struct wait_thread t = thread_off(1, 1500, 0);
	struct report r;
	struct fixture f;

	fixture_init(&f, &plain);
	put_stack(&f, 1, "app");
	waits_cut(&f.w, 2000, UINT64_MAX);
	report_with(&f, &t, true, &r);
	CHECK_U64(r.total, 500);
	add_wait(&f, 1, 1500, 2500, 2500);
	waits_cut(&f.w, 3000, UINT64_MAX);
	CHECK_U64(report_total(&f, 1), 1000);
	fixture_release(&f);
}

TEST(a_wait_through_the_whole_window_is_listed_apart)
{
	const struct wait_thread t = thread_off(1, 500, 0);
	struct fixture f;
	struct report r;

	fixture_init(&f, &plain);
	put_stack(&f, 1, "app");
	waits_cut(&f.w, 2000, UINT64_MAX);
	report_with(&f, &t, false, &r);
	CHECK_U64(r.total, 1000);
	CHECK_U64(r.whole.value, 1000);
	CHECK_U64(r.whole.n, 1);
	add_wait(&f, 1, 500, 2400, 2500);
	add_wait(&f, 1, 2600, 2700, 2800);
	waits_cut(&f.w, 3000, UINT64_MAX);
	CHECK_U64(report_total(&f, 1), 700);
	fixture_release(&f);
}

/* The snapshot's window goes on, so the wait can still end in it. */
TEST(a_wait_that_was_whole_in_a_snapshot_is_counted_when_it_ends)
{
	const struct wait_thread t = thread_off(1, 500, 0);
	struct fixture f;
	struct report r;

	fixture_init(&f, &plain);
	put_stack(&f, 1, "app");
	waits_cut(&f.w, 2000, UINT64_MAX);
	report_with(&f, &t, true, &r);
	CHECK_U64(r.whole.value, 1000);
	add_wait(&f, 1, 500, 2400, 2500);
	waits_cut(&f.w, 3000, UINT64_MAX);
	r = (struct report){ 0 };
	waits_report(&f.w, &(struct store_view){ .by = BY_COMM }, &r);
	CHECK_U64(r.total, 1500);
	CHECK_U64(r.whole.value, 0);
	report_release(&r);
	fixture_release(&f);
}

TEST(a_thread_that_waits_for_a_cpu_all_the_time_is_not_listed_apart)
{
	struct wait_thread t = thread_off(1, 500, 0);
	struct fixture f;
	struct report r;

	fixture_init(&f, &plain);
	put_stack(&f, 1, "app");
	t.flags |= WAIT_READY;
	waits_cut(&f.w, 2000, UINT64_MAX);
	report_with(&f, &t, false, &r);
	CHECK_U64(r.total, 1000);
	CHECK_U64(r.whole.value, 0);
	fixture_release(&f);
}

TEST(an_open_wait_is_not_over_and_has_no_waker)
{
	const struct wait_thread t = thread_off(1, 1500, 0);
	struct fixture f;
	struct report r = { 0 };

	fixture_init(&f, &chains);
	put_stack(&f, 1, "app");
	waits_cut(&f.w, 2000, UINT64_MAX);
	waits_credit_thread(&f.w, PID, &t);
	waits_report(&f.w, &(struct store_view){ .by = BY_COMM }, &r);
	CHECK_U64(r.stacks.n, 1);
	CHECK(report_chain(&r, r.stacks.items[0].chain)->end == CHAIN_END_OPEN);
	CHECK_U64(r.whole.n, 0);
	report_release(&r);
	fixture_release(&f);
}

TEST(waits_that_are_not_over_are_left_out_if_asked)
{
	const struct waits_conf conf = { .weight = 1, .max_ns = UINT64_MAX, .finished = true };
	const struct wait_thread t = thread_off(1, 1500, 0);
	struct fixture f;
	struct report r;

	fixture_init(&f, &conf);
	put_stack(&f, 1, "app");
	waits_cut(&f.w, 2000, UINT64_MAX);
	add_wait(&f, 1, 1200, 1300, 1400);
	report_with(&f, &t, false, &r);
	CHECK_U64(r.total, 200);
	CHECK_U64(r.left_ns, 500);
	CHECK_U64(r.n_open, 1);
	waits_due(&f.w, 3000);
	add_wait(&f, 1, 1500, 2400, 2500);
	add_wait(&f, 1, 2900, 3100, 3200); /* it ends while the report is made */
	add_wait(&f, 1, 3210, 3250, 3260); /* it was not there at the cut */
	waits_cut(&f.w, 3000, UINT64_MAX);
	r = (struct report){ 0 };
	waits_report(&f.w, &(struct store_view){ .by = BY_COMM }, &r);
	CHECK_U64(r.total, 500);
	CHECK_U64(r.left_ns, 100);
	CHECK_U64(r.n_open, 1);
	report_release(&r);
	waits_end_report(&f.w, false);
	waits_cut(&f.w, 4000, UINT64_MAX);
	CHECK_U64(report_total(&f, 1), 250);
	fixture_release(&f);
}

/* User space is late: records that come before its cut are divided where the window was due to
 * end. */
TEST(a_late_cut_is_where_it_was_due)
{
	struct fixture f;

	fixture_init(&f, &plain);
	put_stack(&f, 1, "app");
	waits_due(&f.w, 2000);
	add_wait(&f, 1, 1500, 2400, 2500);
	add_wait(&f, 1, 2600, 2700, 2700);
	waits_cut(&f.w, 2000, UINT64_MAX);
	CHECK_U64(f.w.n_open, 1);
	CHECK_U64(report_total(&f, 1), 500);
	waits_cut(&f.w, 3000, UINT64_MAX);
	CHECK_U64(report_total(&f, 1), 600);
	fixture_release(&f);
}

/* User space is later still: the next window is over too when the records come. */
TEST(records_after_the_next_window_are_not_in_it)
{
	struct fixture f;

	fixture_init(&f, &plain);
	put_stack(&f, 1, "app");
	waits_cut(&f.w, 2000, 3000);
	add_wait(&f, 1, 1500, 3400, 3500);
	add_wait(&f, 1, 3600, 3700, 3700);
	CHECK_U64(f.w.n_open, 1);
	CHECK_U64(report_total(&f, 1), 500);
	waits_cut(&f.w, 3000, UINT64_MAX);
	CHECK_U64(f.w.defs.items[0].now.count, 0);
	CHECK_U64(report_total(&f, 1), 1000);
	waits_cut(&f.w, 4000, UINT64_MAX);
	CHECK_U64(f.w.defs.items[0].now.count, 2);
	CHECK_U64(report_total(&f, 1), 600);
	fixture_release(&f);
}

/* A snapshot is made late, when its window is over. */
TEST(records_after_a_snapshot_and_its_window_are_not_in_it)
{
	const struct store_view view = { .by = BY_COMM, .is_snapshot = true };
	struct report r = { 0 };
	struct fixture f;

	fixture_init(&f, &plain);
	put_stack(&f, 1, "app");
	waits_cut(&f.w, 1800, 2000);
	add_wait(&f, 1, 1500, 2500, 2500);
	waits_report(&f.w, &view, &r);
	CHECK_U64(r.total, 300);
	report_release(&r);
	waits_end_report(&f.w, true);
	waits_cut(&f.w, 2000, UINT64_MAX);
	CHECK_U64(report_total(&f, 1), 500);
	waits_cut(&f.w, 3000, UINT64_MAX);
	CHECK_U64(report_total(&f, 1), 500);
	fixture_release(&f);
}

TEST(sleepers_count_from_the_start_and_until_they_are_scanned)
{
	struct fixture f;
	struct wait_sleeper s = { .pid = PID, .start_time = BIRTH, .taken_ns = 1010 };

	fixture_init(&f, &plain);
	s.entry = put_stack(&f, 9, "app");
	waits_add_sleeper(&f.w, &s);
	waits_cut(&f.w, 2000, UINT64_MAX);
	waits_credit_sleepers(&f.w);
	CHECK_U64(report_total(&f, 1), 1000);
	add_wait(&f, 0, 0, 2250, 2300); /* its first switch-in */
	waits_cut(&f.w, 3000, UINT64_MAX);
	waits_credit_sleepers(&f.w);
	CHECK_U64(report_total(&f, 1), 300);
	waits_cut(&f.w, 4000, UINT64_MAX);
	waits_credit_sleepers(&f.w);
	CHECK_U64(report_total(&f, 0), 0);
	fixture_release(&f);
}

/* A first wait from BEGIN: woken and on its CPU at these times, scanned as `s` says; its parts in
 * the order blocked, run queue, preempted. */
static void check_first(struct wait_sleeper s, u64 waking, u64 on, const u64 parts[3])
{
	struct waits_conf conf = plain;
	struct wait_def *d;
	struct fixture f;
	u64 sums[WAIT_N_PARTS] = { 0 };

	conf.wants_ready = true;
	fixture_init(&f, &conf);
	s.pid = PID;
	s.start_time = BIRTH;
	s.entry = put_stack(&f, 9, "app");
	if (s.taken_ns)
		waits_add_sleeper(&f.w, &s);
	waits_cut(&f.w, 2000, UINT64_MAX);
	add_wait(&f, 0, 0, waking, on);
	vec_for_each(d, &f.w.defs)
		for (u32 i = 0; i < WAIT_N_PARTS; i++)
			sums[i] += d->now.ns[i];
	for (u32 i = 0; i < 3; i++)
		CHECK_U64(sums[i], parts[i]);
	fixture_release(&f);
}

TEST(a_first_wait_is_what_it_was_before_the_scan)
{
	struct wait_sleeper never = { 0 }, early = { .taken_ns = 1010 };
	struct wait_sleeper early_ready = { .taken_ns = 1010, .is_ready = true };
	struct wait_sleeper early_woken = { .taken_ns = 1010, .is_ready = true, .is_woken = true };
	struct wait_sleeper late_ready = { .taken_ns = 1450, .is_ready = true };
	struct wait_sleeper late_unwanted = { .taken_ns = 1450, .is_unwanted = true };
	struct wait_sleeper late_running = { .taken_ns = 1550, .is_running = true };

	check_first(early, 1400, 1500, (const u64[]){ 400, 100, 0 });
	check_first(early_ready, 0, 1500, (const u64[]){ 0, 0, 500 });
	check_first(early_woken, 0, 1500, (const u64[]){ 0, 500, 0 });
	check_first(never, 1400, 1500, (const u64[]){ 400, 100, 0 });
	check_first(late_ready, 1400, 1500, (const u64[]){ 400, 100, 0 });
	check_first(late_unwanted, 1400, 1500, (const u64[]){ 400, 100, 0 });
	check_first(late_running, 1400, 1500, (const u64[]){ 400, 100, 0 });
}

TEST(a_first_wait_without_a_wakeup_was_for_a_cpu)
{
	struct wait_sleeper never = { 0 }, late = { .taken_ns = 1550 };

	check_first(never, 0, 1500, (const u64[]){ 0, 500, 0 });
	check_first(late, 0, 1500, (const u64[]){ 0, 500, 0 });
}

TEST(a_wakeup_that_was_not_seen_is_counted)
{
	struct wait_sleeper s = { .pid = PID, .start_time = BIRTH, .taken_ns = 1010 };
	struct fixture f;

	fixture_init(&f, &plain);
	s.entry = put_stack(&f, 9, "app");
	waits_add_sleeper(&f.w, &s);
	waits_cut(&f.w, 2000, UINT64_MAX);
	add_wait(&f, 0, 0, 0, 1500);
	CHECK_U64(f.w.n_unseen, 1);
	CHECK_U64(report_total(&f, 1), 500);
	add_wait(&f, 0, 0, 0, 1700); /* a second one has begun during the run */
	CHECK_U64(f.w.n_unseen, 2);
	waits_cut(&f.w, 3000, UINT64_MAX);
	CHECK_U64(report_total(&f, 0), 0);
	fixture_release(&f);
}

TEST(the_hook_tells_the_state_of_a_first_wait_that_the_scan_missed)
{
	struct waits_conf conf = plain;
	struct wait_sleeper s = { .pid = PID, .start_time = BIRTH, .taken_ns = 1450 };
	struct wait_record rec = { .pid = PID,
				   .start_time = BIRTH,
				   .waking_ns = 1400,
				   .on_ns = 1500,
				   .flags = WAIT_WANTED };
	struct fixture f;

	fixture_init(&f, &conf);
	s.entry = put_stack(&f, 9, "app");
	waits_add_sleeper(&f.w, &s);
	waits_cut(&f.w, 2000, UINT64_MAX);
	waits_add_record(&f.w, &rec);
	CHECK_U64(report_total(&f, 0), 0);
	fixture_release(&f);
}

TEST(a_wait_of_unknown_start_counts_from_the_window_on)
{
	struct fixture f;

	fixture_init(&f, &plain);
	waits_cut(&f.w, 2000, UINT64_MAX);
	CHECK_U64(report_total(&f, 0), 0);
	add_wait(&f, 0, 0, 2600, 2700);
	waits_cut(&f.w, 3000, UINT64_MAX);
	CHECK_U64(report_total(&f, 1), 700);
	fixture_release(&f);
}

TEST(parts_are_told_apart)
{
	struct waits_conf conf = plain;
	struct report r = { 0 };
	struct fixture f;

	conf.split = true;
	fixture_init(&f, &conf);
	put_stack(&f, 1, "app");
	add_wait(&f, 1, 1100, 1400, 1450);
	report_by_comm(&f, 2000, &r);
	CHECK_U64(r.stacks.n, 2);
	CHECK_U64(r.stacks.items[0].value, 300);
	CHECK_U64(r.stacks.items[1].value, 50);
	report_release(&r);
	fixture_release(&f);
}

TEST(bounds_are_those_of_the_whole_wait)
{
	struct waits_conf conf = plain;
	struct fixture f;

	conf.min_ns = 600;
	conf.max_ns = 1000;
	fixture_init(&f, &conf);
	put_stack(&f, 1, "app");
	waits_cut(&f.w, 2000, UINT64_MAX);
	add_wait(&f, 1, 1700, 2300, 2400); /* 300 of 700 lie here */
	add_wait(&f, 1, 1100, 1200, 1300); /* too short */
	CHECK_U64(report_total(&f, 1), 300);
	waits_cut(&f.w, 4000, UINT64_MAX);
	add_wait(&f, 1, 2500, 3800, 3900); /* too long */
	CHECK_U64(report_total(&f, 1), 400);
	fixture_release(&f);
}

TEST(the_kernels_sums_only_grow)
{
	const struct stack_id id = id_of(1);
	struct wait_sum sum = { .count = { 2, 1 }, .ns = { { 100 }, { 10 } } };
	struct fixture f;

	fixture_init(&f, &plain);
	put_stack(&f, 1, "app");
	CHECK(!waits_take_sum(&f.w, &id, &sum, STORE_EVEN));
	waits_cut(&f.w, 2000, UINT64_MAX);
	add_wait(&f, 1, 1100, 1150, 1150);
	CHECK(waits_take_sum(&f.w, &id, &sum, STORE_EVEN));
	CHECK_U64(report_total(&f, 1), 150);
	sum.ns[1][WAIT_BLOCKED] = 30;
	waits_cut(&f.w, 3000, UINT64_MAX);
	CHECK(waits_take_sum(&f.w, &id, &sum, STORE_ODD));
	CHECK_U64(report_total(&f, 1), 30);
	sum.ns[0][WAIT_BLOCKED] = 101;
	waits_cut(&f.w, 4000, UINT64_MAX);
	CHECK(waits_take_sum(&f.w, &id, &sum, STORE_EVEN));
	CHECK_U64(report_total(&f, 1), 1);
	fixture_release(&f);
}

TEST(a_path_divides_the_wait_among_its_links)
{
	struct wait_record rec = {
		.id = id_of(50),
		.waiter = id_of(1),
		.pid = PID,
		.start_time = BIRTH,
		.off_ns = 1100,
		.waking_ns = 1900,
		.on_ns = 1950,
		.n_links = 3,
		.end = WAIT_END_IRQ,
	};
	struct report r = { 0 };
	struct fixture f;

	fixture_init(&f, &chains);
	put_stack(&f, 1, "app");
	/* The second link's wake-up came before this wait began, and so all of it depended on the
	 * first two. */
	for (u32 i = 0; i < 3; i++) {
		const u64 waking[] = { 1900, 1600, 1050 };

		put_stack(&f, 10 + i, "waker");
		rec.links[i] = (struct wait_link){ .stack = id_of(10 + i), .waking_ns = waking[i] };
	}
	waits_add_record(&f.w, &rec);
	report_by_comm(&f, 2000, &r);
	CHECK_U64(r.stacks.n, 1);
	CHECK_U64(r.stacks.items[0].value, 800); /* blocked; the run queue is not in it */
	CHECK_U64(r.chains[r.stacks.items[0].chain].n, 3);
	CHECK_U64(r.links[0].value, 300);
	CHECK_U64(r.links[1].value, 500);
	CHECK_U64(r.links[2].value, 0);
	CHECK(r.chains[r.stacks.items[0].chain].end == CHAIN_END_IRQ);
	report_release(&r);
	fixture_release(&f);
}

TEST(a_sample_stands_for_many_but_not_for_more_than_the_window)
{
	struct waits_conf conf = plain;
	struct report r = { 0 };
	struct fixture f;

	conf.weight = 10;
	fixture_init(&f, &conf);
	put_life(&f, 1, BIRTH, false);
	waits_add_record(&f.w, &(struct wait_record){ .id = id_of(1),
						      .waiter = id_of(1),
						      .pid = PID,
						      .start_time = BIRTH,
						      .off_ns = 1100,
						      .waking_ns = 1400,
						      .on_ns = 1400,
						      .flags = WAIT_SAMPLED });
	report_by_comm(&f, 2000, &r);
	CHECK_U64(r.stacks.n, 1);
	CHECK_U64(r.stacks.items[0].value, 1000);
	CHECK_U64(r.stacks.items[0].count, 10);
	CHECK(r.stacks.items[0].variance > 0);
	report_release(&r);
	fixture_release(&f);
}

static const struct waits_conf sampled = { .weight = 10, .max_ns = UINT64_MAX };

/* Samples of CPUs are all there were, and take their part of the thread's life first. */
TEST(time_on_cpus_is_not_scaled_nor_cut)
{
	const struct stack_id run = id_of(2), wait = id_of(1);
	const struct wait_sum ran = { .count = { 3 }, .ns = { { 300 } } };
	const struct wait_sum waited = { .count = { 1 }, .ns = { { 30 } } };
	struct report r = { 0 };
	struct fixture f;

	fixture_init(&f, &sampled);
	put_life(&f, 1, BIRTH, false);
	put_life(&f, 2, BIRTH, true);
	add_flagged(&f, 1, 1100, 1130, WAIT_SAMPLED);
	add_flagged(&f, 2, 1200, 1300, WAIT_RUNNING);
	waits_cut(&f.w, 2000, UINT64_MAX);
	CHECK(waits_take_sum(&f.w, &wait, &waited, STORE_EVEN));
	CHECK(waits_take_sum(&f.w, &run, &ran, STORE_EVEN));
	waits_report(&f.w, &(struct store_view){ .by = BY_COMM }, &r);
	CHECK_U64(r.stacks.n, 2);
	CHECK_U64(r.stacks.items[0].value, 600); /* the rest of 1000 after 400 */
	CHECK_U64(r.stacks.items[1].value, 400);
	CHECK(r.stacks.items[1].variance == 0);
	report_release(&r);
	fixture_release(&f);
}

TEST(a_thread_waited_no_longer_than_it_lived)
{
	struct report r = { 0 };
	struct fixture f;

	fixture_init(&f, &sampled);
	put_life(&f, 1, 1100, false);
	put_life(&f, 2, 1500, false); /* the same thread id again */
	add_flagged(&f, 1, 1100, 1200, WAIT_SAMPLED);
	add_flagged(&f, 2, 1600, 1690, WAIT_SAMPLED);
	waits_add_exit(&f.w, PID, 1100, 1300);
	report_by_comm(&f, 2000, &r);
	CHECK_U64(r.stacks.n, 2);
	CHECK_U64(r.stacks.items[0].value, 200);
	CHECK_U64(r.stacks.items[1].value, 500);
	report_release(&r);
	fixture_release(&f);
}

TEST(each_part_has_the_error_of_its_own)
{
	struct waits_conf conf = sampled;
	struct wait_record rec = {
		.id = id_of(1),
		.waiter = id_of(1),
		.pid = PID,
		.start_time = BIRTH,
		.off_ns = 1100,
		.waking_ns = 1130,
		.on_ns = 1134,
		.flags = WAIT_SAMPLED,
	};
	struct report r = { 0 };
	struct fixture f;

	conf.split = true;
	fixture_init(&f, &conf);
	put_life(&f, 1, BIRTH, false);
	waits_add_record(&f.w, &rec);
	report_by_comm(&f, 2000, &r);
	CHECK_U64(r.stacks.n, 2);
	CHECK(r.stacks.items[0].variance == 10 * 9 * 30 * 30);
	CHECK(r.stacks.items[1].variance == 10 * 9 * 4 * 4);
	report_release(&r);
	fixture_release(&f);
}

/* 700 are reached in the second window: it shows what lies in it and no more. */
TEST(a_wait_that_gets_long_enough_counts_from_that_window_on)
{
	const struct wait_thread t = thread_off(1, 1500, 0);
	const struct store_view view = { .by = BY_COMM, .is_snapshot = true };
	struct waits_conf conf = plain;
	struct report r = { 0 };
	struct fixture f;

	conf.min_ns = 700;
	fixture_init(&f, &conf);
	put_stack(&f, 1, "app");
	waits_cut(&f.w, 2000, UINT64_MAX);
	waits_credit_thread(&f.w, PID, &t);
	CHECK_U64(report_total(&f, 0), 0);
	/* A snapshot takes nothing away from its window. */
	waits_cut(&f.w, 2100, UINT64_MAX);
	waits_credit_thread(&f.w, PID, &t);
	waits_report(&f.w, &view, &r);
	CHECK_U64(r.total, 0);
	report_release(&r);
	waits_end_report(&f.w, true);
	waits_cut(&f.w, 3000, UINT64_MAX);
	waits_credit_thread(&f.w, PID, &t);
	CHECK_U64(report_total(&f, 1), 1000);
	add_wait(&f, 1, 1500, 3400, 3500);
	waits_cut(&f.w, 4000, UINT64_MAX);
	CHECK_U64(report_total(&f, 1), 500);
	fixture_release(&f);
}

/* A thread that was there before the kernel side met it, one that was born while the scan came to
 * it, and the first one after it came back into the filter. */
TEST(a_life_begins_where_it_is_said_to_begin)
{
	struct wait_thread old = { .start_time = BIRTH, .born_ns = BEGIN + 150, .on_ns = 1 };
	struct wait_thread young = old;
	struct fixture f;

	young.is_begun = true;
	fixture_init(&f, &plain);
	waits_add_sleeper(&f.w, &(struct wait_sleeper){ .pid = PID, .start_time = BIRTH });
	waits_add_sleeper(&f.w, &(struct wait_sleeper){ .pid = 8, .start_time = BIRTH });
	CHECK_U64(waits_born(&f.w, PID, &old), 0);
	CHECK_U64(waits_born(&f.w, 8, &young), BEGIN + 150);
	CHECK_U64(waits_leave(&f.w, 8, &young), BEGIN + 150);
	CHECK_U64(waits_leave(&f.w, PID, &old), 0);
	CHECK_U64(waits_leave(&f.w, PID, &old), BEGIN + 150);
	fixture_release(&f);
}
