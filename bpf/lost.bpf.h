/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef BPF_LOST_BPF_H
#define BPF_LOST_BPF_H

#include "bpf/abi/lost.h"

/* By reason, since the start of the run.  Losses are rare: one shared line is cheap enough. */
u64 lost[BPF_LOST_N] = {};

static __always_inline void lost_add(enum bpf_lost reason)
{
	__sync_fetch_and_add(&lost[reason], 1);
}

#endif
