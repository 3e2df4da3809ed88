/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Faults and checks that tests enable in the wait commands with the environment variable
 * BPERF_WAIT_FAULTS:
 *
 *	scan-delay=MS    scan the threads this many milliseconds late, as on a busy host
 *	cut-delay=MS     sleep this long before and after choosing the end of the next window
 *	ring=BYTES       use a ring of this size (a power of two, at least a page), to lose records
 *	check-stacks=1   compare every kernel stack that we read with the kernel's own walk
 *
 * separated by spaces; unknown words are ignored.  It is not for users, so no man page mentions it.
 */
#ifndef WAIT_FAULTS_H
#define WAIT_FAULTS_H

#include "base/types.h"

struct wait_faults {
	u64 scan_delay_ms, cut_delay_ms, ring_bytes; /* 0: none */
	bool checks_stacks;
};

struct wait_faults wait_faults_read(void);

/* Sleep for one of the delays. */
void wait_faults_sleep(u64 ms);

#endif
