/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Puts a map into a map of maps without waiting for a grace period.  The kernel makes the change at
 * once, and then keeps the caller (8 ms; 24 and more on a busy host) until no program uses the old
 * map, which here there was none of.  Meanwhile nobody would read the rings: so a thread of its own
 * makes the call, and only the change is waited for.
 */
#ifndef UNWIND_PUBLISH_H
#define UNWIND_PUBLISH_H

#include "base/types.h"

/* Both descriptors are borrowed for the time of the call.  Returns 0 when programs can find the
 * inner map at `at`, or -errno: then it may still come to be there later. */
int publish_map(int outer_fd, u32 at, int inner_fd);

#endif
