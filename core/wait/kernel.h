/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Facts about this kernel that the kernel side needs: the addresses of its functions, and the
 * arguments of its hooks. */
#ifndef WAIT_KERNEL_H
#define WAIT_KERNEL_H

#include "bpf/abi/wait.h"

#include "sym/landmarks.h"

struct rawbtf; /* host/rawbtf.h */

/*
 * Store the landmarks of kinds `first` to `last` as ranges in `out`, sorted by address; adjacent
 * ones are merged.  Returns the number of ranges, which may be more than `max`: the rest is not
 * stored.  Unused elements of `out` contain no address.
 */
u32 wait_ranges(const struct landmarks *landmarks, enum landmark_kind first,
		enum landmark_kind last, struct wait_range *out, u32 max);

/*
 * True if the kernel side may unwind kernel stacks itself (bpf/orc.bpf.h): the kernel uses ORC, and
 * `hiding` (UNWIND_HIDING elements), which is filled in, has room for all trampolines that may
 * replace a return address.
 */
bool wait_can_unwind(const struct landmarks *landmarks, u64 *hiding);

/* With --verbose, log how many kernel stacks were read and walked (from the per-CPU table cpus_fd),
 * how many were compared, and how many differed. */
void wait_say_unwound(int cpus_fd, u64 n_checked, u64 n_wrong);

/* True if sched_switch has a fourth argument, prev_state (5.18). */
bool wait_has_prev_state(const struct rawbtf *kernel);

#endif
