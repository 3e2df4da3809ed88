/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Facts that every run reports: the host, at its start, and the cost, at its end. */
#ifndef RUN_RUNINFO_H
#define RUN_RUNINFO_H

#include <bpf/libbpf.h>

#include "base/intern.h"
#include "model/report.h"
#include "sym/symbolizer.h"

struct runinfo {
	struct run_info run;
	struct intern strings;
};

/* Host, kernel, architecture, CPUs. */
void runinfo_fill(struct runinfo *r);
void runinfo_release(struct runinfo *r);

/* kernel.perf_event_max_stack, at most EVENT_MAX_FRAMES. */
u32 runinfo_max_frames(struct runinfo *r);

/* Fill in the ledger's symbols and cost. */
void runinfo_cost(const struct symbolizer *sym, const struct bpf_object *obj, struct ledger *l);

/* CPU time of this process so far, user and system. */
u64 runinfo_cpu_ns(void);

#endif
