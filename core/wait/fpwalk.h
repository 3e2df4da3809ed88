/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The chain of frame pointers in another process's memory, as the kernel walks it for the current
 * task (perf_callchain_user), but only away from the stack pointer: a register that holds
 * something else ends the walk instead of leading it through the heap.  Knows x86 and arm64.
 */
#ifndef WAIT_FPWALK_H
#define WAIT_FPWALK_H

#include "base/types.h"

struct fpwalk {
	u32 tid;	/* as in our PID namespace; must not run meanwhile */
	u64 pc, sp, fp; /* at kernel entry */
	u32 word_bytes; /* 8, or 4 of a 32-bit program */
};

/*
 * The pc and then the return addresses, leaf first, into out[0..max); max is at least 1.  Returns
 * how many, or -errno when the process's memory may not be read or is gone.  Reading can wait for
 * as long as a page's owner likes (userfaultfd, a network file system).
 */
int fpwalk(const struct fpwalk *start, u64 *out, u32 max);

#endif
