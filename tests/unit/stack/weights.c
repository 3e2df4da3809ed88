// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stack/weights.h"

#include "test.h"

/* A store with two stacks: of the first event, and of the second. */
struct fixture {
	struct symbolizer *sym;
	struct store store;
	struct weights weights;
	struct run_info run;
	u32 rows[2];
};

static const u64 ids[2] = { 1, 2 };

static struct raw_stack raw_of(u32 i)
{
	static const u64 user[] = { 0x3000, 0x1000 };

	return (struct raw_stack){ .id = { ids[i], ~ids[i] },
				   .tgid = 7,
				   .comm = "app",
				   .user = user,
				   .n_user = ARRAY_SIZE(user),
				   .max_frames = 127,
				   .is_second_event = i };
}

static void fixture_init(struct fixture *f, u64 first_period, u64 second_period)
{
	const struct symbolizer_opts opts = { .proc_root = "/nonexistent", .keep_addresses = true };
	struct err err = { 0 };

	*f = (struct fixture){ .weights = { .first_period = first_period,
					    .second_period = second_period },
			       .run = { .event = "cycles", .second_event = "instructions" } };
	CHECK(!symbolizer_new(&f->sym, &opts, &err));
	store_init(&f->store, f->sym, 0, true);
	for (u32 i = 0; i < 2; i++) {
		const struct raw_stack raw = raw_of(i);

		store_intern(&f->store, &raw);
	}
}

static void fixture_release(struct fixture *f)
{
	weights_release(&f->weights);
	store_release(&f->store);
	symbolizer_free(f->sym);
}

/* `n` more counts of a stack in a window of each parity. */
static void count(struct fixture *f, u32 i, u64 even, u64 odd, u32 parities)
{
	const u64 id[] = { ids[i], ~ids[i] }, n[] = { even, odd };

	CHECK(store_count(&f->store, id, n, parities));
}

static void sample(struct fixture *f, u32 i, u64 period, u32 window)
{
	const struct stack_sample s = { .id = { { ids[i], ~ids[i] } },
					.window = window,
					.period = period };

	weights_add(&f->weights, &f->store, &s);
}

static u64 make(struct fixture *f, u32 window, bool is_snapshot, struct report *out)
{
	const struct store_view view = {
		.by = BY_PID, .window = window, .is_snapshot = is_snapshot, .rows = f->rows
	};

	*out = (struct report){ .run = &f->run };
	memset(f->rows, 0, sizeof(f->rows));
	store_report(&f->store, &view, out);
	return weights_report(&f->weights, &view, 2, out);
}

static bool is_sum(const struct event_sum *s, u64 n, u64 events, double squares)
{
	return s->n == n && s->events == events && s->squares == squares;
}

TEST(a_fixed_period_needs_no_samples)
{
	struct fixture f;
	struct report r;

	fixture_init(&f, 1000, 10);
	count(&f, 0, 3, 0, STORE_EVEN);
	count(&f, 1, 7, 0, STORE_EVEN);
	CHECK_U64(make(&f, 0, false, &r), 0);
	CHECK_U64(r.stacks.n, 2);
	CHECK_U64(r.total, 3);
	CHECK(is_sum(&r.ratio.first, 3, 3000, 3e6));
	CHECK(is_sum(&r.ratio.second, 7, 70, 700));
	CHECK_U64(r.stacks.items[1].value, 0);
	CHECK_U64(r.stacks.items[1].count, 0);
	report_release(&r);
	fixture_release(&f);
}

TEST(each_sample_counts_with_its_period_in_its_window)
{
	struct fixture f;
	struct report r;

	fixture_init(&f, 0, 10);
	sample(&f, 0, 5, 0);
	sample(&f, 0, 7, 0);
	sample(&f, 0, 100, 1);
	count(&f, 0, 2, 1, STORE_EVEN);
	CHECK_U64(make(&f, 0, true, &r), 0);
	CHECK(is_sum(&r.ratio.first, 2, 12, 74));
	report_release(&r);
	/* The snapshot has taken nothing away. */
	count(&f, 0, 2, 1, STORE_EVEN);
	CHECK_U64(make(&f, 0, false, &r), 0);
	CHECK(is_sum(&r.ratio.first, 2, 12, 74));
	report_release(&r);
	store_restart_count(&f.store);
	count(&f, 0, 2, 1, STORE_ODD);
	CHECK_U64(make(&f, 1, false, &r), 0);
	CHECK(is_sum(&r.ratio.first, 1, 100, 10000));
	report_release(&r);
	fixture_release(&f);
}

TEST(samples_that_are_lost_are_like_the_others)
{
	struct fixture f;
	struct report r;

	fixture_init(&f, 0, 0);
	sample(&f, 1, 20, 0);
	sample(&f, 1, 40, 0);
	count(&f, 0, 1, 0, STORE_EVEN);
	count(&f, 1, 6, 0, STORE_EVEN);
	CHECK_U64(make(&f, 0, false, &r), 5);
	CHECK(is_sum(&r.ratio.first, 0, 0, 0));
	CHECK(is_sum(&r.ratio.second, 2, 180, 18000));
	CHECK_U64(r.total, 1);
	report_release(&r);
	fixture_release(&f);
}

TEST(forgotten_entries_take_their_weights_along)
{
	const u32 to[] = { STORE_NONE, 0 };
	struct fixture f;

	fixture_init(&f, 0, 0);
	sample(&f, 0, 1, 0);
	sample(&f, 1, 2, 0);
	weights_move(&f.weights, to);
	CHECK_U64(f.weights.entries.n, 1);
	CHECK_U64(f.weights.entries.items[0].sums[0].events, 2);
	fixture_release(&f);
}
