/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls of bpf(2) that read or write a map, while programs sample.  The kernel runs no program of a
 * perf event on a CPU on which such a call is under way (bpf_disable_instrumentation), so that a
 * lock of the map is not taken twice.  Kernels that preempt tasks in the kernel, as all do since
 * 7.0, may suspend the caller in the middle of it: then samples of that CPU are lost for as long as
 * others run there, 3 ms, and nothing counts them.
 */
#ifndef BASE_UNDISTURBED_H
#define BASE_UNDISTURBED_H

#include <sched.h>

#include "base/types.h"

struct undisturbed {
	int policy; /* to go back to; -1: nothing was changed */
	struct sched_param param;
};

/* Let no ordinary task preempt the calling thread until undisturbed_end(), which must come within a
 * millisecond; a call that sleeps longer is fine.  Not for what is done hundreds of times a second:
 * each undisturbed_end() lets the scheduler choose again, and a thread that competes for its CPU
 * with busy ones gets little of it (5.10 to 6.12).
 * Without the right to do so (CAP_SYS_NICE), nothing changes. */
void undisturbed_begin(struct undisturbed *u);
void undisturbed_end(const struct undisturbed *u);

/* For a series of calls of some microseconds each, however long.  Zero-initialize. */
struct undisturbed_series {
	struct undisturbed guard;
	u32 n; /* calls so far */
};

/* Before each call: it begins undisturbed, and others have had the CPU not long ago. */
void undisturbed_call(struct undisturbed_series *s);
void undisturbed_series_end(const struct undisturbed_series *s);

#endif
