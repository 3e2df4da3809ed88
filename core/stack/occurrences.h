/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A collect_source for occurrences by stack (bpf/stack_count.bpf.h). */
#ifndef STACK_OCCURRENCES_H
#define STACK_OCCURRENCES_H

#include "stack/collect.h"
#include "stack/samples.h"
#include "stack/weights.h"

struct occurrences {
	struct collect *c;
	u32 *window; /* window number in the kernel's .bss */
	u32 parities;
	u64 n_unknown; /* occurrences whose stack was lost */
	struct samples samples;
	struct weights weights; /* with a second event */
};

/* Its ctx is a struct occurrences, in which `c` and `window` must be set, and for a second event
 * weights.first_period and .second_period. */
extern const struct collect_source occurrence_source;

#endif
