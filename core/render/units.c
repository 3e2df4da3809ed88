// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/root.h"

static const struct unit_info times[] = {
	{ .name = "us", .divisor = NS_PER_US },
	{ .name = "ms", .divisor = NS_PER_MS },
	{ .name = "s", .divisor = NS_PER_SEC },
	{ .name = "ns", .divisor = 1 },
};

struct unit_info units_of(const struct run_info *run, const struct render_opts *opts)
{
	if (run->unit == UNIT_SAMPLES)
		return (struct unit_info){ .name = "samples", .divisor = 1 };
	if (run->unit == UNIT_EVENTS)
		return (struct unit_info){ .name = "events", .divisor = 1 };
	if (run->unit == UNIT_VALUES)
		return (struct unit_info){ .name = "values", .divisor = 1 };
	if (run->unit == UNIT_THREADS)
		return (struct unit_info){ .name = "threads", .divisor = 1 };
	for (size_t i = 0; opts->unit && i < ARRAY_SIZE(times); i++)
		if (!strcmp(times[i].name, opts->unit))
			return times[i];
	return times[0];
}

struct unit_info units_shown(const struct run_info *run, const struct render_opts *opts)
{
	if (run->unit == UNIT_NS && !opts->unit)
		return (struct unit_info){ "ms", NS_PER_US, .has_decimals = true };
	return units_of(run, opts);
}

void units_add_value(struct str *out, struct unit_info unit, u64 value)
{
	if (unit.has_decimals)
		str_addf(out, "%llu.%03llu", value / 1000, value % 1000);
	else
		str_addf(out, "%llu", value);
}

struct remainder {
	u32 rest; /* less than the divisor, which is at most 10^9 */
	u32 row;
};

static int remainder_cmp(const void *a, const void *b)
{
	const struct remainder *x = a, *y = b;

	if (x->rest != y->rest)
		return x->rest < y->rest ? 1 : -1;
	return (x->row > y->row) - (x->row < y->row);
}

/* At least `missing` rows have a remainder, because the sum of the remainders is at least `missing`
 * units, minus half a unit. */
static void give_missing(u64 *out, struct remainder *rests, size_t n, u64 missing)
{
	qsort(rests, n, sizeof(*rests), remainder_cmp);
	for (size_t i = 0; i < n && i < missing; i++)
		out[rests[i].row]++;
}

void units_share(u64 *values, size_t n, u64 divisor)
{
	struct remainder *rests;
	u64 rest = 0;

	if (divisor == 1)
		return;
	rests = mem_alloc(n + 1, sizeof(*rests));
	for (size_t i = 0; i < n; i++) {
		rests[i] = (struct remainder){ (u32)(values[i] % divisor), (u32)i };
		rest += rests[i].rest;
		values[i] /= divisor;
	}
	if (rest)
		give_missing(values, rests, n, rest / divisor + (rest % divisor * 2 >= divisor));
	free(rests);
}

u64 *units_round(const struct stack_row *rows, size_t n, u64 divisor)
{
	u64 *out = mem_alloc(n + 1, sizeof(*out));

	for (size_t i = 0; i < n; i++)
		out[i] = rows[i].value;
	units_share(out, n, divisor);
	return out;
}

u64 units_error(const struct stack_row *row, u64 divisor)
{
	double error;

	if (row->variance <= 0)
		return 0;
	error = (row->variance > 1 ? square_root(row->variance) : 1) / (double)divisor;
	return (u64)error + (error > (double)(u64)error);
}

bool units_is_clock(const char *event)
{
	return !strcmp(event, "cpu-clock") || !strcmp(event, "task-clock");
}

double units_percent(u64 part, u64 whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/*
 * Doubles from 2^53 on are whole.  trunc() would need libm, which we do not link; gcc replaces the
 * call by instructions, clang does not.
 */
static bool is_whole(double value)
{
	return fabs(value) >= (double)(1ULL << 53) || value == (double)(s64)value;
}

void units_add_real(struct str *out, double value)
{
	if (isfinite(value))
		str_addf(out, is_whole(value) ? "%.0f" : "%.3f", value);
	else
		str_addc(out, '-');
}

void units_add_grouped(struct str *out, u64 v)
{
	if (v >= 1000) {
		units_add_grouped(out, v / 1000);
		str_addf(out, ",%03llu", v % 1000);
		return;
	}
	str_addf(out, "%llu", v);
}

void units_add_time(struct str *out, u64 ns)
{
	static const struct unit_info scales[] = {
		{ .name = "s", .divisor = NS_PER_SEC },
		{ .name = "ms", .divisor = NS_PER_MS },
		{ .name = "us", .divisor = NS_PER_US },
	};
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(scales) && ns < scales[i].divisor)
		i++;
	str_addf(out, "%llu.%03llu %s", ns / scales[i].divisor,
		 ns % scales[i].divisor / (scales[i].divisor / 1000), scales[i].name);
}

void units_add_time_in(struct str *out, struct unit_info unit, u64 ns)
{
	u64 value = (ns + unit.divisor / 2) / unit.divisor;

	units_add_grouped(out, unit.has_decimals ? value / 1000 : value);
	if (unit.has_decimals)
		str_addf(out, ".%03llu", value % 1000);
	str_addf(out, " %s", unit.name);
}

void units_add_total(struct str *out, const struct run_info *run, u64 value)
{
	if (run->unit == UNIT_NS) {
		units_add_time(out, value);
		return;
	}
	units_add_grouped(out, value);
	if (run->unit == UNIT_VALUES) {
		str_addf(out, " of %s", run->value_name);
		return;
	}
	str_adds(out, run->unit == UNIT_EVENTS	  ? " event"
		      : run->unit == UNIT_THREADS ? " thread"
						  : " sample");
	if (value != 1)
		str_addc(out, 's');
}
