// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Confidence intervals of changes.
 *
 *	E. B. Wilson, J. Am. Stat. Assoc. 22 (1927): the score interval of one proportion
 *	R. G. Newcombe, Stat. Med. 17 (1998), method 10: the difference of two
 *
 * Both assume that samples are independent of each other.
 */
#include "base/root.h"
#include "model/diff.h"

/* An estimate with the limits of its interval. */
struct estimate {
	double at, low, high;
};

static bool is_counted(const struct diff *d)
{
	return d->run.unit == UNIT_SAMPLES || d->run.unit == UNIT_EVENTS;
}

static struct estimate around(double at, double half)
{
	return (struct estimate){ at, at - half, at + half };
}

static struct estimate proportion(double x, double n, double z)
{
	double z2 = z * z, center = (x + z2 / 2) / (n + z2);
	double half = z / (n + z2) * square_root(x * (n - x) / n + z2 / 4);

	return (struct estimate){ x / n, center - half, center + half };
}

static struct estimate poisson_mean(double x, double z)
{
	double z2 = z * z, half = z * square_root(x + z2 / 4);

	return (struct estimate){ x, x + z2 / 2 - half, x + z2 / 2 + half };
}

static struct estimate scaled(struct estimate e, double by)
{
	return (struct estimate){ e.at * by, e.low * by, e.high * by };
}

/* The variance of part / whole; the part and the rest of the whole are independent. */
static double share_variance(double share, double of_part, double of_whole)
{
	double of_rest = of_whole > of_part ? of_whole - of_part : 0;

	return (1 - share) * (1 - share) * of_part + share * share * of_rest;
}

static struct estimate estimate(const struct diff *d, enum diff_basis basis, enum diff_when when,
				const struct diff_sum *sum)
{
	const struct diff_side *side = &d->side[when];
	double x = (double)sum->value, n = (double)side->total, z = d->opts.z;

	if (basis == DIFF_SHARE) {
		if (!side->total)
			return around(0, 0);
		if (is_counted(d))
			return proportion(x, n, z);
		return around(
			x / n,
			z / n * square_root(share_variance(x / n, sum->variance, side->variance)));
	}
	if (basis == DIFF_PER_SECOND && side->seconds <= 0)
		return around(0, 0);
	return scaled(is_counted(d) ? poisson_mean(x, z)
				    : around(x, z * square_root(sum->variance)),
		      basis == DIFF_PER_SECOND ? 1 / side->seconds : 1);
}

bool diff_has_rates(const struct diff *d)
{
	return d->side[DIFF_BEFORE].seconds > 0 && d->side[DIFF_AFTER].seconds > 0;
}

/* Can the change have an interval? */
static bool is_certain(const struct diff *d, enum diff_basis basis)
{
	const struct diff_side *a = &d->side[DIFF_BEFORE], *b = &d->side[DIFF_AFTER];

	if (basis == DIFF_SHARE && (!a->total || !b->total))
		return false;
	if (basis == DIFF_PER_SECOND && !diff_has_rates(d))
		return false;
	return is_counted(d) || a->variance > 0 || b->variance > 0;
}

struct diff_change diff_compare(const struct diff *d, enum diff_basis basis,
				const struct diff_sum sum[DIFF_N_SIDES])
{
	struct estimate a = estimate(d, basis, DIFF_BEFORE, &sum[DIFF_BEFORE]);
	struct estimate b = estimate(d, basis, DIFF_AFTER, &sum[DIFF_AFTER]);
	struct diff_change c = { .before = a.at, .after = b.at, .by = b.at - a.at };
	double down = b.at - b.low, up = b.high - b.at;
	double down_before = a.at - a.low, up_before = a.high - a.at;

	if (!is_certain(d, basis))
		return c;
	c.low = c.by - square_root(down * down + up_before * up_before);
	c.high = c.by + square_root(up * up + down_before * down_before);
	c.verdict = c.low <= 0 && c.high >= 0 ? DIFF_NOISE : DIFF_CHANGED;
	return c;
}
