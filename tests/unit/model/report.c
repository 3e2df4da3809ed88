// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/report.h"

#include "reports.h"
#include "test.h"

enum {
	LIB_A,
	LIB_B,
	MAIN_1,
	MAIN_2,
	MAIN_OTHER,
	KERNEL,
	MAIN_LATER,
	N
};

static const struct frame frames[N] = {
	[LIB_A] = { .module = "/usr/lib/libfoo.so.1", .off = 0x10, .vaddr = 0x10 },
	[LIB_B] = { .module = "/usr/lib/libfoo.so.1", .off = 0x20, .vaddr = 0x20 },
	[MAIN_1] = { .name = "main", .module = "/bin/a", .off = 1, .vaddr = 0x101 },
	[MAIN_2] = { .name = "main", .module = "/bin/a", .off = 2, .vaddr = 0x102 },
	[MAIN_OTHER] = { .name = "main", .module = "/bin/b", .off = 1, .vaddr = 0x101 },
	[KERNEL] = { .name = "main", .module = "[kernel]", .kind = FRAME_KERNEL },
	[MAIN_LATER] = { .name = "later", .linkage = "_Z5laterv", .module = "/bin/a" },
};

static size_t n_merged(const struct sample *s, enum merge_by by)
{
	struct merged m;
	size_t n;

	report_merge(&s->report, by, &m);
	n = m.rows.n;
	merged_release(&m);
	return n;
}

static const char *comm_of(const struct sample *s, const struct merged *m, size_t i)
{
	return report_task(&s->report, &m->rows.items[i])->comm;
}

TEST(rows_are_joined_by_what_the_reader_sees)
{
	struct sample s;

	sample_init(&s, frames, N);
	sample_add(&s, "a", 1, 5, NULL, PATH(MAIN_1));
	sample_add(&s, "a", 1, 6, NULL, PATH(MAIN_2));
	sample_add(&s, "a", 1, 7, NULL, PATH(MAIN_OTHER));
	CHECK_U64(n_merged(&s, BY_LABEL), 1);
	CHECK_U64(n_merged(&s, BY_TEXT), 1);
	CHECK_U64(n_merged(&s, BY_NAME), 2);
	CHECK_U64(n_merged(&s, BY_ADDRESS), 3);
	sample_release(&s);
}

TEST(code_without_a_name_is_its_module_or_its_offset)
{
	struct sample s;

	sample_init(&s, frames, N);
	sample_add(&s, "a", 1, 5, NULL, PATH(LIB_A));
	sample_add(&s, "a", 1, 6, NULL, PATH(LIB_B));
	CHECK_U64(n_merged(&s, BY_LABEL), 1);
	CHECK_U64(n_merged(&s, BY_TEXT), 2);
	sample_release(&s);
}

TEST(tasks_are_one_where_only_the_root_is_shown)
{
	struct sample s;

	sample_init(&s, frames, N);
	sample_add(&s, "a", 1, 5, NULL, PATH(MAIN_1));
	sample_add(&s, "a", 2, 6, NULL, PATH(MAIN_1));
	sample_add(&s, "b", 2, 7, NULL, PATH(MAIN_1));
	CHECK_U64(n_merged(&s, BY_LABEL), 2);
	CHECK_U64(n_merged(&s, BY_TEXT), 3);
	sample_release(&s);
}

TEST(kernel_and_user_functions_of_one_name_stay_apart)
{
	struct sample s;

	sample_init(&s, frames, N);
	sample_add(&s, "a", 1, 5, PATH(KERNEL), NULL);
	sample_add(&s, "a", 1, 5, NULL, PATH(MAIN_1));
	CHECK_U64(n_merged(&s, BY_LABEL), 2);
	sample_release(&s);
}

TEST(merging_keeps_sums_and_sorts_by_value_then_text)
{
	struct sample s;
	struct merged m;

	sample_init(&s, frames, N);
	sample_add(&s, "b", 1, 5, NULL, PATH(MAIN_1));
	sample_add(&s, "a", 1, 5, NULL, PATH(MAIN_1));
	sample_add(&s, "a", 1, 5, NULL, PATH(MAIN_LATER));
	sample_add(&s, "c", 1, 4, NULL, PATH(MAIN_1));
	sample_add(&s, "c", 1, 4, NULL, PATH(MAIN_2));
	report_merge(&s.report, BY_TEXT, &m);
	CHECK_U64(m.rows.n, 4);
	CHECK_STR(comm_of(&s, &m, 0), "c");
	CHECK_U64(m.rows.items[0].value, 8);
	CHECK_U64(m.rows.items[0].count, 8);
	CHECK_STR(comm_of(&s, &m, 1), "a");
	CHECK_U64(s.report.nodes[m.rows.items[1].user].frame, MAIN_LATER);
	CHECK_STR(comm_of(&s, &m, 2), "a");
	CHECK_STR(comm_of(&s, &m, 3), "b");
	merged_release(&m);
	sample_release(&s);
}

/* -1, 0, 1 by the paths themselves. */
static int frames_cmp(const struct sample *s, const u32 *looks, u32 a, u32 b)
{
	const struct stack_row x = { .user = a }, y = { .user = b };
	struct stack_frames f, g;
	u32 i, k;

	report_frames(&s->report, &x, &f);
	report_frames(&s->report, &y, &g);
	for (i = f.n_user, k = g.n_user; i && k;) {
		u32 p = looks[f.user[--i]], q = looks[g.user[--k]];

		if (p != q)
			return p < q ? -1 : 1;
	}
	return (i > k) - (i < k);
}

/* A tree in which half of the siblings look alike, each node's rank held against its path. */
TEST(ranks_of_nodes_are_in_the_order_of_their_paths)
{
	u32 *looks, *paths, n = 300, seed = 7;
	struct sample s;

	sample_init(&s, frames, N);
	for (u32 i = 1; i < n; i++) {
		seed = seed * 1103515245 + 12345;
		vec_push(&s.nodes,
			 (struct stack_node){ (seed >> 16) % (i < 40 ? i : 40), (seed >> 8) % N });
	}
	s.report.nodes = s.nodes.items;
	s.report.n_nodes = n;
	looks = report_looks(&s.report, BY_TEXT);
	paths = report_paths(&s.report, looks);
	CHECK_U64(paths[0], 0);
	for (u32 a = 0; a < n; a++)
		for (u32 b = 0; b < n; b++)
			CHECK((paths[a] > paths[b]) - (paths[a] < paths[b]) ==
			      frames_cmp(&s, looks, a, b));
	free(looks);
	free(paths);
	sample_release(&s);
}

TEST(an_empty_report_merges_to_nothing)
{
	struct sample s;

	sample_init(&s, NULL, 0);
	CHECK_U64(n_merged(&s, BY_LABEL), 0);
	report_functions(&s.report);
	CHECK_U64(s.report.funcs.n, 0);
	CHECK_U64(report_callers(&s.report, "main"), 0);
	sample_release(&s);
}

TEST(a_function_that_calls_itself_counts_once)
{
	struct sample s;

	sample_init(&s, frames, N);
	sample_add(&s, "a", 1, 5, NULL, PATH(MAIN_1, MAIN_2, MAIN_OTHER));
	sample_add(&s, "a", 1, 3, PATH(KERNEL), PATH(MAIN_1));
	report_functions(&s.report);
	CHECK(s.report.kind == REPORT_FUNCS);
	CHECK_U64(s.report.funcs.n, 2);
	CHECK_U64(s.report.funcs.items[0].self, 5);
	CHECK_U64(s.report.funcs.items[0].total, 8);
	CHECK_U64(s.report.funcs.items[1].frame, KERNEL);
	CHECK_U64(s.report.funcs.items[1].self, 3);
	CHECK_U64(s.report.total, 8);
	sample_release(&s);
}

TEST(callers_end_at_the_outermost_call)
{
	struct sample s;
	struct stack_frames f;

	sample_init(&s, frames, N);
	sample_add(&s, "a", 1, 5, PATH(KERNEL), PATH(LIB_A, MAIN_LATER, LIB_B, MAIN_LATER, MAIN_1));
	sample_add(&s, "a", 1, 3, NULL, PATH(MAIN_1));
	CHECK_U64(report_callers(&s.report, "later"), 1);
	report_frames(&s.report, &s.report.stacks.items[0], &f);
	CHECK_U64(f.n_kernel, 0);
	CHECK_U64(f.n_user, 2);
	CHECK_U64(f.user[0], MAIN_LATER);
	CHECK_U64(f.user[1], MAIN_1);
	CHECK_U64(s.report.total, 5);
	sample_release(&s);
}

TEST(callers_are_found_by_name_without_arguments_and_by_symbol)
{
	const char *const names[] = { "handle(int)", "handle", "_Z6handlei" };
	const struct frame one = { .name = "handle(int)", .linkage = "_Z6handlei" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct sample s;

		sample_init(&s, &one, 1);
		sample_add(&s, "a", 1, 5, PATH(0), NULL);
		CHECK_U64(report_callers(&s.report, names[i]), 1);
		CHECK_U64(report_callers(&s.report, "hand"), 0);
		sample_release(&s);
	}
}

/* ---- wakers ---- */

/* A row of 10 with one waker: kernel stack `kernel`, called `comm`. */
static void add_woken(struct sample *s, const char *comm, s64 pid, const u32 *kernel, u64 value)
{
	sample_add(s, "a", 1, 10, NULL, PATH(MAIN_1));
	sample_chain(s, CHAIN_END_RUNNING);
	sample_waker(s, comm, pid, kernel, NULL, value);
}

TEST(rows_with_different_visible_wakers_stay_apart)
{
	struct sample s;

	sample_init(&s, frames, N);
	s.run.shape = SHAPE_CHAIN;
	add_woken(&s, "w", 7, PATH(KERNEL), 0);
	add_woken(&s, "w", 8, PATH(KERNEL), 0);
	add_woken(&s, "v", 7, PATH(KERNEL), 0);
	add_woken(&s, "w", 7, PATH(LIB_A), 0);
	add_woken(&s, "w", 7, PATH(LIB_B), 0);
	CHECK_U64(n_merged(&s, BY_LABEL), 3);
	CHECK_U64(n_merged(&s, BY_TEXT), 5);
	sample_release(&s);
}

TEST(chains_with_different_ends_stay_apart)
{
	struct sample s;

	sample_init(&s, frames, N);
	s.run.shape = SHAPE_CHAIN;
	for (int end = 0; end < CHAIN_N_ENDS; end++) {
		sample_add(&s, "a", 1, 10, NULL, PATH(MAIN_1));
		sample_chain(&s, (enum chain_end)end);
		sample_interrupt(&s, WAKER_IRQ, "eth0", NULL, 0);
	}
	sample_add(&s, "a", 1, 10, NULL, PATH(MAIN_1));
	sample_chain(&s, CHAIN_END_IRQ);
	sample_interrupt(&s, WAKER_IRQ, "eth1", NULL, 0);
	CHECK_U64(n_merged(&s, BY_LABEL), CHAIN_N_ENDS + 1);
	sample_release(&s);
}

TEST(a_row_without_a_chain_has_an_unknown_waker)
{
	struct sample s;

	sample_init(&s, frames, N);
	s.run.shape = SHAPE_CHAIN;
	sample_add(&s, "a", 1, 10, NULL, PATH(MAIN_1));
	sample_add(&s, "a", 1, 10, NULL, PATH(MAIN_1));
	sample_chain(&s, CHAIN_END_UNKNOWN);
	CHECK_U64(n_merged(&s, BY_LABEL), 1);
	sample_release(&s);
}

TEST(merging_sums_links_variance_and_open_waits)
{
	struct sample s;
	struct merged m;

	sample_init(&s, frames, N);
	s.run.shape = SHAPE_CHAIN;
	s.report.kind = REPORT_PATHS;
	add_woken(&s, "w", 7, PATH(KERNEL), 3);
	add_woken(&s, "w", 7, PATH(KERNEL), 4);
	for (int i = 0; i < 2; i++) {
		s.report.stacks.items[i].n_open = 1;
		s.report.stacks.items[i].variance = 2.5;
	}
	report_merge(&s.report, BY_TEXT, &m);
	CHECK_U64(m.rows.n, 1);
	CHECK_U64(m.rows.items[0].value, 20);
	CHECK_U64(m.rows.items[0].n_open, 2);
	CHECK(m.rows.items[0].variance == 5);
	CHECK_U64(m.link_values[report_chain(&s.report, m.rows.items[0].chain)->first], 7);
	merged_release(&m);
	sample_release(&s);
}

/* The drawing of a chain: the looks of its frames, upside down. */
static int drawn_cmp(const struct sample *s, const struct merged *m, u32 a, u32 b)
{
	const struct stack_node *nodes = s->report.nodes;

	for (; a && b; a = nodes[a].parent, b = nodes[b].parent) {
		u32 x = m->looks[nodes[a].frame], y = m->looks[nodes[b].frame];

		if (x != y)
			return x < y ? -1 : 1;
	}
	return (a > 0) - (b > 0);
}

TEST(chains_are_in_the_order_in_which_they_are_drawn)
{
	struct sample s;
	struct merged m;

	sample_init(&s, frames, N);
	s.run.shape = SHAPE_CHAIN;
	for (u32 i = 0; i < N * N * N; i++) {
		sample_add(&s, "a", 1, 1, NULL, NULL);
		sample_chain(&s, CHAIN_END_NONE);
		sample_waker(&s, "w", 1, PATH(i % N, i / N % N, i / N / N), NULL, 0);
	}
	report_merge(&s.report, BY_LABEL, &m);
	for (u32 a = 0; a < s.links.n; a++)
		for (u32 b = 0; b < s.links.n; b++) {
			int c = drawn_cmp(&s, &m, s.links.items[a].kernel, s.links.items[b].kernel);
			u32 x = m.chains[a + 1], y = m.chains[b + 1];

			CHECK((x > y) - (x < y) == c);
		}
	merged_release(&m);
	sample_release(&s);
}

TEST(callers_of_a_wakeup_are_the_wakers)
{
	struct sample s;
	const struct waker_link *link;

	sample_init(&s, frames, N);
	s.run.shape = SHAPE_WAKEUP;
	add_woken(&s, "w", 7, PATH(KERNEL, LIB_A, MAIN_LATER), 0);
	add_woken(&s, "w", 7, PATH(KERNEL), 0);
	sample_add(&s, "a", 1, 10, NULL, PATH(MAIN_LATER));
	CHECK_U64(report_callers(&s.report, "later"), 1);
	link = report_link(&s.report, report_chain(&s.report, s.report.stacks.items[0].chain), 0);
	CHECK_U64(s.report.nodes[link->kernel].frame, MAIN_LATER);
	CHECK_U64(s.report.total, 10);
	report_functions(&s.report);
	CHECK_U64(s.report.funcs.n, 1);
	CHECK_U64(s.report.funcs.items[0].self, 10);
	sample_release(&s);
}

TEST(functions_of_a_chain_are_the_sleepers)
{
	struct sample s;

	sample_init(&s, frames, N);
	s.run.shape = SHAPE_CHAIN;
	add_woken(&s, "w", 7, PATH(MAIN_LATER), 0);
	report_functions(&s.report);
	CHECK_U64(s.report.funcs.n, 1);
	CHECK_U64(s.report.funcs.items[0].frame, MAIN_1);
	CHECK_U64(report_callers(&s.report, "later"), 0);
	sample_release(&s);
}
