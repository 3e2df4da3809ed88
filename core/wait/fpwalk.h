/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Follows the frame pointers in another process's memory, as the kernel does for the current task
 * (perf_callchain_user), but only away from the stack pointer: if the register holds something
 * else, the walk ends instead of straying through the heap.  Knows x86 and arm64.
 */
#ifndef WAIT_FPWALK_H
#define WAIT_FPWALK_H

#include "base/types.h"

struct fpwalk {
	u32 tid;	/* in our PID namespace; the thread must not run during the walk */
	u64 pc, sp, fp; /* user registers at kernel entry */
	u32 word_bytes; /* 8; 4 for a 32-bit program */
};

/*
 * Stores the pc and the return addresses, leaf first, in out[0..max); max is at least 1.  Returns
 * their number, or -errno if the process's memory cannot be read or is gone.  May block for as long
 * as the owner of a page takes (userfaultfd, a network file system).
 */
int fpwalk(const struct fpwalk *start, u64 *out, u32 max);

#endif
