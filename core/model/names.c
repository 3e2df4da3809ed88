// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The model's words as they are in JSON, for the code that writes it and the code that reads it. */
#include "model/report.h"

const char *const frame_kind_names[FRAME_N_KINDS] = {
	[FRAME_MODULE] = "module", [FRAME_BPF] = "bpf",		[FRAME_JIT] = "jit",
	[FRAME_VDSO] = "vdso",	   [FRAME_UNKNOWN] = "unknown", [FRAME_NOTE] = "note",
};

const char *const waker_kind_names[WAKER_N_KINDS] = {
	[WAKER_THREAD] = "thread", [WAKER_IRQ] = "irq", [WAKER_SOFTIRQ] = "softirq",
	[WAKER_TIMER] = "timer",   [WAKER_IPI] = "ipi",
};

const char *const chain_end_names[CHAIN_N_ENDS] = {
	[CHAIN_END_RUNNING] = "running", [CHAIN_END_CYCLE] = "cycle", [CHAIN_END_DEPTH] = "depth",
	[CHAIN_END_UNKNOWN] = "unknown", [CHAIN_END_OPEN] = "open",
};

const char *const shape_names[SHAPE_N] = {
	[SHAPE_STACK] = "stack",
	[SHAPE_WAKEUP] = "wakeup",
	[SHAPE_CHAIN] = "chain",
};
