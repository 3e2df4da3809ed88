// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Confidence intervals of ratios.
 *
 *	J. Przyborowski, H. Wilenski, Biometrika 31 (1940): given how many samples there are of two
 *		events together, the number of one of them is binomial
 *	E. B. Wilson, J. Am. Stat. Assoc. 22 (1927): the score interval of a proportion
 *	L. Kish, Survey Sampling (1965): samples with unequal weights count as fewer samples with
 *		equal ones
 */
#include "model/ratio.h"

#include "base/root.h"

#define Z_95	  1.959964
#define NEAR_WIDE 1.5 /* most by which the limits of RATIO_NEAR differ */

const char *const ratio_verdict_names[RATIO_N_VERDICTS] = {
	[RATIO_UNKNOWN] = "unknown",
	[RATIO_NEAR] = "near",
	[RATIO_LESS] = "less",
	[RATIO_MORE] = "more",
};

static void add_sum(struct event_sum *sum, const struct event_sum *s)
{
	sum->n += s->n;
	sum->events += s->events;
	sum->squares += s->squares;
}

void ratio_add(struct ratio *sum, const struct ratio *r)
{
	add_sum(&sum->first, &r->first);
	add_sum(&sum->second, &r->second);
}

/* The number of samples of equal weight that tell as much. */
static double effective(const struct event_sum *s)
{
	double n = s->squares > 0 ? (double)s->events * (double)s->events / s->squares : 0;

	return n < (double)s->n ? n : (double)s->n;
}

/* Events for each effective sample. */
static double weight(const struct event_sum *s)
{
	return s->events ? s->squares / (double)s->events : 0;
}

static double share(const struct ratio *r)
{
	return r->first.events ? (double)r->second.events / (double)r->first.events : 0;
}

static double odds(double p)
{
	return p / (1 - p);
}

static enum ratio_verdict judge(const struct ratio_value *v, double whole)
{
	if (v->has_high && v->high < whole)
		return RATIO_LESS;
	if (v->low > whole)
		return RATIO_MORE;
	return v->has_high && v->low > 0 && v->high <= v->low * NEAR_WIDE ? RATIO_NEAR
									  : RATIO_UNKNOWN;
}

struct ratio_value ratio_value(const struct ratio *part, const struct ratio *whole)
{
	double a = effective(&part->second), b = effective(&part->first), n = a + b;
	double z2 = Z_95 * Z_95, center, half, scale;
	struct ratio_value v = { .is_defined = part->first.events > 0 };

	if (!v.is_defined)
		return v;
	v.at = share(part);
	if (b <= 0)
		return v;
	/* A part without second events would have had samples of the same weight as others. */
	scale = weight(a > 0 ? &part->second : &whole->second) / weight(&part->first);
	center = (a + z2 / 2) / (n + z2);
	half = Z_95 / (n + z2) * square_root(a * b / n + z2 / 4);
	v.has_high = scale > 0;
	v.low = a > 0 ? odds(center - half) * scale : 0;
	v.high = odds(center + half) * scale;
	v.verdict = judge(&v, share(whole));
	return v;
}
