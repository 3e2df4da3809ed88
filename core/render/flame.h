/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The layout of a flame graph: turns stacks into boxes.  Must not know colors or pixels. */
#ifndef RENDER_FLAME_H
#define RENDER_FLAME_H

#include "model/timeline.h"
#include "render/stackpath.h"

/* All steps with the same path from the root; left, value and other are in the report's unit. */
struct flame_box {
	struct step step;
	u32 depth; /* 0: the root box */
	u64 left, value;
	u64 other; /* differences: its value on the side that is not drawn; where the share of time
		      off the CPU is shown, that time */
	struct ratio ratio; /* if the report has ratios */
};

struct flame {
	VEC(struct flame_box) boxes; /* by depth, then from left to right */
	u64 total;
	size_t n_stacks;
	u32 n_levels;
	size_t n_dropped; /* boxes narrower than min_value */
	size_t n_other;	  /* boxes with a value on the other side, or of the second event, only */
	/* Where the report has single samples: the values of the stacks from left to right, and the
	 * samples of each over time. */
	VEC(u64) values;
	struct timeline timeline;
};

/* Siblings are in the order of their names.  Boxes that are below min_value or have no value are
 * counted, but not kept. */
void flame_layout(const struct report *r, bool delimited, u64 min_value, struct flame *out);
void flame_release(struct flame *f);

#endif
