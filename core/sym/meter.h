/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What reading names may cost.  Files are other people's: each loop over what one says asks a
 * meter whether it may go on, and ends where it may not.  Meters form a chain: the work on a file
 * is also charged to the report that it is done for.  Knows clocks and counts; must not know files.
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
	METER_ABOVE, /* the meter above is over */
};

/* Limits of 0 are none.  Set them, then meter_begin(). */
struct meter {
	struct meter *up; /* charged too, borrowed; NULL: none */
	u64 max_cpu_ns;	  /* of this thread */
	u64 max_bytes, max_reads;
	u64 max_kept;		   /* bytes */
	u64 deadline_ns;	   /* CLOCK_MONOTONIC */
	const volatile bool *stop; /* NULL: nobody can */
	u64 cpu_ns, bytes, reads;  /* spent; cpu_ns as of the last look at the clock */
	u64 kept;
	u64 cpu_began_ns;     /* the thread's clock when cpu_ns was 0 */
	u32 unlooked;	      /* work since the last look at the clock */
	enum meter_over over; /* why it is over, until meter_begin() */
	bool is_refused;      /* a part was left out that would have cost too much */
};

/* Begin, or go on with what was spent so far: CPU time in between is not counted. */
void meter_begin(struct meter *m);

/* May `n` bytes be read, by one call?  They are charged.  NULL: always. */
bool meter_read(struct meter *m, u64 n);

/* May `n` more cheap steps (a comparison, a line) be taken? */
bool meter_step(struct meter *m, u64 n);

/* `n` bytes of what was read stay in memory.  false: no more may. */
bool meter_keep(struct meter *m, u64 n);

/* A part of the work would cost more than it may and is left out; the rest goes on. */
void meter_refuse(struct meter *m);

/* Is it over?  Looks at `stop` and the deadline now. */
bool meter_is_over(struct meter *m);

#endif
