/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Protects calls of bpf(2) that read or write a map while programs sample.  While such a call is
 * under way on a CPU, the kernel runs no program of a perf event there
 * (bpf_disable_instrumentation), so that a lock of the map is not taken twice.  Kernels that
 * preempt tasks in kernel mode, as all do since 7.0, may suspend the caller in the middle of the
 * call: samples of that CPU are then lost while other tasks run there, for 3 ms, and nothing counts
 * them.
 */
#ifndef BASE_UNDISTURBED_H
#define BASE_UNDISTURBED_H

#include <sched.h>

#include "base/types.h"

struct undisturbed {
	int policy; /* to restore; -1: nothing was changed */
	struct sched_param param;
};

/* Let no ordinary task preempt the calling thread until undisturbed_end(), which must follow within
 * a millisecond; a call that sleeps longer is fine.  Do not use it for work that is done hundreds
 * of times a second: each undisturbed_end() lets the scheduler choose again, and a thread that
 * competes with busy threads for its CPU then gets little time on it (5.10 to 6.12).  Without the
 * right to do so (CAP_SYS_NICE), nothing changes. */
void undisturbed_begin(struct undisturbed *u);
void undisturbed_end(const struct undisturbed *u);

/* For a series of any length of calls that take some microseconds each.  Zero-initialize. */
struct undisturbed_series {
	struct undisturbed guard;
	u32 n; /* calls so far */
};

/* Call it before each of the calls: it begins an undisturbed stretch when needed, and regularly
 * lets other tasks have the CPU. */
void undisturbed_call(struct undisturbed_series *s);
void undisturbed_series_end(const struct undisturbed_series *s);

#endif
