/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <time.h>

#include "base/types.h"

static inline u64 clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (u64)ts.tv_sec * NS_PER_SEC + (u64)ts.tv_nsec;
}

/* CLOCK_MONOTONIC, which is also what bpf_ktime_get_ns() returns. */
static inline u64 now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

#endif
