/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trace --max-overhead: ends a run that costs the host too much.
 *
 * The kernel's statistics of BPF programs tell what they cost, and make every program of the host
 * slower while they are on: some 20 ns per run.  So they are on for a tenth of the time, a tick of
 * each second, and what was seen then stands for that second.
 */
#ifndef PROBE_OVERHEAD_H
#define PROBE_OVERHEAD_H

#include "base/err.h"
#include "base/types.h"
#include "probe/load.h"

/* The option's value. */
struct overhead_limit {
	bool is_given;
	u32 percent; /* of one CPU; 0: no limit */
};

/* For an option row: a number, 0 or "off". */
int overhead_parse(void *limit, const char *text, struct err *err);

/*
 * Without the option, runs of the whole host end when they take so much of each CPU, on average
 * over OVERHEAD_SECONDS.  One thread in a loop of system calls, and what trace takes to write its
 * events to a file, come to less than two CPUs: that ends a run of more than ten seconds on a host
 * of two CPUs, which has nothing left then, and none on one of four.
 */
#define OVERHEAD_PER_CPU 50
#define OVERHEAD_SECONDS 10

struct overhead {
	u32 percent;	   /* 0: nothing is watched */
	u64 window_ns;	   /* what the limit is an average of */
	int stats_fd;	   /* -1: statistics are off */
	u64 tick;	   /* how many there were */
	u64 slice_ns;	   /* since when statistics are on */
	u64 slice_cost_ns; /* of the probes by then */
	u64 begin_ns;	   /* of the second; 0: there was none yet */
	u64 own_ns;	   /* CPU time of bperf by then */
	u64 share;	   /* of a CPU that the probes took in the last slice: parts in 1024 */
	u64 sum_ns, sum_cost_ns; /* of the window */
};

/* Fails where a limit was asked for and the kernel does not tell what programs cost; the default is
 * not watched then. */
int overhead_init(struct overhead *o, const struct overhead_limit *limit, const struct probes *p,
		  struct err *err);
/* Ten times a second.  True: the run is to end, which was said. */
bool overhead_tick(struct overhead *o, const struct probes *p, u64 now);
void overhead_release(struct overhead *o);

#endif
