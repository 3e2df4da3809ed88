/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers in output: units, rounding that loses no time, percentages. */
#ifndef RENDER_UNITS_H
#define RENDER_UNITS_H

#include "base/str.h"
#include "model/report.h"
#include "render/render.h"

struct unit_info {
	const char *name;  /* "us"; "samples" for counts */
	u64 divisor;	   /* report values per unit; per thousandth of it if it has decimals */
	bool has_decimals; /* values are thousandths of the unit */
};

/* The unit of the run's values, as requested by --unit; the default for times is us. */
struct unit_info units_of(const struct run_info *run, const struct render_opts *opts);

/* The unit of text for people: milliseconds with three decimals, to the microsecond as the other
 * formats, unless --unit requests another one.  A report, its means and its ledger share it. */
struct unit_info units_shown(const struct run_info *run, const struct render_opts *opts);

/* "131.331" or "131": a value that was divided by the divisor. */
void units_add_value(struct str *out, struct unit_info unit, u64 value);

/*
 * Convert values to the unit so that they sum to the rounded total: round all of them down, then
 * give the missing units to the largest remainders.
 */
void units_share(u64 *values, size_t n, u64 divisor);
/* The values of the rows, converted by units_share; the caller frees them. */
u64 *units_round(const struct stack_row *rows, size_t n, u64 divisor);

/* The standard error of a row in the unit, rounded up; 0 if nothing was left out. */
u64 units_error(const struct stack_row *row, u64 divisor);

/* Does the event count the nanoseconds of a clock? */
bool units_is_clock(const char *event);

/* 0 if `whole` is 0. */
double units_percent(u64 part, u64 whole);

/* "1,204" */
void units_add_grouped(struct str *out, u64 v);

/* A computed number: "2345" if it is whole, or else "0.125"; "-" if it is none (NAN, INFINITY). */
void units_add_real(struct str *out, double value);

/* "12.345 s", "9.900 us": three decimals, in the largest unit in which the number is at least 1. */
void units_add_time(struct str *out, u64 ns);

/* "12,345.678 ms": a time in the unit. */
void units_add_time_in(struct str *out, struct unit_info unit, u64 ns);

/* "1,204 samples", "12.345 s", "9.900 us" */
void units_add_total(struct str *out, const struct run_info *run, u64 value);

#endif
