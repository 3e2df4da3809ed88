/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Events of a second kind for each event of the first (profile --ratio): instructions per cycle,
 * page faults per second of CPU time.  Both are sampled, so that the ratio of a function has a
 * confidence interval.
 */
#ifndef MODEL_RATIO_H
#define MODEL_RATIO_H

#include "base/types.h"

/* Samples of an event, and the events for which they stand. */
struct event_sum {
	u64 n;		/* samples */
	u64 events;	/* sum of their periods */
	double squares; /* sum of the squares of their periods, which is the variance of `events` */
};

struct ratio {
	struct event_sum first, second; /* the ratio is second / first */
};

/* How a part's ratio compares with that of the whole. */
enum ratio_verdict {
	RATIO_UNKNOWN, /* there are too few samples to tell */
	RATIO_NEAR,    /* it is known well, and may be that of the whole */
	RATIO_LESS,    /* by more than chance */
	RATIO_MORE,
	RATIO_N_VERDICTS,
};

extern const char *const ratio_verdict_names[RATIO_N_VERDICTS]; /* as in JSON */

struct ratio_value {
	bool is_defined;      /* false: no sample of the first event; the others are 0 */
	double at, low, high; /* low and high: the interval at 95 % */
	bool has_high;	      /* false: `high` is not known, because there are no second events */
	enum ratio_verdict verdict;
};

void ratio_add(struct ratio *sum, const struct ratio *r);

/* The ratio of a part of `whole`. */
struct ratio_value ratio_value(const struct ratio *part, const struct ratio *whole);

#endif
