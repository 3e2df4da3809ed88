/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tests of all features.  Included only by the files that implement and call them. */
#ifndef HOST_FEATURE_TRY_H
#define HOST_FEATURE_TRY_H

#include "host/feature.h"

/* By loading and attaching (feature_try.c). */
void probe_perf_event(struct feature_result *r);
void probe_pmu(struct feature_result *r);
void probe_ring_buffer(struct feature_result *r);
void probe_raw_tp(struct feature_result *r);
void probe_tp_btf(struct feature_result *r);
void probe_tracepoint(struct feature_result *r);
void probe_kprobe(struct feature_result *r);
void probe_kprobe_multi(struct feature_result *r);
void probe_fentry(struct feature_result *r);
void probe_uprobe(struct feature_result *r);
void probe_uprobe_multi(struct feature_result *r);
void probe_cookie(struct feature_result *r);
void probe_cookie_raw_tp(struct feature_result *r);
void probe_iter_task(struct feature_result *r);

/* Can a BPF program read kernel memory?  OK, NO, or UNKNOWN when no program can be loaded. */
enum feature_verdict probe_kernel_read(void);

/* By reading files (feature_read.c). */
void probe_btf(struct feature_result *r);
void probe_privileges(struct feature_result *r);
void probe_lockdown(struct feature_result *r);
void probe_tracefs(struct feature_result *r);
void probe_kallsyms(struct feature_result *r);
void probe_bpf_jit(struct feature_result *r);
void probe_limits(struct feature_result *r);

/* Set the verdict and its description. */
void feature_say(struct feature_result *r, enum feature_verdict v, const char *fmt, ...)
	PRINTF(3, 4);

#endif
