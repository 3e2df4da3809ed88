// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The colors, marks and tooltips of a differential flame graph. */
#include "render/diff.h"
#include "render/units.h"

struct diff_change diff_of_box(const struct diff *d, const struct flame_box *box)
{
	const struct diff_sum drawn = { .value = box->value, .count = box->value };
	const struct diff_sum other = { .value = box->other, .count = box->other };
	const struct diff_sum sum[DIFF_N_SIDES] = {
		[DIFF_BEFORE] = d->opts.by_before ? drawn : other,
		[DIFF_AFTER] = d->opts.by_before ? other : drawn,
	};
	struct diff_change c = diff_compare(d, d->opts.basis, sum);

	/* The variance of a box is not known. */
	if (d->run.unit == UNIT_NS || d->run.unit == UNIT_VALUES)
		c.verdict = DIFF_UNCERTAIN;
	return c;
}

enum tint diff_tint(const struct diff_change *c)
{
	if (c->verdict == DIFF_NOISE || c->by == 0)
		return TINT_EVEN;
	return c->by < 0 ? TINT_LESS : TINT_MORE;
}

/* The shade shows the ratio of the larger to the smaller, because the width already shows the
 * size. */
u32 diff_shade(const struct diff_change *c)
{
	static const double limits[TINT_SHADES - 1] = { 1.1, 1.25, 1.5, 2, 4 };
	double less = c->before < c->after ? c->before : c->after;
	double more = c->before < c->after ? c->after : c->before;
	u32 shade = 0;

	while (shade < TINT_SHADES - 1 && more >= limits[shade] * less)
		shade++;
	return shade;
}

static void add_unit(struct str *out, const struct diff *d)
{
	str_addf(out, " %s", diff_unit(d, d->opts.basis));
}

void diff_add_mark(struct str *out, const struct diff *d, const struct diff_change *c)
{
	if (diff_tint(c) == TINT_EVEN)
		return;
	if (d->opts.basis == DIFF_SHARE) {
		str_addf(out, "%+.1f points", c->by * 100);
		return;
	}
	diff_add_number(out, d, d->opts.basis, c->by, true);
	add_unit(out, d);
}

void diff_add_tip(struct str *out, const struct diff *d, const struct flame_box *box,
		  const struct diff_change *c)
{
	units_add_total(out, &d->run, box->value);
	str_addf(out, " %s; from ", diff_side_names[d->opts.by_before ? DIFF_BEFORE : DIFF_AFTER]);
	diff_add_number(out, d, d->opts.basis, c->before, false);
	str_adds(out, " to ");
	diff_add_number(out, d, d->opts.basis, c->after, false);
	add_unit(out, d);
	str_adds(out, ": ");
	diff_add_number(out, d, d->opts.basis, c->by, true);
	if (d->opts.basis == DIFF_SHARE)
		str_adds(out, " points");
	else
		add_unit(out, d);
	if (c->verdict == DIFF_UNCERTAIN) {
		str_adds(out, box->other ? "" : d->opts.by_before ? ", gone" : ", new");
		return;
	}
	str_addf(out, ", %s %% interval ", d->opts.level);
	diff_add_number(out, d, d->opts.basis, c->low, true);
	str_adds(out, " to ");
	diff_add_number(out, d, d->opts.basis, c->high, true);
	str_adds(out, c->verdict == DIFF_NOISE ? ", may be chance" : "");
	str_adds(out, box->other ? "" : d->opts.by_before ? ", gone" : ", new");
}
