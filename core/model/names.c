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

const char *const dist_kind_names[DIST_N_KINDS] = {
	[DIST_COUNTS] = "count",
	[DIST_HISTOGRAM] = "hist",
	[DIST_STATISTICS] = "stats",
	[DIST_TABLE] = "table",
};

const char *const dist_scale_names[SCALE_N_KINDS] = {
	[SCALE_LOG2] = "log2",
	[SCALE_LINEAR] = "linear",
	[SCALE_BOUNDS] = "bounds",
	[SCALE_LOG_LINEAR] = "log-linear",
};

const char *const dist_fn_names[DIST_N_FNS] = {
	[DIST_FN_COUNT] = "count", [DIST_FN_SUM] = "sum", [DIST_FN_AVG] = "avg",
	[DIST_FN_MIN] = "min",	   [DIST_FN_MAX] = "max",
};

const char *const event_column_names[EVENT_N_COLUMNS] = {
	"wall", "since", "unix", "cpu", "uid", "raw", "csv",
};
