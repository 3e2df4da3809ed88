/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Single samples with their time, from the ring to the report.  They are kept until the window in
 * which the kernel side counted them has been reported.
 */
#ifndef STACK_SAMPLES_H
#define STACK_SAMPLES_H

#include "stack/store.h"

struct kept_sample {
	u64 time_ns; /* CLOCK_MONOTONIC */
	u32 entry;   /* index in the store */
	u32 pid, tid, cpu;
	u32 window; /* in which it was counted */
};

struct samples {
	VEC(struct kept_sample) kept;
	bool is_full; /* memory was short: this report lacks some */
};

/* Keep a sample whose stack has arrived; without room for it, it is only counted. */
void samples_add(struct samples *s, struct store *store, const struct stack_sample *sample);

/* After store_forget(): the new index of each entry. */
void samples_move(struct samples *s, const u32 *to);

/* Give the samples of a report's windows to it, ordered by time.  rows: from store_report();
 * start_ns: of the run.  They are forgotten unless it is a snapshot. */
void samples_report(struct samples *s, const struct store_view *view, u64 start_ns,
		    struct report *out);

void samples_release(struct samples *s);

#endif
