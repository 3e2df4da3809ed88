/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What argdist's cells hold: how compiled probes put values into them, how user space reads them.
 * All start as zeros, grow only, and add up over CPUs (least and greatest: the greater wins).
 */
#ifndef BPF_ABI_CELLS_H
#define BPF_ABI_CELLS_H

#ifndef __bpf__
#include <linux/types.h>
#endif

/*
 * Log2: 129 buckets.  64 is the value 0, 65 + k holds 2^k to 2^(k+1) - 1, 63 - k the same of
 * negative values.
 */
#define CELL_LOG2_ZERO 64
#define CELL_LOG2_N    129

/*
 * Log-linear, for percentiles: magnitudes below 8 have a bucket each, every power of two above has
 * eight.  A bucket's middle is at most 1/16 off.  Negative values have the same buckets behind.
 */
#define CELL_STATS_HALF 496
#define CELL_STATS_N	(2 * CELL_STATS_HALF)

/*
 * Extremes are kept so that 0 means none: greatest is that of cell_order(value), least that of
 * ~cell_order(value).
 */
struct cell_stats {
	__u64 count;
	__u64 sum;
	__u64 least, greatest;
	__u64 buckets[CELL_STATS_N];
};

struct cell_pair {
	__u64 count;
	__u64 value; /* sum; or least, greatest as above */
};

/* An unsigned number whose order is that of values; its own inverse. */
static inline __u64 cell_order(__u64 value, int is_signed)
{
	return is_signed ? value ^ 1ULL << 63 : value;
}

/* The least magnitude of a log-linear bucket (below CELL_STATS_HALF), and how many it holds. */
static inline __u64 cell_stats_from(unsigned int bucket)
{
	return bucket < 8 ? bucket : (8ULL + bucket % 8) << (bucket / 8 - 1);
}

static inline __u64 cell_stats_width(unsigned int bucket)
{
	return bucket < 8 ? 1 : 1ULL << (bucket / 8 - 1);
}

#endif
