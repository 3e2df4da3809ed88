/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Single samples counted by stack and bin of time. */
#ifndef MODEL_TIMELINE_H
#define MODEL_TIMELINE_H

#include "model/report.h"

#define TIMELINE_BIN_NS	    (50 * NS_PER_MS)
#define TIMELINE_PER_SECOND ((u32)(NS_PER_SEC / TIMELINE_BIN_NS))

struct timeline_bin {
	u32 row; /* index into the merged rows */
	u32 bin; /* bin i begins i * TIMELINE_BIN_NS after the start of the run */
	u64 n;	 /* samples */
};

struct timeline {
	VEC(struct timeline_bin) bins; /* by row, then by time; none is empty */
};

/* Count the report's samples by the rows that they were merged into. */
void timeline_make(const struct report *r, const struct merged *m, struct timeline *out);
void timeline_release(struct timeline *t);

#endif
