/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All conversions of text to numbers: the whole string must be a number in range, otherwise the
 * error is a full sentence.  Nothing else calls strtol.
 */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include "base/err.h"
#include "base/types.h"
#include "base/view.h"

/* `what` names the number in messages ("--frequency").  0x is accepted. */
int num_u64(const char *text, u64 min, u64 max, const char *what, u64 *out, struct err *err);

/* "1.5", "250ms", "90s", "2m", "1h", "10us", in nanoseconds.  A number without a unit is multiplied
 * by `unit_ns`. */
int num_duration(const char *text, u64 unit_ns, u64 min_ns, u64 max_ns, const char *what, u64 *out,
		 struct err *err);

/* "64M": K, M and G are powers of 1024; a number without a unit is in bytes. */
int num_bytes(const char *text, u64 min, u64 max, const char *what, u64 *out, struct err *err);

/* Without messages, for parsers of files: false unless the whole view is a number. */
bool num_parse_dec(struct view v, u64 *out);
bool num_parse_hex(struct view v, u64 *out); /* with or without 0x */

/* "0-3,8,10-11" as in /sys/devices/system/cpu/online: calls add for each number.  Returns how many
 * there are, or -code. */
int num_ranges(const char *text, u64 max, const char *what, void (*add)(void *ctx, u64 v),
	       void *ctx, struct err *err);

/* The smallest power of two from `least` (one itself) on that is at least `want`; `most` (one, too)
 * if that is smaller. */
static inline u64 num_power_of_two(u64 want, u64 least, u64 most)
{
	while (least < want && least < most)
		least *= 2;
	return least;
}

#endif
