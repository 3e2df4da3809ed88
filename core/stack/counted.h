/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Occurrences by stack (bpf/stack_count.bpf.h) as what collect collects. */
#ifndef STACK_COUNTED_H
#define STACK_COUNTED_H

#include "stack/collect.h"

struct counted {
	struct collect *c;
	u32 *window; /* the kernel's */
	u32 parities;
	u64 n_unknown; /* occurrences of stacks that never came */
};

/* Its ctx is a struct counted with `c` and `window` set. */
extern const struct collect_source counted_source;

#endif
