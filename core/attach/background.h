/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A process for work that waits for grace periods of the kernel, so that the run need not wait for
 * them. */
#ifndef ATTACH_BACKGROUND_H
#define ATTACH_BACKGROUND_H

#include <sys/types.h>

/* Returns 0 in a grandchild with copies of the descriptors but none of the caller's pipes; in the
 * caller, the PID of a child to wait for, or -1 if none could be created.  If only the second fork
 * fails, the child continues and the caller waits longer. */
pid_t background_fork(void);

#endif
