/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Losses counted by the kernel side; user space adds them to the ledger (model/ledger.h). */
#ifndef BPF_ABI_LOST_H
#define BPF_ABI_LOST_H

enum bpf_lost {
	BPF_LOST_RING_FULL,
	BPF_LOST_MAP_FULL,
	BPF_LOST_STACK_FAULT,
	BPF_LOST_STACK_WRONG,
	BPF_LOST_RECURSION,
	BPF_LOST_MISSED, /* the kernel did not call a hook, so an event was not seen */
	BPF_LOST_N,
};

#endif
