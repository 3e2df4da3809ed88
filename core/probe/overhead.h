/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trace --max-overhead: ends a run that costs the host too much.
 *
 * The kernel's statistics of BPF programs show their cost, but make every program on the host
 * slower while they are enabled, by some 20 ns per run.  They are therefore enabled for a tenth of
 * the time, one tick of each second, and the result is assumed for the whole second.
 */
#ifndef PROBE_OVERHEAD_H
#define PROBE_OVERHEAD_H

#include "base/err.h"
#include "base/types.h"
#include "probe/probes.h"

/* The option's value. */
struct overhead_limit {
	bool is_given;
	u32 percent; /* the share of one CPU; 0: no limit */
};

/* Parser for the option: a number, 0 or "off". */
int overhead_parse(void *limit, const char *text, struct err *err);

/*
 * Without the option, runs on the whole host end when they use this much of each CPU, on average
 * over OVERHEAD_SECONDS.  One thread in a loop of system calls, together with trace writing its
 * events to a file, uses less than two CPUs: a host with two CPUs then has no time left, and the
 * run ends after ten seconds, but not on a host with four.
 */
#define OVERHEAD_PER_CPU 50
#define OVERHEAD_SECONDS 10

struct overhead {
	u32 percent;		 /* 0: nothing is measured */
	u64 window_ns;		 /* the time that the limit is averaged over */
	int stats_fd;		 /* -1: statistics are disabled */
	u64 tick;		 /* number of ticks so far */
	u64 slice_ns;		 /* when statistics were enabled */
	u64 slice_cost_ns;	 /* cost of the probes at slice_ns */
	u64 begin_ns;		 /* start of the current second; 0: none yet */
	u64 own_ns;		 /* CPU time of bperf at begin_ns */
	u64 share;		 /* the probes' share of a CPU in the last slice, in 1/1024 */
	u64 sum_ns, sum_cost_ns; /* sums over the window */
};

/* Fails if a limit was requested and the kernel does not report the cost of programs; in that case,
 * the default limit is not enforced. */
int overhead_init(struct overhead *o, const struct overhead_limit *limit, const struct probes *p,
		  struct err *err);
/* Called ten times a second.  Returns true if the run must end, after printing the reason. */
bool overhead_tick(struct overhead *o, const struct probes *p, u64 now);
void overhead_release(struct overhead *o);

#endif
