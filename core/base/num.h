/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Text to numbers, the only place where it is done: the whole string or an error, in range, a
 * sentence when not.  Nobody else calls strtol.
 */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include "base/err.h"
#include "base/types.h"
#include "base/view.h"

/* `what` names the number in messages ("--frequency").  0x is accepted. */
int num_u64(const char *text, u64 min, u64 max, const char *what, u64 *out, struct err *err);

/* "1.5", "250ms", "90s", "2m", "1h", "10us": nanoseconds.  Without a unit, `unit_ns` is it. */
int num_duration(const char *text, u64 unit_ns, u64 min_ns, u64 max_ns, const char *what, u64 *out,
		 struct err *err);

/* Silent forms for parsers of files: false when the view isn't a number to its end. */
/* "64M": K, M and G are powers of 1024, and without one of them it is bytes. */
int num_bytes(const char *text, u64 min, u64 max, const char *what, u64 *out, struct err *err);

bool num_parse_dec(struct view v, u64 *out);
bool num_parse_hex(struct view v, u64 *out); /* with or without 0x */

/* "0-3,8,10-11" as in /sys/devices/system/cpu/online: calls add for each, at most max_n times.
 * Returns how many, or -code. */
int num_ranges(const char *text, u64 max, const char *what, void (*add)(void *ctx, u64 v),
	       void *ctx, struct err *err);

#endif
