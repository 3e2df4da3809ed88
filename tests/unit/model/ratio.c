// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The intervals of ratios, held to what they claim: 19 of 20 contain the true ratio, also where
 * samples have unequal weights, and a part with few samples is not called different.
 */
#include "model/ratio.h"

#include "model/report.h"
#include "test.h"

static struct event_sum of_period(u64 n, u64 period)
{
	return (struct event_sum){ n, n * period, (double)n * (double)period * (double)period };
}

static struct ratio counts(u64 second, u64 first)
{
	return (struct ratio){ .first = of_period(first, 1), .second = of_period(second, 1) };
}

static bool is_near(double got, double want)
{
	return got > want * 0.9999 && got < want * 1.0001;
}

/* The odds of Wilson's interval of 50 in 150 (0.2628 to 0.4120) and of 0 in 10 (0 to 0.2775). */
TEST(limits_are_the_odds_of_a_score_interval)
{
	struct ratio half = counts(50, 100), none = counts(0, 10);
	struct ratio_value v = ratio_value(&half, &half);

	CHECK(v.is_defined && v.has_high && v.at == 0.5);
	CHECK(v.low > 0.3565 && v.low < 0.3568 && v.high > 0.7008 && v.high < 0.7012);
	v = ratio_value(&none, &half);
	CHECK(v.at == 0 && v.low == 0 && v.high > 0.3840 && v.high < 0.3845);
}

/* One sample in 10 of the second event and one in 1,000 of the first: the same, scaled. */
TEST(periods_scale_the_ratio_and_its_limits)
{
	struct ratio plain = counts(50, 100), scaled;
	struct ratio_value v = ratio_value(&plain, &plain), w;

	scaled = (struct ratio){ .first = of_period(100, 1000), .second = of_period(50, 10) };
	w = ratio_value(&scaled, &scaled);
	CHECK(is_near(w.at * 100, v.at) && is_near(w.low * 100, v.low) &&
	      is_near(w.high * 100, v.high));
	CHECK_U64(scaled.first.events, 100000);
}

/* Ten of 1,010 samples have nearly all of the weight: all tell as much as about ten. */
TEST(unequal_weights_count_as_fewer_samples)
{
	struct ratio even = counts(1000, 1000), odd = even;
	struct ratio_value v, w;

	odd.second = of_period(10, 10000);
	ratio_add(&odd, &(struct ratio){ .second = of_period(1000, 1) });
	v = ratio_value(&even, &even);
	w = ratio_value(&odd, &odd);
	CHECK(is_near(w.at, 101.0));
	CHECK(v.high / v.low < 1.2 && w.high / w.low > 3);
}

TEST(without_first_events_there_is_no_ratio)
{
	struct ratio none = { 0 }, only_second = counts(7, 0), whole = counts(50, 100);

	CHECK(!ratio_value(&none, &none).is_defined);
	CHECK(!ratio_value(&only_second, &whole).is_defined);
	CHECK(!ratio_value(&only_second, &whole).has_high);
	CHECK_U64(ratio_value(&only_second, &whole).verdict, RATIO_UNKNOWN);
}

/* Sums that no run makes, but a file may have. */
TEST(impossible_sums_make_no_interval)
{
	struct ratio r = { .first = { 5, 100, 0 }, .second = { 5, 100, 0 } };
	struct ratio_value v = ratio_value(&r, &r);

	CHECK(v.is_defined && !v.has_high && v.at == 1);
	r.first.squares = 1e-300;
	v = ratio_value(&r, &r);
	CHECK(v.at == 1 && v.verdict == RATIO_UNKNOWN);
	v = ratio_value(&r, &(struct ratio){ 0 });
	CHECK(v.at == 1);
}

TEST(five_samples_have_no_verdict)
{
	struct ratio whole = counts(3000, 1000), few = counts(9, 5), many = counts(900, 1000);
	struct ratio near = counts(3100, 1000);

	CHECK_U64(ratio_value(&few, &whole).verdict, RATIO_UNKNOWN);
	CHECK_U64(ratio_value(&many, &whole).verdict, RATIO_LESS);
	CHECK_U64(ratio_value(&whole, &many).verdict, RATIO_MORE);
	CHECK_U64(ratio_value(&near, &whole).verdict, RATIO_NEAR);
	/* Nothing where much was expected is less. */
	few = counts(0, 5);
	CHECK_U64(ratio_value(&few, &whole).verdict, RATIO_LESS);
}

/* ---- drawing ---- */

static u64 state = 20261126;

static double uniform(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (double)(state >> 11) / (double)(1ULL << 53);
}

/* The number of samples in a window in which each of n moments has one with probability p. */
static u64 draw(u64 n, double p)
{
	u64 x = 0;

	for (u64 i = 0; i < n; i++)
		x += uniform() < p;
	return x;
}

#define RUNS 4000

/* The number of runs, in 1000, of which the interval does not contain the true ratio. */
static u64 misses(double mean_second, double mean_first)
{
	u64 n = 0;

	for (int i = 0; i < RUNS; i++) {
		struct ratio r =
			counts(draw(2000, mean_second / 2000), draw(2000, mean_first / 2000));
		struct ratio_value v = ratio_value(&r, &r);
		double at = mean_second / mean_first;

		n += v.has_high && (v.low > at || v.high < at);
	}
	printf("# outside: %llu in 1000\n", n * 1000 / RUNS);
	return n * 1000 / RUNS;
}

TEST(intervals_contain_the_true_ratio_in_19_of_20_runs)
{
	u64 equal = misses(100, 100), less = misses(20, 200), few = misses(5, 40);

	CHECK(equal >= 35 && equal <= 62);
	CHECK(less >= 30 && less <= 62);
	CHECK(few <= 65);
}
