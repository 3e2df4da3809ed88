/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * argdist's cells: how compiled probes store values in them, and how user space reads them.  All
 * start at zero, only grow, and are added up over CPUs (for `least` and `greatest`, the greater
 * value wins).
 */
#ifndef BPF_ABI_CELLS_H
#define BPF_ABI_CELLS_H

#ifndef __bpf__
#include <linux/types.h>
#endif

/*
 * Log2: 129 buckets.  Bucket 64 holds the value 0, bucket 65 + k holds 2^k to 2^(k+1) - 1, and
 * bucket 63 - k holds the same range of negative values.
 */
#define CELL_LOG2_ZERO 64
#define CELL_LOG2_N    129

/*
 * Log-linear, for percentiles: each magnitude below 8 has its own bucket, and each power of two
 * above has eight.  The middle of a bucket is at most 1/16 off.  The same buckets for negative
 * values follow, but not in cells of unsigned values, which are half as long.
 */
#define CELL_STATS_HALF 496
#define CELL_STATS_N	(2 * CELL_STATS_HALF)

/* Extremes are stored so that 0 means none: `greatest` as cell_order(value), `least` as
 * ~cell_order(value). */
struct cell_stats {
	__u64 count;
	__u64 sum;
	__u64 least, greatest;
	__u64 buckets[CELL_STATS_N];
};

#define CELL_STATS_HEAD (offsetof(struct cell_stats, buckets) / sizeof(__u64)) /* words */

struct cell_pair {
	__u64 count;
	__u64 value; /* sum; or an extreme, as above */
};

#define CELL_PAIR_WORDS (sizeof(struct cell_pair) / sizeof(__u64))

/* Maps values to unsigned numbers in the same order; its own inverse. */
static inline __u64 cell_order(__u64 value, int is_signed)
{
	return is_signed ? value ^ 1ULL << 63 : value;
}

/* Smallest magnitude in a log-linear bucket (below CELL_STATS_HALF); number of magnitudes in it. */
static inline __u64 cell_stats_from(unsigned int bucket)
{
	return bucket < 8 ? bucket : (8ULL + bucket % 8) << (bucket / 8 - 1);
}

static inline __u64 cell_stats_width(unsigned int bucket)
{
	return bucket < 8 ? 1 : 1ULL << (bucket / 8 - 1);
}

#endif
