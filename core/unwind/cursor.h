/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads DWARF's numbers from untrusted bytes: never beyond the end, and remembers an attempt to do
 * so. */
#ifndef UNWIND_CURSOR_H
#define UNWIND_CURSOR_H

#include <string.h>

#include "base/types.h"

struct cursor {
	const u8 *p, *end;
	bool is_over; /* a read went beyond the end, and returned 0 */
};

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->p);
}

/* The next `n` bytes, little-endian as the machine is; n is at most 8. */
static inline u64 cursor_fixed(struct cursor *c, size_t n)
{
	u64 value = 0;

	if (cursor_left(c) < n) {
		c->is_over = true;
		c->p = c->end;
		return 0;
	}
	memcpy(&value, c->p, n);
	c->p += n;
	return value;
}

static inline s64 cursor_signed(struct cursor *c, size_t n)
{
	u32 unused = 64 - 8 * (u32)n;

	return (s64)(cursor_fixed(c, n) << unused) >> unused;
}

/* Bits beyond the 64th are dropped. */
static inline u64 cursor_uleb(struct cursor *c)
{
	u64 value = 0;

	for (u32 shift = 0; c->p < c->end; shift += 7) {
		u8 byte = *c->p++;

		if (shift < 64)
			value |= (u64)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	c->is_over = true;
	return 0;
}

static inline s64 cursor_sleb(struct cursor *c)
{
	u64 value = 0;
	u32 shift = 0;

	while (c->p < c->end) {
		u8 byte = *c->p++;

		if (shift < 64)
			value |= (u64)(byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		if (shift < 64 && (byte & 0x40))
			value |= ~0ULL << shift;
		return (s64)value;
	}
	c->is_over = true;
	return 0;
}

/* Cut off the next `n` bytes as a cursor of their own. */
static inline struct cursor cursor_take(struct cursor *c, u64 n)
{
	struct cursor part = { .p = c->p, .end = c->end };

	if (n > cursor_left(c)) {
		c->is_over = part.is_over = true;
		c->p = part.p = c->end;
	} else {
		c->p = part.end = c->p + n;
	}
	return part;
}

#endif
