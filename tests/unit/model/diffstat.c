// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The intervals of changes, held to what they claim: runs that are drawn from the same distribution
 * differ by more than chance in one of 20 cases, and a real change is found.
 */
#include "model/diff.h"

#include "test.h"

#define Z_95 1.959964

static struct diff sides(enum unit unit, u64 before, u64 after)
{
	return (struct diff){
		.opts = { .z = Z_95 },
		.run = { .unit = unit },
		.side = { { .total = before, .seconds = 10 }, { .total = after, .seconds = 20 } },
	};
}

static struct diff_change compare(const struct diff *d, enum diff_basis basis, u64 before,
				  u64 after)
{
	const struct diff_sum sum[] = { { .value = before, .count = before },
					{ .value = after, .count = after } };

	return diff_compare(d, basis, sum);
}

static bool is_near(double got, double want)
{
	return got > want - 0.00005 && got < want + 0.00005;
}

/* Values of Newcombe (1998), table II, method 10, of which a and b are 56/70 and 48/80, 9/10 and
 * 3/10, 10/10 and 0/20; the difference there is the first less the second. */
TEST(intervals_are_the_published_ones)
{
	static const struct {
		u64 x1, n1, x2, n2;
		double low, high;
	} cases[] = {
		{ 56, 70, 48, 80, 0.0524, 0.3339 },
		{ 9, 10, 3, 10, 0.1705, 0.8090 },
		{ 10, 10, 0, 20, 0.6791, 1.0000 },
		{ 5, 56, 0, 29, -0.0381, 0.1926 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct diff d = sides(UNIT_SAMPLES, cases[i].n2, cases[i].n1);
		struct diff_change c = compare(&d, DIFF_SHARE, cases[i].x2, cases[i].x1);

		CHECK(is_near(c.low, cases[i].low));
		CHECK(is_near(c.high, cases[i].high));
		CHECK(c.verdict == (c.low <= 0 ? DIFF_NOISE : DIFF_CHANGED));
	}
}

/* ---- drawing ---- */

static u64 state = 20261125;

static double uniform(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (double)(state >> 11) / (double)(1ULL << 53);
}

static u64 draw_binomial(u64 n, double p)
{
	u64 x = 0;

	for (u64 i = 0; i < n; i++)
		x += uniform() < p;
	return x;
}

#define PAIRS 4000

/* The number of pairs of equal runs, in 1000, of which the change is called more than chance. */
static u64 false_alarms(enum diff_basis basis, u64 n_before, u64 n_after, double p)
{
	struct diff d = sides(UNIT_SAMPLES, n_before, n_after);
	u64 alarms = 0;

	for (int i = 0; i < PAIRS; i++)
		alarms += compare(&d, basis, draw_binomial(n_before, p), draw_binomial(n_after, p))
				  .verdict == DIFF_CHANGED;
	return alarms * 1000 / PAIRS;
}

static bool is_about_one_in_20(u64 in_1000)
{
	printf("# false alarms: %llu in 1000\n", in_1000);
	return in_1000 >= 38 && in_1000 <= 62;
}

TEST(equal_shares_are_called_different_in_one_of_20_cases)
{
	CHECK(is_about_one_in_20(false_alarms(DIFF_SHARE, 1000, 1000, 0.5)));
	CHECK(is_about_one_in_20(false_alarms(DIFF_SHARE, 500, 1500, 0.2)));
	CHECK(is_about_one_in_20(false_alarms(DIFF_SHARE, 1500, 500, 0.05)));
}

/* Rates: the side after is twice as long, so that twice the number is the same rate. */
TEST(equal_rates_are_called_different_in_one_of_20_cases)
{
	CHECK(is_about_one_in_20(false_alarms(DIFF_PER_SECOND, 5000, 10000, 0.01)));
	CHECK(is_about_one_in_20(false_alarms(DIFF_ABSOLUTE, 2000, 2000, 0.02)));
}

/* With a few samples, the interval may be too wide, never too narrow. */
TEST(rare_functions_raise_no_more_alarms)
{
	CHECK(false_alarms(DIFF_SHARE, 1000, 1000, 0.002) <= 50);
	CHECK(false_alarms(DIFF_SHARE, 400, 4000, 0.002) <= 60);
	CHECK(false_alarms(DIFF_ABSOLUTE, 1000, 1000, 0.002) <= 50);
}

TEST(two_points_of_10000_samples_are_found)
{
	struct diff d = sides(UNIT_SAMPLES, 10000, 10000);
	struct diff_change c = compare(&d, DIFF_SHARE, 1000, 1200);
	u64 n = 0;

	CHECK(c.verdict == DIFF_CHANGED && is_near(c.by, 0.02) && c.low > 0.01 && c.high < 0.03);
	CHECK(compare(&d, DIFF_SHARE, 1200, 1000).verdict == DIFF_CHANGED);
	for (int i = 0; i < 200; i++)
		n += compare(&d, DIFF_SHARE, draw_binomial(10000, 0.1), draw_binomial(10000, 0.12))
			     .verdict == DIFF_CHANGED;
	CHECK(n >= 190);
}

/* ---- values without an interval ---- */

TEST(one_sample_more_is_noise)
{
	struct diff d = sides(UNIT_SAMPLES, 100, 100);

	CHECK(compare(&d, DIFF_SHARE, 0, 1).verdict == DIFF_NOISE);
	CHECK(compare(&d, DIFF_ABSOLUTE, 0, 1).verdict == DIFF_NOISE);
	CHECK(compare(&d, DIFF_SHARE, 50, 50).verdict == DIFF_NOISE);
}

TEST(times_have_an_interval_only_with_a_variance)
{
	struct diff d = sides(UNIT_NS, 10 * NS_PER_SEC, 20 * NS_PER_SEC);
	struct diff_sum sum[] = { { .value = NS_PER_SEC, .count = 1000 },
				  { .value = 3 * NS_PER_SEC, .count = 3000 } };
	struct diff_change c = diff_compare(&d, DIFF_SHARE, sum);

	CHECK(c.verdict == DIFF_UNCERTAIN && is_near(c.by, 0.05));
	sum[0].variance = d.side[0].variance = 1e14; /* a standard error of 10 ms */
	sum[1].variance = d.side[1].variance = 1e14;
	c = diff_compare(&d, DIFF_SHARE, sum);
	CHECK(c.verdict == DIFF_CHANGED && c.low > 0.045 && c.high < 0.055);
	sum[1].value = 2 * NS_PER_SEC;
	CHECK(diff_compare(&d, DIFF_SHARE, sum).verdict == DIFF_NOISE);
	c = diff_compare(&d, DIFF_PER_SECOND, sum);
	CHECK(c.verdict == DIFF_NOISE && c.after > 0.0999e9 && c.after < 0.1001e9);
}

TEST(empty_sides_have_no_interval)
{
	struct diff d = sides(UNIT_SAMPLES, 0, 100);
	struct diff_change c = compare(&d, DIFF_SHARE, 0, 10);

	CHECK(c.verdict == DIFF_UNCERTAIN && is_near(c.by, 0.1));
	d.side[DIFF_BEFORE].seconds = 0;
	c = compare(&d, DIFF_PER_SECOND, 0, 10);
	CHECK(c.verdict == DIFF_UNCERTAIN && !diff_has_rates(&d));
}
