/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Limits on the cost of symbolization.  Files are untrusted: each loop over a file's contents asks
 * a meter whether it may continue, and ends if not.  Meters form a chain: work on a file is also
 * charged to the report that needs it.  Knows clocks and counts; must not know files.
 *
 *	struct meter report = { .max_cpu_ns = 2 * NS_PER_SEC, .stop = stop };
 *	struct meter file = { .up = &report, .max_bytes = 1 << 30 };
 *
 *	meter_begin(&report);
 *	meter_begin(&file);
 *	while (meter_read(&file, sizeof(chunk)) && pread(...))
 *		...
 *	if (file.over)		the answer is not whole
 */
#ifndef SYM_METER_H
#define SYM_METER_H

#include "base/types.h"

enum meter_over {
	METER_GOES_ON,
	METER_STOPPED, /* *stop became true */
	METER_LATE,    /* the deadline has passed */
	METER_CPU,
	METER_BYTES,
	METER_READS,
	METER_KEPT,
	METER_ABOVE, /* the parent meter is over */
};

/* Limits of 0 mean no limit.  Set the limits, then call meter_begin(). */
struct meter {
	struct meter *up; /* the parent, charged too; borrowed; NULL: none */
	u64 max_cpu_ns;	  /* CPU time of this thread */
	u64 max_bytes, max_reads;
	u64 max_kept;		   /* bytes */
	u64 deadline_ns;	   /* CLOCK_MONOTONIC */
	const volatile bool *stop; /* NULL: cannot be stopped */
	u64 cpu_ns, bytes, reads;  /* spent so far; cpu_ns as of the last reading of the clock */
	u64 kept;
	u64 cpu_began_ns;     /* the thread's CPU clock when cpu_ns was 0 */
	u32 unlooked;	      /* work since the last reading of the clock */
	enum meter_over over; /* why it is over, valid until meter_begin() */
	bool is_refused;      /* some work was left out because it would have cost too much */
};

/* Begin, or continue with the amounts spent so far: CPU time in between is not counted. */
void meter_begin(struct meter *m);

/* May one call read `n` bytes?  Charges them.  A NULL meter always permits it. */
bool meter_read(struct meter *m, u64 n);

/* May `n` more cheap steps (a comparison, a line) be done?  Charges them. */
bool meter_step(struct meter *m, u64 n);

/* `n` bytes of the data will be kept in memory.  Returns false if that is too much. */
bool meter_keep(struct meter *m, u64 n);

/* Note that part of the work is left out because it would cost too much; the rest continues. */
void meter_refuse(struct meter *m);

/* Is the meter over?  Checks `stop` and the deadline now. */
bool meter_is_over(struct meter *m);

#endif
