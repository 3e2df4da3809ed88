// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Counters and cells: exact from many threads, every kind of bucket, keys of all sorts. */
#include "tests/codegen/bench.h"

#include <limits.h>
#include <pthread.h>
#include <unistd.h>

struct hammer {
	int prog;
	u32 n;
};

static void *hammer(void *arg)
{
	const struct hammer *h = arg;

	for (u32 i = 0; i < h->n; i++)
		hit(h->prog, 0, 7, i, "x");
	return NULL;
}

static void hammer_from_threads(int prog, u32 n_threads, u32 n)
{
	struct hammer h = { prog, n };
	pthread_t threads[16];

	for (u32 i = 0; i < n_threads; i++)
		CHECK(!pthread_create(&threads[i], NULL, hammer, &h));
	for (u32 i = 0; i < n_threads; i++)
		pthread_join(threads[i], NULL);
}

/* The sum over CPUs of the u64s of a per-CPU map's value. */
static u64 cells[MAX_CPUS * 1024];
static u64 cell_sum(const u64 *all, u32 n, u32 i)
{
	u64 sum = 0;

	for (int cpu = 0; cpu < libbpf_num_possible_cpus(); cpu++)
		sum += all[(u32)cpu * n + i];
	return sum;
}

static u64 cell_max(const u64 *all, u32 n, u32 i)
{
	u64 max = 0;

	for (int cpu = 0; cpu < libbpf_num_possible_cpus(); cpu++)
		if (all[(u32)cpu * n + i] > max)
			max = all[(u32)cpu * n + i];
	return max;
}

TEST(counter_is_exact_from_eight_threads)
{
	struct gen_plan plan;
	u32 index = 3;
	int map;

	begin();
	map = bpf_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, "counts", 4, 8, 5, NULL);
	plan = plan_of(GEN_COUNT);
	plan.maps.counts = map;
	plan.work.index = 3;
	hammer_from_threads(load(&plan), 8, 5000);
	CHECK(!bpf_map_lookup_elem(map, &index, cells));
	CHECK_U64(cell_sum(cells, 1, 0), 40000);
}

/* A keyed plan with a map that fits. */
static struct gen_plan keyed(const struct tree *const *key, u32 n_key, enum gen_cell cell)
{
	struct gen_plan plan = plan_of(GEN_KEYED);

	plan.work.key = key;
	plan.work.n_key = n_key;
	plan.work.cell = cell;
	plan.work.cell_bytes = 2 * sizeof(struct cell_pair);
	plan.work.index = 1;
	return plan;
}

static void make_cells(struct gen_plan *plan, u32 max)
{
	plan->maps.cells[0] = bpf_map_create(BPF_MAP_TYPE_PERCPU_HASH, "cells",
					     gen_cell_key_bytes(plan->work.key, plan->work.n_key),
					     gen_cell_bytes(plan), max, NULL);
	CHECK(plan->maps.cells[0] >= 0);
}

static const s64 numbers[] = { 0,  1,	 -1,	5,  7,	 8,  9,	       15,
			       16, 1000, -1000, -5, -10, 20, LONG_MAX, LONG_MIN };

/* All numbers into one cell, whose words are in `cells` then. */
static void fill(struct gen_plan *plan)
{
	static const struct tree *key[1];
	u64 first = 42;
	int prog;

	key[0] = value("key");
	plan->work.key = key;
	plan->work.n_key = 1;
	plan->work.value = value("value");
	make_cells(plan, 4);
	prog = load(plan);
	for (u32 i = 0; i < ARRAY_SIZE(numbers); i++)
		hit(prog, 0, 42, (u64)numbers[i], NULL);
	CHECK(!bpf_map_lookup_elem(plan->maps.cells[0], &first, cells));
	close(prog);
	close(plan->maps.cells[0]);
}

static void check_cells(struct gen_plan *plan, const u64 *want, u32 n)
{
	fill(plan);
	for (u32 i = 0; i < n; i++)
		CHECK_U64(cell_sum(cells, n, i), want[i]);
}

TEST(log2_cells_are_exact_and_signed)
{
	static const u32 want[][2] = { { 0, 1 },  { 54, 1 }, { 60, 1 }, { 61, 1 },
				       { 63, 1 }, { 64, 1 }, { 65, 1 }, { 67, 2 },
				       { 68, 3 }, { 69, 2 }, { 74, 1 }, { 127, 1 } };
	struct gen_plan plan;
	u64 sum = 0;

	begin();
	plan = keyed(NULL, 0, CELL_LOG2);
	fill(&plan);
	for (u32 i = 0; i < ARRAY_SIZE(want); i++)
		CHECK_U64(cell_sum(cells, CELL_LOG2_N, want[i][0]), want[i][1]);
	for (u32 i = 0; i < CELL_LOG2_N; i++)
		sum += cell_sum(cells, CELL_LOG2_N, i);
	CHECK_U64(sum, ARRAY_SIZE(numbers));
}

TEST(linear_cells_have_an_under_and_an_over)
{
	static const u64 want[] = { 2, 1, 2, 2, 4, 0, 2, 3 };
	struct gen_plan plan;

	begin();
	plan = keyed(NULL, 0, CELL_LINEAR);
	plan.work.min = -10;
	plan.work.step = 5;
	plan.work.n_buckets = 6;
	check_cells(&plan, want, ARRAY_SIZE(want));
}

TEST(cells_by_bounds)
{
	static const s64 bounds[] = { -5, 0, 10, 100 };
	static const u64 want[] = { 3, 2, 6, 3, 2 };
	struct gen_plan plan;

	begin();
	plan = keyed(NULL, 0, CELL_BOUNDS);
	plan.work.bounds = bounds;
	plan.work.n_buckets = 4;
	check_cells(&plan, want, ARRAY_SIZE(want));
}

TEST(stats_cells_know_extremes_and_buckets)
{
	const u32 n = sizeof(struct cell_stats) / 8;
	struct gen_plan plan;
	u64 in_buckets = 0;

	begin();
	plan = keyed(NULL, 0, CELL_STATS);
	fill(&plan);
	CHECK_U64(cell_sum(cells, n, 0), ARRAY_SIZE(numbers));
	CHECK_U64(cell_sum(cells, n, 1), (u64)64);
	CHECK_U64(cell_order(~cell_max(cells, n, 2), 1), (u64)LONG_MIN);
	CHECK_U64(cell_order(cell_max(cells, n, 3), 1), LONG_MAX);
	for (u32 i = 0; i < CELL_STATS_N; i++) {
		u64 here = 0, from = cell_stats_from(i % CELL_STATS_HALF);

		for (u32 k = 0; k < ARRAY_SIZE(numbers); k++) {
			u64 magnitude = (u64)(numbers[k] < 0 ? -(u64)numbers[k] : (u64)numbers[k]);

			here += (numbers[k] < 0) == (i >= CELL_STATS_HALF) && magnitude >= from &&
				magnitude - from < cell_stats_width(i % CELL_STATS_HALF);
		}
		CHECK_U64(cell_sum(cells, n, 4 + i), here);
		in_buckets += here;
	}
	CHECK_U64(in_buckets, ARRAY_SIZE(numbers));
}

TEST(pairs_sum_and_keep_extremes)
{
	struct gen_plan plan;

	begin();
	plan = keyed(NULL, 0, CELL_SUM);
	fill(&plan);
	CHECK_U64(cell_sum(cells, 4, 2), ARRAY_SIZE(numbers));
	CHECK_U64(cell_sum(cells, 4, 3), 64);
	plan = keyed(NULL, 0, CELL_MIN);
	fill(&plan);
	CHECK_U64(cell_order(~cell_max(cells, 4, 3), 1), (u64)LONG_MIN);
	plan = keyed(NULL, 0, CELL_MAX);
	fill(&plan);
	CHECK_U64(cell_order(cell_max(cells, 4, 3), 1), LONG_MAX);
}

TEST(keys_may_be_strings_and_absent_ones_have_a_cell)
{
	const struct tree *key[2];
	struct gen_plan plan;
	struct {
		u64 number;
		u32 length;
		char text[84];
		u64 absent;
	} k = { .number = 3, .length = 5, .text = "hello" }, none = { .number = 3, .absent = 1 };
	int prog;

	begin();
	key[0] = value("text");
	key[1] = value("value");
	plan = keyed(key, 2, CELL_COUNT);
	make_cells(&plan, 8);
	CHECK_U64(gen_cell_key_bytes(key, 2), sizeof(k));
	prog = load(&plan);
	hit(prog, 0, 0, 3, "a longer text, whose end must not stay");
	hit(prog, 0, 0, 3, "hello");
	hit(prog, 0, 0, 3, "hello");
	hit(prog, 0, 0, 4, "hello");
	hit(prog, 0, 0, 3, NULL);
	hit(prog, 0, 0, 3, NULL);
	CHECK(!bpf_map_lookup_elem(plan.maps.cells[0], &k, cells));
	CHECK_U64(cell_sum(cells, 1, 0), 2);
	CHECK(!bpf_map_lookup_elem(plan.maps.cells[0], &none, cells));
	CHECK_U64(cell_sum(cells, 1, 0), 2);
	CHECK_U64(counted().absent, 2);
}

/* How many steps the verifier took for a key of n such parts; 0: old kernels don't say. */
static u32 steps_for_key(const char *text, u32 n)
{
	const struct tree *key[16];
	struct bpf_prog_info info = { 0 };
	struct gen_plan plan;
	u32 bytes = sizeof(info);
	int prog;

	for (u32 i = 0; i < n; i++)
		key[i] = value(text);
	plan = keyed(key, n, CELL_COUNT);
	make_cells(&plan, 8);
	prog = load(&plan);
	CHECK(!bpf_obj_get_info_by_fd(prog, &info, &bytes));
	close(prog);
	close(plan.maps.cells[0]);
	return info.verified_insns;
}

/* Each part may be absent; the verifier must not walk every combination (16 times as many for 7 as
 * for 3), neither where the key is on the stack (up to 7 numbers) nor in scratch.  That of 6.1
 * walks the rest of the program once for each part that may be absent, so that steps grow with the
 * square: 305 for 3, 947 for 7. */
TEST(steps_of_the_verifier_do_not_multiply_with_parts_of_a_key)
{
	begin();
	printf("# numbers: %u steps for 3, %u for 7, %u for 16\n", steps_for_key("*(long *)key", 3),
	       steps_for_key("*(long *)key", 7), steps_for_key("*(long *)key", 16));
	CHECK(steps_for_key("*(long *)key", 7) <= 4 * steps_for_key("*(long *)key", 3));
	CHECK(steps_for_key("*(long *)key", 16) < 20000);
	/* On 5.10 a key has at most 512 bytes. */
	CHECK(steps_for_key("text", 5) <= 3 * steps_for_key("text", 2));
}

TEST(keys_beyond_capacity_go_to_the_other_cell)
{
	const struct tree *key[1];
	struct gen_plan plan;
	u64 first = 1;
	u32 zero = 0;
	int prog;

	begin();
	key[0] = value("key");
	plan = keyed(key, 1, CELL_COUNT);
	plan.maps.cells[0] = bpf_map_create(BPF_MAP_TYPE_HASH, "cells", 8, 8, 1, NULL);
	plan.maps.other[0] = bpf_map_create(BPF_MAP_TYPE_ARRAY, "other", 4, 8, 1, NULL);
	prog = load(&plan);
	for (u64 i = 1; i <= 10; i++)
		hit(prog, 0, i, 0, NULL);
	hit(prog, 0, 1, 0, NULL);
	CHECK(!bpf_map_lookup_elem(plan.maps.cells[0], &first, cells));
	CHECK_U64(cells[0], 2);
	CHECK(!bpf_map_lookup_elem(plan.maps.other[0], &zero, cells));
	CHECK_U64(cells[0], 9);
	CHECK_U64(counted().map_full, 9);
}

TEST(shared_cells_are_exact_from_eight_threads)
{
	const struct tree *key[1];
	struct gen_plan plan;
	u64 seven = 7, low = 0;
	u32 n = sizeof(struct cell_stats) / 8;

	begin();
	key[0] = value("key");
	plan = keyed(key, 1, CELL_STATS);
	plan.work.value = value("value");
	if (!has_atomics)
		SKIP("no compare-and-exchange before 5.12: cells are per CPU there");
	plan.maps.cells[0] = bpf_map_create(BPF_MAP_TYPE_HASH, "cells", 8, n * 8, 1, NULL);
	hammer_from_threads(load(&plan), 8, 4000);
	CHECK(!bpf_map_lookup_elem(plan.maps.cells[0], &seven, cells));
	CHECK_U64(cells[0], 32000);
	CHECK_U64(cells[1], 8ULL * 4000 * 3999 / 2);
	CHECK_U64(cell_order(~cells[2], 1), 0);
	CHECK_U64(cell_order(cells[3], 1), 3999);
	for (u32 i = 0; i < CELL_STATS_N; i++)
		low += cells[4 + i];
	CHECK_U64(low, 32000);
}
