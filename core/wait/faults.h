/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Faults and checks that tests ask the wait commands for, by the environment variable
 * BPERF_WAIT_FAULTS:
 *
 *	scan-delay=MS    scan the threads so many milliseconds late, as on a busy host
 *	cut-delay=MS     stand still so long before and after the end of the next window is chosen
 *	ring=BYTES       a ring of this size (a power of two, a page or more), which loses records
 *	check-stacks=1   compare every kernel stack that is read with the kernel's own walk
 *
 * separated by spaces; what is not understood is ignored.  Not for users: no man page has it.
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
