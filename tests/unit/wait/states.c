// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The states of a thread add up to its wall time, in each window and for each of its lives. */
#include "wait/states.h"

#include "wait/waits_fixture.h"

static void add_life(struct states *s, u64 start_time, u64 exit_ns)
{
	states_add_thread(s, &(struct states_life){ .tgid = PID,
						    .tid = PID,
						    .start_time = start_time,
						    .exit_ns = exit_ns,
						    .comm = "app" });
}

/* States that know when threads run. */
static void begin(struct fixture *f, struct states *s)
{
	static struct waits_conf conf;

	conf = plain;
	conf.want_running = true;
	fixture_init(f, &conf);
	*s = (struct states){ .waits = &f->w };
}

/* Every record of the thread was lost to a full ring. */
TEST(a_thread_without_any_record_is_unseen)
{
	struct states s = { .has_losses = true };
	struct report r = { 0 };
	struct fixture f;

	fixture_init(&f, &plain);
	s.waits = &f.w;
	waits_cut(&f.w, 2000, UINT64_MAX);
	add_life(&s, 1100, 1300);
	states_report(&s, &(struct store_view){ .by = BY_PID }, &r);
	CHECK_U64(r.states.n, 1);
	CHECK_U64(r.states.items[0].ns[STATE_UNSEEN], 200);
	CHECK_STR(r.tasks[r.states.items[0].task].comm, "app");
	report_release(&r);
	states_release(&s);
	fixture_release(&f);
}

TEST(an_id_that_is_reused_has_a_row_for_each_life)
{
	struct report r = { 0 };
	struct states s;
	struct fixture f;

	begin(&f, &s);
	put_life(&f, 1, 1100, false);
	put_life(&f, 2, 1500, false);
	add_flagged(&f, 1, 1100, 1300, 0);
	add_flagged(&f, 2, 1500, 1800, 0);
	waits_cut(&f.w, 2000, UINT64_MAX);
	add_life(&s, 1500, 1800);
	add_life(&s, 1100, 1300);
	states_report(&s, &(struct store_view){ .by = BY_PID }, &r);
	CHECK_U64(r.states.n, 2);
	CHECK_U64(r.states.items[0].wall_ns, 200);
	CHECK_U64(r.states.items[1].wall_ns, 300);
	CHECK_U64(r.states.items[1].n_threads, 1);
	report_release(&r);
	states_release(&s);
	fixture_release(&f);
}

static u64 wall_in(struct fixture *f, struct states *s, u64 cut_ns)
{
	struct report r = { 0 };
	u64 wall;

	waits_cut(&f->w, cut_ns, cut_ns + 1000);
	if (!s->later.n)
		add_life(s, BIRTH, 4500);
	states_report(s, &(struct store_view){ .by = BY_PID }, &r);
	wall = r.states.n ? r.states.items[0].wall_ns : 0;
	report_release(&r);
	waits_end_report(&f->w, false);
	return wall;
}

TEST(a_thread_that_ends_after_the_next_window_lives_in_all)
{
	struct states s = { .has_losses = true };
	struct fixture f;

	fixture_init(&f, &plain);
	s.waits = &f.w;
	CHECK_U64(wall_in(&f, &s, 2000), 1000);
	CHECK_U64(wall_in(&f, &s, 3000), 1000);
	CHECK_U64(wall_in(&f, &s, 4000), 1000);
	CHECK_U64(wall_in(&f, &s, 5000), 500);
	CHECK_U64(s.later.n, 0);
	states_release(&s);
	fixture_release(&f);
}

/* Process n ran from 1600 to 2000. */
static void add_runner(struct fixture *f, struct states *s, u32 n, const char *comm, u64 utime,
		       u64 stime)
{
	struct raw_stack run = { .id = { 100 + n, 200 + n },
				 .tgid = PID + n,
				 .tid = PID + n,
				 .start_time = BIRTH,
				 .is_running = true };
	const struct wait_record rec = { .id = { { 100 + n, 200 + n } },
					 .waiter = { { 100 + n, 200 + n } },
					 .pid = PID + n,
					 .start_time = BIRTH,
					 .on_ns = 2000,
					 .off_ns = 1600,
					 .utime = utime,
					 .stime = stime,
					 .flags = WAIT_RUNNING };

	snprintf(run.comm, sizeof(run.comm), "%s", comm);
	store_intern(&f->store, &run);
	waits_add_record(&f->w, &rec);
	states_add_thread(s, &(struct states_life){ .tgid = PID + n,
						    .tid = PID + n,
						    .start_time = BIRTH,
						    .exit_ns = 2000,
						    .comm = comm });
}

static u64 user_of(const struct report *r, u32 pid)
{
	for (size_t i = 0; i < r->states.n; i++)
		if (r->tasks[r->states.items[i].task].pid == pid)
			return r->states.items[i].ns[STATE_USER];
	return UINT64_MAX;
}

/* Short processes have the ticks of all of their name: most of them lived between two. */
TEST(running_time_without_ticks_is_divided_like_that_of_the_same_name)
{
	struct report r = { 0 };
	struct states s;
	struct fixture f;

	begin(&f, &s);
	add_runner(&f, &s, 0, "app", 30, 10);
	add_runner(&f, &s, 1, "app", 0, 0);
	add_runner(&f, &s, 2, "app", 0, 20);
	add_runner(&f, &s, 3, "other", 0, 0);
	waits_cut(&f.w, 2000, UINT64_MAX);
	states_report(&s, &(struct store_view){ .by = BY_PID }, &r);
	CHECK_U64(r.states.n, 4);
	CHECK_U64(user_of(&r, PID), 300);
	CHECK_U64(user_of(&r, PID + 1), 200);
	CHECK_U64(user_of(&r, PID + 2), 0);
	CHECK_U64(user_of(&r, PID + 3), 0);
	report_release(&r);
	states_release(&s);
	fixture_release(&f);
}

TEST(states_add_up_to_wall_time)
{
	struct waits_conf conf = plain;
	struct report r = { 0 };
	struct states s;
	struct fixture f;
	struct raw_stack run = { .id = { 77, 78 }, .tgid = PID, .tid = PID, .start_time = BIRTH };

	conf.want_running = true;
	fixture_init(&f, &conf);
	s = (struct states){ .waits = &f.w };
	run.is_running = true;
	store_intern(&f.store, &run);
	run.is_running = false;
	run.id[0] = 87;
	run.id[1] = 88;
	store_intern(&f.store, &run);
	waits_add_record(&f.w, &(struct wait_record){ .id = { { 77, 78 } },
						      .waiter = { { 77, 78 } },
						      .pid = PID,
						      .start_time = BIRTH,
						      .on_ns = 1600,
						      .utime = 30,
						      .stime = 10,
						      .flags = WAIT_RUNNING });
	waits_add_record(&f.w, &(struct wait_record){ .id = { { 87, 88 } },
						      .waiter = { { 87, 88 } },
						      .pid = PID,
						      .start_time = BIRTH,
						      .off_ns = 1600,
						      .waking_ns = 1900,
						      .on_ns = 2000 });
	waits_cut(&f.w, 2000, UINT64_MAX);
	add_life(&s, BIRTH, UINT64_MAX);
	add_life(&s, BIRTH, 1990); /* seen alive, then its exit: once */
	states_report(&s, &(struct store_view){ .by = BY_PID }, &r);
	CHECK_U64(r.states.n, 1);
	CHECK_U64(r.states.items[0].wall_ns, 1000);
	CHECK_U64(r.states.items[0].n_threads, 1);
	CHECK_U64(r.states.items[0].ns[STATE_USER], 450);
	CHECK_U64(r.states.items[0].ns[STATE_SYSTEM], 150);
	CHECK_U64(r.states.items[0].ns[STATE_OTHER], 300);
	CHECK_U64(r.states.items[0].ns[STATE_WAITING], 100);
	report_release(&r);
	states_release(&s);
	fixture_release(&f);
}

/* Stacks show such waits apart; here they are states like others. */
TEST(a_wait_through_the_whole_window_is_a_state)
{
	struct wait_thread t = thread_off(1, BEGIN - 100, 0);
	struct waits_conf conf = plain;
	struct report r = { 0 };
	struct states s;
	struct fixture f;
	u64 sum = 0;

	conf.want_running = true;
	fixture_init(&f, &conf);
	s = (struct states){ .waits = &f.w, .has_losses = true };
	put_life(&f, 1, BIRTH, false);
	waits_cut(&f.w, 2000, UINT64_MAX);
	waits_credit_thread(&f.w, PID, &t);
	add_life(&s, BIRTH, UINT64_MAX);
	states_report(&s, &(struct store_view){ .by = BY_PID }, &r);
	CHECK_U64(r.states.n, 1);
	CHECK_U64(r.states.items[0].wall_ns, 1000);
	CHECK_U64(r.states.items[0].ns[STATE_UNSEEN], 0);
	for (u32 i = 0; i < STATE_N_COLUMNS; i++)
		sum += r.states.items[0].ns[i];
	CHECK_U64(sum, 1000);
	report_release(&r);
	states_release(&s);
	fixture_release(&f);
}
