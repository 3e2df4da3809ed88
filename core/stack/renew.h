/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Bounds the memory of runs with many reports.
 *
 * The kernel side sends a stack once, so user space may forget it only after the kernel side has.
 * Stack ids depend on a generation (struct stack_record).  When many stacks have not been met for
 * some reports, the generation is incremented, all stacks that occur from then on are sent again,
 * and two reports later the counters of the old ids are final.
 */
#ifndef STACK_RENEW_H
#define STACK_RENEW_H

#include "stack/collect.h"

/* From now on all stacks are sent again. */
void collect_renew(struct collect *c, u64 now);

/* After each report that is neither a snapshot nor the last one. */
void collect_forget(struct collect *c);

#endif
