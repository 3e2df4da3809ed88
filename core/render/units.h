/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers for people and scripts: units, rounding that loses no time, percents. */
#ifndef RENDER_UNITS_H
#define RENDER_UNITS_H

#include "base/str.h"
#include "model/report.h"
#include "render/render.h"

struct unit_info {
	const char *name; /* "us"; "samples" for counts */
	u64 divisor;	  /* of the report's values */
};

/* What the run's values are shown in: as asked for with --unit, us for times by default. */
struct unit_info units_of(const struct run_info *run, const struct render_opts *opts);

/*
 * Values in the unit shown, so that they sum to the rounded total: all are rounded down, then the
 * largest remainders get what is missing.
 */
void units_share(u64 *values, size_t n, u64 divisor);
/* The rows' values so; caller frees. */
u64 *units_round(const struct stack_row *rows, size_t n, u64 divisor);

/* The standard error of a row, in the unit shown, rounded up; 0 where nothing was left out. */
u64 units_error(const struct stack_row *row, u64 divisor);

/* Of 0: 0. */
double units_percent(u64 part, u64 whole);

/* "1,204" */
void units_add_grouped(struct str *out, u64 v);

/* "12.345 s", "9.900 us": three decimals of the largest unit that the time fills. */
void units_add_time(struct str *out, u64 ns);

/* "1,204 samples", "12.345 s", "9.900 us" */
void units_add_total(struct str *out, const struct run_info *run, u64 value);

#endif
