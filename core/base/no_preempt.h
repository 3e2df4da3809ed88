/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Protects calls of bpf(2) that read or write a map while programs sample.  While such a call is
 * under way on a CPU, the kernel runs no program of a perf event there
 * (bpf_disable_instrumentation), so that a lock of the map is not taken twice.  Kernels that
 * preempt tasks in kernel mode, as all do since 7.0, may suspend the caller in the middle of the
 * call: samples of that CPU are then lost while other tasks run there, for 3 ms, and nothing counts
 * them.
 */
#ifndef BASE_NO_PREEMPT_H
#define BASE_NO_PREEMPT_H

#include <sched.h>

#include "base/types.h"

struct no_preempt {
	int policy; /* to restore; -1: nothing was changed */
	struct sched_param param;
};

/* Let no ordinary task preempt the calling thread until no_preempt_end(), which must follow within
 * a millisecond; a call that sleeps longer is fine.  Do not use it for work that is done hundreds
 * of times a second: each no_preempt_end() lets the scheduler choose again, and a thread that
 * competes with busy threads for its CPU then gets little time on it (5.10 to 6.12).  Without the
 * right to do so (CAP_SYS_NICE), nothing changes. */
void no_preempt_begin(struct no_preempt *u);
void no_preempt_end(const struct no_preempt *u);

/* For any number of calls, one after the other, that take some microseconds each.  Zero-initialize.
 */
struct no_preempt_series {
	struct no_preempt guard;
	u32 n; /* calls so far */
};

/* Call it before each of these calls: it protects the calls that follow if that is needed, and
 * regularly lets other tasks have the CPU. */
void no_preempt_call(struct no_preempt_series *s);
void no_preempt_series_end(const struct no_preempt_series *s);

#endif
