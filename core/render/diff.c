// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/diff.h"

#include "render/summary.h"
#include "render/units.h"

const char *const diff_side_names[DIFF_N_SIDES] = { "before", "after" };

const char *diff_status(const struct diff_sum sum[DIFF_N_SIDES])
{
	if (!sum[DIFF_BEFORE].value)
		return "new";
	return sum[DIFF_AFTER].value ? NULL : "gone";
}

void diff_add_side(struct str *out, const struct diff *d, enum diff_when when)
{
	const struct diff_side *side = &d->side[when];
	const struct report *r = side->report;

	units_add_total(out, &d->run, r->total);
	about_apart(out, NULL, r->whole.value, r->total, r->left_ns);
	if (side->seconds > 0) {
		str_adds(out, ", watched for ");
		units_add_time(out, r->end_ns - r->start_ns);
	}
	if (r->run->event) {
		str_adds(out, ", ");
		about_event(out, r->run);
	}
	if (r->run->host && r->run->host[0]) {
		str_adds(out, ", ");
		about_host(out, r->run);
	}
	str_adds(out, "; ");
	if (side->is_unaccounted && !ledger_total(&r->ledger))
		str_adds(out, "lost: not known");
	else
		about_losses(out, &r->ledger);
}

/* Rates and values differ by orders of magnitude. */
static int decimals_of(double v)
{
	double size = v < 0 ? -v : v;

	if (size >= 1000)
		return 0;
	if (size >= 100)
		return 1;
	return size >= 1 ? 2 : 3;
}

/* A number that rounds to 0 has no minus sign. */
static void add_decimal(struct str *out, double v, int decimals, bool has_sign)
{
	static const double halves[] = { 0.5, 0.05, 0.005, 0.0005 };

	if (v < 0 && -v < halves[decimals])
		v = 0;
	str_addf(out, has_sign ? "%+.*f" : "%.*f", decimals, v);
}

void diff_add_number(struct str *out, const struct diff *d, enum diff_basis basis, double v,
		     bool has_sign)
{
	int decimals = 2;

	if (basis == DIFF_SHARE)
		v *= 100;
	else if (d->run.unit == UNIT_NS)
		v /= basis == DIFF_PER_SECOND ? NS_PER_MS : NS_PER_US;
	if (basis == DIFF_ABSOLUTE)
		decimals = 0;
	else if (basis == DIFF_PER_SECOND)
		decimals = decimals_of(v);
	add_decimal(out, v, decimals, has_sign);
}

const char *diff_unit(const struct diff *d, enum diff_basis basis)
{
	bool is_time = d->run.unit == UNIT_NS;

	switch (basis) {
	case DIFF_SHARE:
		return "%";
	case DIFF_PER_SECOND:
		return is_time ? "ms per second" : "per second";
	default:
		return is_time ? "us" : d->run.value_name;
	}
}
