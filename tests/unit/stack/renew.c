// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Data that is forgotten between reports, or folded if memory is full: no sum may change. */
#include "wait/intervals.h"

#include "base/memlimit.h"
#include "landmark.h"

#include <stdlib.h>

struct fixture {
	struct symbolizer *sym;
	struct store store;
	size_t n_gone;
};

static void fixture_init(struct fixture *f)
{
	*f = (struct fixture){ .sym = sym_new() };
	store_init(&f->store, f->sym, 0, false);
}

static void fixture_release(struct fixture *f)
{
	store_release(&f->store);
	symbolizer_free(f->sym);
	mem_limit_set(0);
}

static void add(struct fixture *f, u64 id, const char *comm, u64 leaf, u32 window)
{
	const u64 user[] = { leaf, (u64)(uintptr_t)qsort + 5 };
	struct raw_stack raw = { .id = { id, ~id },
				 .tgid = (u32)getpid(),
				 .generation = 1,
				 .user = user,
				 .n_user = ARRAY_SIZE(user),
				 .max_frames = 127 };

	snprintf(raw.comm, sizeof(raw.comm), "%s", comm);
	store_add(&f->store, &raw, window);
}

static void on_gone(void *ctx, const u64 id[2])
{
	struct fixture *f = ctx;

	(void)id;
	f->n_gone++;
}

/* The report of a window, in *r.  Returns its total. */
static u64 report(struct fixture *f, u32 window, struct report *r)
{
	*r = (struct report){ 0 };
	symbolizer_resolve(f->sym, NULL);
	store_report(&f->store, &(struct store_view){ .by = BY_PID, .window = window }, r);
	store_age(&f->store);
	return r->total;
}

static u64 report_total(struct fixture *f, u32 window)
{
	struct report r;
	u64 total = report(f, window, &r);

	report_release(&r);
	return total;
}

static const char *leaf_name(const struct report *r, const struct stack_row *row)
{
	return r->frames[r->nodes[row->user].frame].name;
}

TEST(stacks_unseen_for_three_reports_are_forgotten_and_others_keep_their_names)
{
	struct fixture f;
	struct report r;
	u32 *moved;

	fixture_init(&f);
	for (u64 i = 0; i < 100; i++)
		add(&f, 1000 + i, i & 1 ? "one" : "two", 0x1000 + i, 0);
	add(&f, 1, "kept", (u64)(uintptr_t)symbolizer_test_landmark, 0);
	for (u32 w = 0; w < STORE_IDLE; w++) {
		if (w)
			add(&f, 1, "kept", 0, w);
		CHECK_U64(store_idle(&f.store, 2).n_settled, 0);
		CHECK_U64(report_total(&f, w), w ? 1 : 101);
	}
	CHECK_U64(store_idle(&f.store, 2).n, 100);
	CHECK_U64(store_idle(&f.store, 1).n_settled, 0); /* the kernel may still make their ids */
	CHECK_U64(store_idle(&f.store, 2).n_settled, 100);
	moved = store_forget(&f.store, 2, on_gone, &f);
	CHECK_U64(f.n_gone, 100);
	CHECK(moved[0] == STORE_NONE && moved[100] == 0);
	free(moved);
	CHECK_U64(f.store.entries.n, 1);
	CHECK_U64(f.store.owners.n, 1);
	CHECK_U64(f.store.nodes.n, 1 + 2);
	add(&f, 1, "kept", 0, STORE_IDLE);
	add(&f, 2, "new", (u64)(uintptr_t)symbolizer_test_landmark, STORE_IDLE);
	CHECK_U64(report(&f, STORE_IDLE, &r), 2);
	CHECK_U64(r.stacks.n, 2);
	for (u32 i = 0; i < 2; i++)
		CHECK_STR(leaf_name(&r, &r.stacks.items[i]), "symbolizer_test_landmark");
	CHECK_STR(report_task(&r, &r.stacks.items[0])->comm, "kept");
	report_release(&r);
	fixture_release(&f);
}

TEST(a_forgotten_stack_that_comes_again_is_known_again)
{
	struct fixture f;

	fixture_init(&f);
	add(&f, 1, "app", (u64)(uintptr_t)symbolizer_test_landmark, 0);
	for (u32 w = 0; w < STORE_IDLE; w++)
		report_total(&f, w);
	free(store_forget(&f.store, 2, on_gone, &f));
	CHECK_U64(f.store.entries.n, 0);
	CHECK(!store_count(&f.store, (u64[]){ 1, ~1ULL }, (u64[]){ 5, 0 }, STORE_EVEN));
	add(&f, 1, "app", (u64)(uintptr_t)symbolizer_test_landmark, 4);
	CHECK(store_count(&f.store, (u64[]){ 1, ~1ULL }, (u64[]){ 5, 0 }, STORE_EVEN));
	CHECK_U64(report_total(&f, 4), 6);
	fixture_release(&f);
}

/* Locations in a process's own memory belong to one life of the process: those of another life with
 * the same addresses must not become the same, and names that come later are found. */
TEST(the_symbolizer_keeps_what_is_used_and_nothing_else)
{
	struct child c = child_start("/proc/self/exe", NULL);
	struct symbolizer *s = sym_new();
	bool used[4] = { false, false, true, true };
	u32 ids[4], *to;
	size_t n;

	ids[0] = symbolizer_note(s, "[gone]");
	ids[1] = symbolizer_user(s, (u32)getpid(), (u64)(uintptr_t)qsort, false);
	ids[2] = locate(s, &c);
	ids[3] = symbolizer_note(s, "[kept]");
	CHECK(ids[0] == 0 && ids[1] == 1 && ids[2] == 2 && ids[3] == 3);
	to = symbolizer_forget(s, used);
	CHECK(to[0] == SYM_FORGOTTEN && to[1] == SYM_FORGOTTEN && to[2] == 0 && to[3] == 1);
	free(to);
	symbolizer_frames(s, &n);
	CHECK_U64(n, 2);
	CHECK_U64(symbolizer_note(s, "[kept]"), 1);
	CHECK_U64(locate(s, &c), 0);
	CHECK_U64(symbolizer_user(s, (u32)getpid(), (u64)(uintptr_t)qsort, false), 2);
	symbolizer_resolve(s, NULL);
	CHECK_STR(name_of(s, 0), "symbolizer_test_landmark");
	CHECK_STR(name_of(s, 1), "[kept]");
	CHECK_STR(name_of(s, 2), "qsort");
	child_end(&c);
	symbolizer_free(s);
}

/* ---- memory is full ---- */

TEST(with_full_memory_new_stacks_are_folded_by_process_and_no_sum_changes)
{
	const u64 landmark = (u64)(uintptr_t)symbolizer_test_landmark;
	u64 values[2] = { 0 };
	struct fixture f;
	struct report r;

	fixture_init(&f);
	add(&f, 1, "app", landmark, 0);
	mem_limit_set(1); /* a byte: full */
	CHECK(mem_is_over());
	add(&f, 1, "app", landmark, 0);
	for (u64 i = 0; i < 50; i++)
		add(&f, 100 + i, i < 20 ? "app" : "other", landmark + i, 0);
	CHECK(store_count(&f.store, (u64[]){ 100, ~100ULL }, (u64[]){ 7, 0 }, STORE_EVEN));
	CHECK_U64(report(&f, 0, &r), 2 + 50 + 7);
	for (size_t i = 0; i < r.stacks.n; i++) {
		const struct stack_row *row = &r.stacks.items[i];
		bool is_other = !strcmp(leaf_name(&r, row), "[other stacks]");

		CHECK(is_other || !strcmp(leaf_name(&r, row), "symbolizer_test_landmark"));
		values[!strcmp(report_task(&r, row)->comm, "other")] += is_other ? row->value : 0;
	}
	CHECK_U64(values[0], 20 + 7);
	CHECK_U64(values[1], 30);
	CHECK_U64(f.store.n_folded, 57);
	report_release(&r);
	fixture_release(&f);
}

TEST(no_more_ids_of_folded_stacks_are_kept_than_the_kernel_has_counters)
{
	struct fixture f;

	fixture_init(&f);
	mem_limit_set(1);
	f.store.max_ids = 10;
	for (u64 i = 0; i < 1000; i++)
		add(&f, 1 + i, "app", 0x1000, 0);
	CHECK_U64(f.store.entries.n, 11);
	CHECK_U64(report_total(&f, 0), 1000);
	for (u32 w = 1; w < STORE_IDLE; w++)
		report_total(&f, w);
	free(store_forget(&f.store, 2, on_gone, &f));
	CHECK_U64(f.store.entries.n, 0);
	mem_limit_set(0);
	add(&f, 1, "app", 0x1000, 4);
	CHECK_U64(f.store.n_ids, 0);
	CHECK_U64(report_total(&f, 4), 1);
	fixture_release(&f);
}

/* The kernel has deleted an id that found no room here, and counts under it again. */
TEST(counts_under_ids_that_were_left_out_have_a_row_of_their_own)
{
	const u64 left[] = { 500, ~500ULL };
	struct fixture f;
	struct report r;

	fixture_init(&f);
	CHECK(!store_adopt(&f.store, left)); /* its stack is on its way */
	mem_limit_set(1);
	f.store.max_ids = 10;
	for (u64 i = 0; i < 20; i++)
		add(&f, 1 + i, "app", 0x1000, 0);
	CHECK(!store_count(&f.store, left, (u64[]){ 9, 0 }, STORE_EVEN));
	CHECK(store_adopt(&f.store, left));
	CHECK(store_count(&f.store, left, (u64[]){ 9, 0 }, STORE_EVEN));
	CHECK_U64(report(&f, 0, &r), 20 + 9);
	CHECK_STR(report_task(&r, &r.stacks.items[r.stacks.n - 1])->comm, "[other]");
	CHECK_STR(leaf_name(&r, &r.stacks.items[r.stacks.n - 1]), "[other stacks]");
	CHECK_U64(f.store.n_folded, 29);
	report_release(&r);
	store_restart_count(&f.store);
	CHECK(store_count(&f.store, left, (u64[]){ 9, 0 }, STORE_EVEN));
	CHECK_U64(report_total(&f, 2), 0); /* it was counted before */
	fixture_release(&f);
}

/* ---- waits ---- */

static const struct waits_conf chains = {
	.levels = 2, .weight = 1, .max_ns = UINT64_MAX, .want_path = true
};

static struct stack_id id_of(u64 n)
{
	return (struct stack_id){ { n, ~n } };
}

/* A wait of 100 ns for the waker with stack `waker`. */
static void add_wait(struct waits *w, u64 id, u64 target, u64 waker, u64 off)
{
	struct wait_record rec = { .id = id_of(id),
				   .waiter = id_of(target),
				   .pid = 7,
				   .start_time = 5,
				   .off_ns = off,
				   .waking_ns = off + 100,
				   .on_ns = off + 100,
				   .n_links = 1 };

	rec.links[0] = (struct wait_link){ .stack = id_of(waker), .waking_ns = off + 100 };
	waits_add_record(w, &rec);
}

static u64 report_waits(struct fixture *f, struct waits *w, u64 cut, size_t *n_rows)
{
	struct report r = { 0 };
	u64 total;

	waits_cut(w, cut, UINT64_MAX);
	waits_report(w, &(struct store_view){ .by = BY_PID }, &r);
	total = r.total;
	*n_rows = r.stacks.n;
	report_release(&r);
	waits_end_report(w, false);
	store_age(&f->store);
	return total;
}

static void put(struct fixture *f, u64 id)
{
	const u64 user[] = { id };

	store_intern(&f->store, &(struct raw_stack){ .id = { id, ~id },
						     .tgid = 7,
						     .comm = "app",
						     .generation = 1,
						     .user = user,
						     .n_user = 1,
						     .max_frames = 127 });
}

TEST(a_wait_is_forgotten_with_one_of_its_stacks_and_sleepers_keep_theirs)
{
	const struct wait_thread asleep = { .stack = id_of(3), .off_ns = 10 };
	struct fixture f;
	struct waits w;
	size_t n;
	u32 *moved;

	fixture_init(&f);
	waits_init(&w, &chains, &f.store);
	waits_begin(&w, 1000);
	for (u64 id = 1; id <= 4; id++)
		put(&f, id);
	add_wait(&w, 101, 1, 2, 1000);
	add_wait(&w, 102, 1, 4, 1200);
	CHECK_U64(report_waits(&f, &w, 2000, &n), 200);
	for (u64 i = 1; i < STORE_IDLE + 1; i++) {
		add_wait(&w, 102, 1, 4, 1000 * (i + 1));
		waits_touch_thread(&w, &asleep);
		CHECK_U64(report_waits(&f, &w, 1000 * (i + 2), &n), 100);
	}
	moved = store_forget(&f.store, 2, on_gone, &f);
	CHECK_U64(f.n_gone, 1); /* the stack 2 */
	waits_forget(&w, moved, 2, on_gone, &f);
	free(moved);
	CHECK_U64(f.n_gone, 2); /* the wait 101 */
	CHECK_U64(w.defs.n, 1);
	CHECK_U64(w.links.n, 1);
	CHECK(store_find(&f.store, (u64[]){ 3, ~3ULL }) != STORE_NONE);
	add_wait(&w, 102, 1, 4, 6000);
	CHECK_U64(w.defs.n, 1);
	CHECK_U64(report_waits(&f, &w, 7000, &n), 100);
	CHECK_U64(n, 1);
	waits_release(&w);
	fixture_release(&f);
}

TEST(with_full_memory_waits_become_one_of_each_process)
{
	struct fixture f;
	struct waits w;
	size_t n;

	fixture_init(&f);
	waits_init(&w, &chains, &f.store);
	w.max_ids = 5;
	waits_begin(&w, 1000);
	put(&f, 1);
	put(&f, 2);
	mem_limit_set(1);
	for (u64 i = 0; i < 100; i++) {
		put(&f, 10 + i);
		add_wait(&w, 1000 + i, 10 + i, 2, 1000 + i);
	}
	CHECK_U64(w.defs.n, 5 + 1);
	CHECK_U64(report_waits(&f, &w, 5000, &n), 100 * 100);
	CHECK_U64(f.store.n_folded, 100);
	waits_release(&w);
	fixture_release(&f);
}
