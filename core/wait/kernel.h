/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the kernel side has to know of this kernel: where its functions lie, how its hooks are
 * called. */
#ifndef WAIT_KERNEL_H
#define WAIT_KERNEL_H

#include "bpf/abi/wait.h"

#include "sym/landmarks.h"

struct btf;

/* Places of the kinds from `first` to `last` as few ranges, by address: those that lie beside each
 * other are one.  How many there are; what is beyond `max` has no room in `out`, and what `out` has
 * more holds no address. */
u32 wait_ranges(const struct places *places, enum place_kind first, enum place_kind last,
		struct wait_range *out, u32 max);

/* Whether the kernel side may read stacks by itself (bpf/orc.bpf.h): the kernel's unwinder is
 * ORC, and `hiding`, of UNWIND_HIDING, has room for all that may stand in place of a return
 * address. */
bool wait_can_unwind(const struct places *places, u64 *hiding);

/* With --verbose says how many kernel stacks were read and walked, as cpus_fd's table counts them,
 * and how many were compared and not the same. */
void wait_say_unwound(int cpus_fd, u64 n_checked, u64 n_wrong);

/* sched_switch has its fourth argument, prev_state, since 5.18. */
bool wait_has_prev_state(const struct btf *btf);

#endif
