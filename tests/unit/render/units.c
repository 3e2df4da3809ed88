// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "render/units.h"
#include "render/summary.h"
#include "render/textwriter.h"

#include "test.h"

#include <math.h>

TEST(rounded_rows_sum_to_the_rounded_total)
{
	static const u64 values[] = { 1999, 1500, 1500, 999, 501, 500, 499, 1, 0 };
	struct stack_row rows[ARRAY_SIZE(values)] = { 0 };

	for (size_t n = 1; n <= ARRAY_SIZE(values); n++) {
		u64 exact = 0, shown = 0, *out;

		for (size_t i = 0; i < n; i++)
			rows[i].value = values[i];
		out = units_round(rows, n, 1000);
		for (size_t i = 0; i < n; i++) {
			exact += values[i];
			shown += out[i];
			CHECK(out[i] == values[i] / 1000 || out[i] == values[i] / 1000 + 1);
		}
		CHECK_U64(shown, (exact + 500) / 1000);
		free(out);
	}
}

/* "lost" alarms, so what some hosts never report is not in it. */
TEST(missed_is_not_lost)
{
	struct ledger l = { .lost = { [LOST_missed] = 1 } };
	struct str text = { 0 };

	about_losses(&text, &l);
	CHECK_STR(str_text(&text), "lost: none; missed: 1 event not reported by the kernel");
	l.lost[LOST_missed] = 1200;
	l.lost[LOST_ring_full] = 3;
	str_clear(&text);
	about_losses(&text, &l);
	CHECK_STR(str_text(&text), "lost: 3 not sent: ring buffer full; "
				   "missed: 1,200 events not reported by the kernel");
	str_release(&text);
}

/* Rows, their means and the totals of one report. */
TEST(text_has_one_unit)
{
	const struct run_info run = { .unit = UNIT_NS };
	struct render_opts opts = { 0 };
	struct unit_info unit = units_shown(&run, &opts);
	struct str text = { 0 };

	CHECK_STR(unit.name, "ms");
	units_add_value(&text, unit, 6000000000ULL / unit.divisor);
	CHECK_STR(str_text(&text), "6000.000");
	str_clear(&text);
	units_add_time_in(&text, unit, 6000000499ULL);
	CHECK_STR(str_text(&text), "6,000.000 ms");
	opts.unit = "s";
	unit = units_shown(&run, &opts);
	str_clear(&text);
	units_add_time_in(&text, unit, 6000000499ULL);
	CHECK_STR(str_text(&text), "6 s");
	str_release(&text);
}

TEST(the_largest_remainder_gets_the_missing_unit)
{
	struct stack_row rows[] = { { .value = 1400 }, { .value = 1600 }, { .value = 1000 } };
	u64 *out = units_round(rows, 3, 1000);

	CHECK_U64(out[0], 1);
	CHECK_U64(out[1], 2);
	CHECK_U64(out[2], 1);
	free(out);
}

TEST(errors_are_rounded_up)
{
	const struct stack_row none = { .variance = 0 }, tiny = { .variance = 1e-6 };
	const struct stack_row us = { .variance = 3000.0 * 3000.0 };
	const struct stack_row year = { .variance = 3e16 * 3e16 };

	CHECK_U64(units_error(&none, 1000), 0);
	CHECK_U64(units_error(&tiny, 1000), 1);
	CHECK_U64(units_error(&us, 1000), 3);
	CHECK_U64(units_error(&us, 1), 3000);
	CHECK_U64(units_error(&us, 1000000), 1);
	CHECK(units_error(&year, 1000) >= 30000000000000ULL &&
	      units_error(&year, 1000) <= 30000000000001ULL);
}

TEST(units_are_those_asked_for)
{
	const struct run_info waits = { .unit = UNIT_NS }, counts = { .unit = UNIT_SAMPLES };
	struct render_opts opts = { 0 };

	CHECK_STR(units_of(&waits, &opts).name, "us");
	CHECK_U64(units_of(&waits, &opts).divisor, 1000);
	opts.unit = "ms";
	CHECK_U64(units_of(&waits, &opts).divisor, 1000000);
	CHECK_U64(units_of(&counts, &opts).divisor, 1);
}

TEST(totals_are_readable)
{
	const struct run_info waits = { .unit = UNIT_NS }, counts = { .unit = UNIT_SAMPLES };
	struct str out = { 0 };

	units_add_total(&out, &counts, 1);
	str_adds(&out, " ");
	units_add_total(&out, &counts, 1234567);
	str_adds(&out, " ");
	units_add_total(&out, &waits, 12345678901ULL);
	str_adds(&out, " ");
	units_add_total(&out, &waits, 9900);
	CHECK_STR(str_text(&out), "1 sample 1,234,567 samples 12.345 s 9.900 us");
	str_release(&out);
}

TEST(whole_numbers_have_no_decimals)
{
	static const double values[] = { 0, -0.5, 3, -7, 2.0004, 0x1p53, -0x1p64 };
	struct str out = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		units_add_real(&out, values[i]);
		str_addc(&out, ' ');
	}
	CHECK_STR(str_text(&out), "0 -0.500 3 -7 2.000 9007199254740992 -18446744073709551616 ");
	str_clear(&out);
	units_add_real(&out, 1e300);
	CHECK(strlen(str_text(&out)) == 301 && !strchr(str_text(&out), '.'));
	str_clear(&out);
	units_add_real(&out, (double)INFINITY);
	units_add_real(&out, (double)NAN);
	CHECK_STR(str_text(&out), "--");
	str_release(&out);
}
