// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stack/store.h"

#include "test.h"

/* A store whose addresses are in no process: they are locations all the same. */
struct fixture {
	struct symbolizer *sym;
	struct store store;
};

static void fixture_init(struct fixture *f)
{
	const struct symbolizer_opts opts = { .proc_root = "/nonexistent", .keep_addresses = true };
	struct err err = { 0 };

	CHECK(!symbolizer_new(&f->sym, &opts, &err));
	store_init(&f->store, f->sym, 0, true);
}

static void fixture_release(struct fixture *f)
{
	store_release(&f->store);
	symbolizer_free(f->sym);
}

static void add(struct fixture *f, u64 id, u32 tgid, u64 leaf, u32 window)
{
	const u64 user[] = { leaf, 0x2000, 0x1000 };

	store_add(&f->store,
		  &(struct raw_stack){ .id = { id, ~id },
				       .tgid = tgid,
				       .comm = "app",
				       .user = user,
				       .n_user = ARRAY_SIZE(user),
				       .max_frames = 127 },
		  window);
}

static bool count(struct fixture *f, u64 id, u64 n, u32 window)
{
	const u64 ids[] = { id, ~id }, counts[] = { window & 1 ? 0 : n, window & 1 ? n : 0 };

	return store_count(&f->store, ids, counts, store_parities(window, false));
}

static u64 report_total(struct fixture *f, const struct store_view *view, size_t n_rows)
{
	struct report r = { 0 };
	u64 total;

	store_report(&f->store, view, &r);
	CHECK_U64(r.stacks.n, n_rows);
	total = r.total;
	report_release(&r);
	return total;
}

TEST(stacks_share_the_nodes_of_what_they_share)
{
	struct stack_frames a, b;
	struct report r = { 0 };
	struct fixture f;

	fixture_init(&f);
	add(&f, 1, 7, 0x3000, 0);
	add(&f, 2, 7, 0x3008, 0);
	store_report(&f.store, &(struct store_view){ .by = BY_PID }, &r);
	CHECK_U64(r.stacks.n, 2);
	CHECK_U64(r.n_nodes, 1 + 4);
	CHECK_U64(r.n_tasks, 1);
	CHECK_STR(report_task(&r, &r.stacks.items[1])->root, "app-7");
	report_frames(&r, &r.stacks.items[0], &a);
	report_frames(&r, &r.stacks.items[1], &b);
	CHECK_U64(a.n_user, 3);
	CHECK_U64(b.n_kernel, 0);
	CHECK(a.user[0] != b.user[0] && a.user[1] == b.user[1] && a.user[2] == b.user[2]);
	CHECK_U64(r.frames[a.user[0]].addr, 0x3000);
	report_release(&r);
	fixture_release(&f);
}

TEST(a_stack_is_known_again_after_a_report)
{
	struct fixture f;

	fixture_init(&f);
	add(&f, 1, 7, 0x3000, 0);
	CHECK_U64(report_total(&f, &(struct store_view){ .window = 0 }, 1), 1);
	CHECK(count(&f, 1, 5, 1));
	CHECK(!count(&f, 2, 5, 1));
	add(&f, 1, 7, 0x3000, 1);
	add(&f, 3, 7, 0x3000, 1);
	CHECK_U64(f.store.entries.n, 2);
	CHECK_U64(f.store.nodes.n, 1 + 3);
	CHECK_U64(f.store.owners.n, 1);
	CHECK_U64(report_total(&f, &(struct store_view){ .window = 1 }, 2), 5 + 1 + 1);
	fixture_release(&f);
}

TEST(a_count_that_starts_again_voids_what_was_counted)
{
	struct fixture f;

	fixture_init(&f);
	add(&f, 1, 7, 0x3000, 0);
	CHECK(count(&f, 1, 40, 0));
	store_restart_count(&f.store);
	CHECK(count(&f, 1, 2, 0));
	CHECK(count(&f, 1, 3, 0)); /* from another CPU */
	CHECK_U64(report_total(&f, &(struct store_view){ .is_snapshot = true }, 1), 6);
	store_restart_count(&f.store);
	CHECK(count(&f, 1, 9, 0));
	CHECK_U64(report_total(&f, &(struct store_view){ .is_last = true }, 1), 10);
	fixture_release(&f);
}

/* A frame at the root marks the truncation, and counts as one. */
TEST(a_stack_is_never_deeper_than_a_report_can_show)
{
	static u64 deep[STACK_MAX_DEPTH + 50];
	struct stack_frames frames;
	struct report r = { 0 };
	struct fixture f;

	for (u32 i = 0; i < ARRAY_SIZE(deep); i++)
		deep[i] = 0x10000 + 16 * i;
	fixture_init(&f);
	store_add(&f.store,
		  &(struct raw_stack){ .id = { 1, 1 },
				       .tgid = 7,
				       .comm = "app",
				       .kernel = deep,
				       .n_kernel = ARRAY_SIZE(deep),
				       .user = deep,
				       .n_user = ARRAY_SIZE(deep),
				       .max_frames = ARRAY_SIZE(deep) },
		  0);
	store_report(&f.store, &(struct store_view){ .by = BY_NONE }, &r);
	report_frames(&r, &r.stacks.items[0], &frames);
	CHECK_U64(frames.n_user, STACK_MAX_DEPTH);
	CHECK_U64(frames.n_kernel, STACK_MAX_DEPTH);
	CHECK_STR(r.frames[frames.user[STACK_MAX_DEPTH - 1]].name, "[truncated]");
	CHECK_STR(r.frames[frames.kernel[STACK_MAX_DEPTH - 1]].name, "[truncated]");
	CHECK_U64(r.ledger.stacks.truncated, 1);
	report_release(&r);
	fixture_release(&f);
}

TEST(a_stack_without_its_root_says_why)
{
	static const char *const want[STACK_END_COPY] = {
		[STACK_END_ROOT] = NULL,
		[STACK_END_NO_INFO] = "[no unwind info]",
		[STACK_END_JIT] = "[JIT code without frame pointers]",
		[STACK_END_MEMORY] = "[stack not readable]",
		[STACK_END_DEEP] = "[truncated]",
		[STACK_END_NO_MAPPING] = "[unknown]",
		[STACK_END_LATE] = "[unwind table late]",
	};
	const u64 user[] = { 0x10000 };

	for (u32 end = STACK_END_ROOT; end < STACK_END_COPY; end++) {
		struct stack_frames frames;
		struct report r = { 0 };
		struct fixture f;

		fixture_init(&f);
		store_add(&f.store,
			  &(struct raw_stack){ .id = { 1, 1 },
					       .tgid = 7,
					       .comm = "app",
					       .user = user,
					       .n_user = 1,
					       .end = (enum stack_end)end,
					       .max_frames = 127 },
			  0);
		store_report(&f.store, &(struct store_view){ .by = BY_NONE }, &r);
		report_frames(&r, &r.stacks.items[0], &frames);
		CHECK_U64(frames.n_user, want[end] ? 2 : 1);
		if (want[end])
			CHECK_STR(r.frames[frames.user[1]].name, want[end]);
		CHECK_U64(r.ledger.stacks.truncated, want[end] ? 1 : 0);
		CHECK(r.stacks.items[0].is_rooted == (end == STACK_END_ROOT));
		report_release(&r);
		fixture_release(&f);
	}
}

TEST(a_leaf_that_was_walked_twice_is_there_once)
{
	const u64 kernel[] = { 0xffffffff81002000, 0xffffffff81002000, 0xffffffff81001000 };
	struct stack_frames frames;
	struct report r = { 0 };
	struct fixture f;

	fixture_init(&f);
	store_add(&f.store,
		  &(struct raw_stack){ .id = { 1, 1 },
				       .comm = "app",
				       .kernel = kernel,
				       .n_kernel = ARRAY_SIZE(kernel),
				       .max_frames = 127 },
		  0);
	store_report(&f.store, &(struct store_view){ .by = BY_PID }, &r);
	report_frames(&r, &r.stacks.items[0], &frames);
	CHECK_U64(frames.n_kernel, 2);
	report_release(&r);
	fixture_release(&f);
}

TEST(counts_beyond_32_bits_are_whole)
{
	struct fixture f;

	fixture_init(&f);
	add(&f, 1, 7, 0x3000, 0);
	CHECK(count(&f, 1, 5000000000ULL, 0));
	CHECK_U64(report_total(&f, &(struct store_view){ .by = BY_NONE }, 1), 5000000001ULL);
	fixture_release(&f);
}

TEST(the_last_report_takes_what_came_late_for_the_window_before)
{
	const u64 ids[] = { 1, ~1ULL }, counts[] = { 10, 4 };
	struct fixture f;

	fixture_init(&f);
	add(&f, 1, 7, 0x3000, 0);
	CHECK(count(&f, 1, 7, 0));
	CHECK_U64(report_total(&f, &(struct store_view){ .by = BY_NONE }, 1), 8);
	CHECK(store_count(&f.store, ids, counts, store_parities(1, true)));
	CHECK_U64(report_total(&f,
			       &(struct store_view){ .by = BY_NONE, .window = 1, .is_last = true },
			       1),
		  3 + 4);
	fixture_release(&f);
}

/* A kernel of three functions, of which 0x2000 to 0x3000 puts threads to sleep. */
static struct landmarks sleeping = { .sleeps = { 0x2000, 0x3000 } };

static u32 put_kernel(struct fixture *f, u64 id, const u64 *kernel, u32 n, bool has_gaps,
		      const char *leaf)
{
	return store_intern(&f->store, &(struct raw_stack){ .id = { id, id },
							    .tgid = 7,
							    .comm = "app",
							    .kernel = kernel,
							    .n_kernel = n,
							    .max_frames = 127,
							    .has_gaps = has_gaps,
							    .leaf = leaf });
}

static u32 n_frames_of(struct fixture *f, u32 entry, const char **leaf)
{
	const struct store_entry *e = &f->store.entries.items[entry];
	struct stack_frames frames;
	struct report r = { 0 };

	store_begin_report(&f->store);
	store_end_report(&f->store, &r);
	report_frames(&r, &(struct stack_row){ .kernel = e->kernel }, &frames);
	*leaf = r.frames[frames.kernel[0]].name;
	report_release(&r);
	return frames.n_kernel;
}

TEST(frames_that_the_kernel_left_out_are_put_back)
{
	static const u64 live[] = { 0x2000, 0x2100, 0x1100, 0x2200, 0x1200 };
	static const u64 seen[] = { 0x1100, 0x1200 }, other[] = { 0x1108, 0x1200 };
	const char *leaf;
	struct fixture f;
	u32 a, b, c, whole;

	fixture_init(&f);
	f.store.landmarks = &sleeping;
	a = put_kernel(&f, 1, seen, 2, true, NULL);
	b = put_kernel(&f, 2, other, 2, true, NULL);
	c = put_kernel(&f, 3, seen, 2, true, "[pipe]");
	CHECK_U64(n_frames_of(&f, a, &leaf), 2);
	whole = put_kernel(&f, 4, live, 5, false, "[futex]");
	CHECK_U64(n_frames_of(&f, whole, &leaf), 6);
	CHECK_U64(n_frames_of(&f, a, &leaf), 5);
	CHECK_U64(n_frames_of(&f, b, &leaf), 2);
	CHECK_U64(n_frames_of(&f, c, &leaf), 6);
	CHECK_STR(leaf, "[pipe]");
	fixture_release(&f);
}

/* Two call paths through the same addresses: it is not known which of them it was. */
TEST(frames_that_are_not_certain_stay_left_out)
{
	static const u64 one[] = { 0x2000, 0x1100 }, two[] = { 0x2100, 0x1100 },
			 seen[] = { 0x1100 };
	const char *leaf;
	struct fixture f;
	u32 a;

	fixture_init(&f);
	f.store.landmarks = &sleeping;
	put_kernel(&f, 1, one, 2, false, NULL);
	put_kernel(&f, 2, two, 2, false, NULL);
	a = put_kernel(&f, 3, seen, 1, true, NULL);
	CHECK_U64(n_frames_of(&f, a, &leaf), 1);
	fixture_release(&f);
}
