/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A run with many reports keeps what it needs for the next one, and no more.
 *
 * The kernel side sends a stack once, so user space may forget it only when the kernel side has
 * forgotten it first.  Stacks of one generation are known by ids that no later one has (struct
 * stack_record): when many have not been met for some reports, the generation moves on, all that
 * happen from then on are sent anew, and two reports later the numbers of the old ids are final.
 */
#ifndef STACK_RENEW_H
#define STACK_RENEW_H

#include "stack/collect.h"

/* From now on all stacks are sent anew. */
void collect_renew(struct collect *c, u64 now);

/* After a report that is no snapshot and not the last one. */
void collect_forget(struct collect *c);

#endif
