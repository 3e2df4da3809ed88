/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Losses that the kernel side counts; user space adds them to the ledger (model/ledger.h). */
#ifndef BPF_ABI_LOST_H
#define BPF_ABI_LOST_H

enum bpf_lost {
	BPF_LOST_RING_FULL,
	BPF_LOST_MAP_FULL,
	BPF_LOST_STACK_FAULT,
	BPF_LOST_STACK_WRONG,
	BPF_LOST_RECURSION,
	BPF_LOST_MISSED, /* the kernel has not called a hook, and nothing else tells what was there
			  */
	BPF_LOST_N,
};

#endif
