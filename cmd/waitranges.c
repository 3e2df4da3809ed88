// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/waitranges.h"

u32 wait_ranges(const struct places *places, enum place_kind first, enum place_kind last,
		struct wait_range *out, u32 max)
{
	const struct place *p;
	u64 end = 0;
	u32 n = 0;

	for (u32 i = 0; i < max; i++)
		out[i] = (struct wait_range){ UINT64_MAX, UINT64_MAX };
	vec_for_each(p, &places->v) {
		if (p->kind < first || p->kind > last)
			continue;
		n += !n || end != p->start;
		end = p->end;
		if (n > max)
			continue;
		if (out[n - 1].start == UINT64_MAX)
			out[n - 1].start = p->start;
		out[n - 1].end = end;
	}
	return n;
}
