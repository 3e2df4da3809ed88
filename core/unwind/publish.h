/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Puts a map into a map of maps without waiting for a grace period.  The kernel makes the change at
 * once, and then blocks the caller (8 ms; 24 and more on a busy host) until no program uses the old
 * map, although here there was no old map.  The rings would not be read during that time, so a
 * separate thread makes the call, and the caller waits for the change only.
 */
#ifndef UNWIND_PUBLISH_H
#define UNWIND_PUBLISH_H

#include "base/types.h"

/* Both descriptors are borrowed for the time of the call.  Returns 0 when programs can find the
 * inner map at `at`, or -errno: the map may still appear there later. */
int publish_map(int outer_fd, u32 at, int inner_fd);

#endif
