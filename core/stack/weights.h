/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The numbers of events for which samples stand, where two events are sampled.  An event that is
 * sampled at a rate has a period that varies from sample to sample: the kernel side then sends each
 * sample, and they are added up here until the window in which they were counted is reported.
 */
#ifndef STACK_WEIGHTS_H
#define STACK_WEIGHTS_H

#include "stack/store.h"

/* An entry's samples by window parity. */
struct entry_weights {
	struct event_sum sums[2];
};

struct weights {
	u64 first_period, second_period;   /* 0: it varies */
	VEC(struct entry_weights) entries; /* by index in the store, as far as they were needed */
};

/* Add a sample whose stack has arrived. */
void weights_add(struct weights *w, struct store *store, const struct stack_sample *sample);

/* After store_forget(): the new index of each entry. */
void weights_move(struct weights *w, const u32 *to);

/* Give each row of a report its ratio, and make its count that of the first event.  view->rows:
 * from store_report(), with n_entries.  Returns the number of samples whose period was lost. */
u64 weights_report(struct weights *w, const struct store_view *view, size_t n_entries,
		   struct report *out);

void weights_release(struct weights *w);

#endif
