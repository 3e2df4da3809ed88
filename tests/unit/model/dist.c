// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/dist.h"

#include <math.h>

#include "bpf/abi/cells.h"
#include "test.h"

static const struct dist_scaling log2_scale = { .kind = SCALE_LOG2 };
static const struct dist_scaling fine_scale = { .kind = SCALE_LOG_LINEAR };

#define CHECK_BUCKET(scaling, is_signed, i, from_, last_)                            \
	do {                                                                         \
		struct dist_bucket b_ = dist_bucket_at((scaling), (is_signed), (i)); \
		CHECK_U64(b_.from, (u64)(from_));                                    \
		CHECK_U64(b_.last, (u64)(last_));                                    \
	} while (0)

TEST(log2_buckets_are_powers_of_two_on_both_sides_of_zero)
{
	CHECK_BUCKET(&log2_scale, false, 64, 0, 0);
	CHECK_BUCKET(&log2_scale, false, 65, 1, 1);
	CHECK_BUCKET(&log2_scale, false, 66, 2, 3);
	CHECK_BUCKET(&log2_scale, false, 128, 1ULL << 63, UINT64_MAX);
	CHECK_BUCKET(&log2_scale, true, 63, -1, -1);
	CHECK_BUCKET(&log2_scale, true, 62, -3, -2);
	CHECK_BUCKET(&log2_scale, true, 127, 1ULL << 62, INT64_MAX);
	CHECK_BUCKET(&log2_scale, true, 0, INT64_MIN, INT64_MIN);
}

TEST(linear_buckets_have_one_below_and_one_above)
{
	const struct dist_scaling s = { .kind = SCALE_LINEAR, .min = -10, .step = 5, .n = 4 };

	CHECK(dist_bucket_at(&s, true, 0).is_first);
	CHECK_U64(dist_bucket_at(&s, true, 0).last, (u64)-11);
	CHECK_BUCKET(&s, true, 1, -10, -6);
	CHECK_BUCKET(&s, true, 4, 5, 9);
	CHECK(dist_bucket_at(&s, true, 5).is_end);
	CHECK_U64(dist_bucket_at(&s, true, 5).from, 10);
}

TEST(bounds_begin_their_buckets)
{
	const s64 bounds[] = { -1, 10, 100 };
	const struct dist_scaling s = { .kind = SCALE_BOUNDS, .n = 3, .bounds = bounds };

	CHECK(dist_bucket_at(&s, true, 0).is_first);
	CHECK_U64(dist_bucket_at(&s, true, 0).last, (u64)-2);
	CHECK_BUCKET(&s, true, 1, -1, 9);
	CHECK_BUCKET(&s, true, 2, 10, 99);
	CHECK(dist_bucket_at(&s, true, 3).is_end);
	CHECK_U64(dist_bucket_at(&s, true, 3).from, 100);
}

/* Each number is inside its bucket, and neighbours touch. */
TEST(log_linear_buckets_hold_their_numbers)
{
	for (u32 i = 0; i < DIST_FINE_N; i++) {
		bool is_signed = i < DIST_FINE_ZERO;
		struct dist_bucket b = dist_bucket_at(&fine_scale, is_signed, i), next;

		/* Buckets of negative numbers, of magnitudes beyond 2^63, and "minus zero". */
		if (is_signed && (i < 16 || i == DIST_FINE_ZERO - 1))
			continue;
		CHECK_U64(dist_fine_bucket(b.from, is_signed), i);
		CHECK_U64(dist_fine_bucket(b.last, is_signed), i);
		if (i + 1 == DIST_FINE_N || i + 2 == DIST_FINE_ZERO)
			continue;
		next = dist_bucket_at(&fine_scale, is_signed, i + 1);
		CHECK_U64(next.from, b.last + 1);
	}
}

TEST(log_linear_buckets_are_the_kernel_s)
{
	for (u32 i = 0; i < CELL_STATS_HALF; i++)
		CHECK_BUCKET(&fine_scale, false, DIST_FINE_ZERO + i, cell_stats_from(i),
			     cell_stats_from(i) + (cell_stats_width(i) - 1));
}

/* ---- percentiles ---- */

static struct dist_row row_of(const u64 *values, size_t n, bool is_signed)
{
	struct dist_row row = { .n = DIST_FINE_N };

	row.buckets = mem_alloc(DIST_FINE_N, sizeof(u64));
	for (size_t i = 0; i < n; i++) {
		double v = dist_number(values[i], is_signed);

		row.buckets[dist_fine_bucket(values[i], is_signed)]++;
		row.count++;
		row.sum += values[i];
		if (!i || v < dist_number(row.least, is_signed))
			row.least = values[i];
		if (!i || v > dist_number(row.greatest, is_signed))
			row.greatest = values[i];
	}
	return row;
}

static int value_cmp(const void *a, const void *b)
{
	s64 x = *(const s64 *)a, y = *(const s64 *)b;

	return (x > y) - (x < y);
}

TEST(percentiles_are_at_most_a_sixteenth_off)
{
	enum {
		N = 1000
	};
	static const double percents[] = { 0.1, 1, 10, 50, 90, 99, 99.9, 100 };
	const struct dist d = { .kind = DIST_STATISTICS, .is_signed = true };
	u64 values[N], state = 88172645463325252ULL;
	struct dist_row row;

	for (int round = 0; round < 50; round++) {
		for (int i = 0; i < N; i++) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			values[i] = (u64)((s64)state >> (state % 60));
		}
		row = row_of(values, N, true);
		qsort(values, N, sizeof(*values), value_cmp);
		for (size_t p = 0; p < ARRAY_SIZE(percents); p++) {
			double part = percents[p] / 100 * N - 1e-9; /* rounded up */
			size_t rank = (size_t)part + (part > (double)(size_t)part);
			double exact = (double)(s64)values[rank ? rank - 1 : 0];
			double got = dist_percentile(&d, &row, percents[p]);

			CHECK(fabs(got - exact) <= fabs(exact) / 16 + 1e-9);
		}
		free(row.buckets);
	}
}

TEST(small_numbers_have_exact_percentiles)
{
	const struct dist d = { .kind = DIST_STATISTICS };
	const u64 values[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 15 };
	struct dist_row row = row_of(values, ARRAY_SIZE(values), false);

	CHECK_U64((u64)dist_percentile(&d, &row, 50), 5);
	CHECK_U64((u64)dist_percentile(&d, &row, 90), 9);
	CHECK_U64((u64)dist_percentile(&d, &row, 91), 15);
	CHECK_U64((u64)dist_percentile(&d, &row, 1), 1);
	CHECK(dist_mean(&d, &row) > 5.99 && dist_mean(&d, &row) < 6.01);
	free(row.buckets);
}

TEST(a_percentile_at_the_edge_is_the_extreme_itself)
{
	const struct dist d = { .kind = DIST_STATISTICS, .is_signed = true };
	const u64 values[] = { (u64)INT64_MIN, 0, INT64_MAX, INT64_MAX };
	struct dist_row row = row_of(values, ARRAY_SIZE(values), true);
	u64 exact;

	CHECK(dist_is_extreme(&d, &row, dist_percentile(&d, &row, 90), &exact));
	CHECK_U64(exact, INT64_MAX);
	CHECK(dist_is_extreme(&d, &row, dist_percentile(&d, &row, 1), &exact));
	CHECK_U64(exact, (u64)INT64_MIN);
	CHECK(!dist_is_extreme(&d, &row, dist_percentile(&d, &row, 50), &exact));
	free(row.buckets);
}

/* ---- sums ---- */

static bool is_sum_known(const u64 *values, size_t n, bool is_signed)
{
	const struct dist d = { .kind = DIST_STATISTICS, .is_signed = is_signed };
	struct dist_row row = row_of(values, n, is_signed);
	bool is_known = dist_is_sum_known(&d, &row);

	CHECK_U64(isnan(dist_mean(&d, &row)), !is_known);
	free(row.buckets);
	return is_known;
}

#define IS_SUM_KNOWN(is_signed, ...)               \
	is_sum_known((const u64[]){ __VA_ARGS__ }, \
		     sizeof((const u64[]){ __VA_ARGS__ }) / sizeof(u64), is_signed)

TEST(a_sum_that_has_wrapped_is_not_known)
{
	CHECK(IS_SUM_KNOWN(false, UINT64_MAX));
	CHECK(IS_SUM_KNOWN(false, 1ULL << 63, (1ULL << 63) - 1));
	CHECK(!IS_SUM_KNOWN(false, 1ULL << 63, 1ULL << 63));
	CHECK(!IS_SUM_KNOWN(false, UINT64_MAX, 1));
	CHECK(!IS_SUM_KNOWN(false, UINT64_MAX, UINT64_MAX, UINT64_MAX));
	CHECK(IS_SUM_KNOWN(true, INT64_MAX));
	CHECK(IS_SUM_KNOWN(true, (u64)INT64_MIN));
	CHECK(IS_SUM_KNOWN(true, INT64_MAX, (u64)INT64_MIN, 5, (u64)-7));
	CHECK(!IS_SUM_KNOWN(true, INT64_MAX, 1));
	CHECK(!IS_SUM_KNOWN(true, INT64_MAX, INT64_MAX));
	CHECK(!IS_SUM_KNOWN(true, (u64)INT64_MIN, (u64)INT64_MIN));
}

/* ---- order ---- */

TEST(rows_are_sorted_by_count_then_by_key_as_a_number)
{
	const char *const keys[] = { "10", "9", "x", "100" };
	static const u64 counts[] = { 5, 5, 7, 5 };
	struct dist d = { .kind = DIST_COUNTS, .n_keys = 1 };
	u32 *order;

	for (int i = 0; i < 4; i++)
		vec_push(&d.rows, (struct dist_row){ .key = &keys[i], .count = counts[i] });
	vec_push(&d.rows, (struct dist_row){ .count = 5 });
	order = dist_order(&d);
	CHECK_U64(order[0], 2);
	CHECK_U64(order[1], 1);
	CHECK_U64(order[2], 0);
	CHECK_U64(order[3], 3);
	CHECK_U64(order[4], 4);
	free(order);
	dist_release(&d);
}
