/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The memory of another process, read a window at a time: one call gets all frames of most threads.
 */
#ifndef WAIT_MEMWINDOW_H
#define WAIT_MEMWINDOW_H

#include "base/types.h"

#define MEMWINDOW_BYTES 8192

/* Zero-initialize, and set tid. */
struct memwindow {
	u32 tid;     /* in our PID namespace */
	u32 n_moves; /* windows read so far */
	u64 start;
	size_t n;
	u8 bytes[MEMWINDOW_BYTES];
};

/* Read `bytes` at an address, at most MEMWINDOW_BYTES.  Returns 0 or -errno: -EFAULT if nothing is
 * mapped there, or if too many different parts of this thread's memory were read.  May block for as
 * long as the owner of a page takes (userfaultfd, a network file system). */
int memwindow_read(struct memwindow *w, u64 at, void *out, size_t bytes);

#endif
