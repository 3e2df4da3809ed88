/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The perf event of -e: from the name to the attributes of perf_event_open. */
#ifndef HOST_PERFSPEC_H
#define HOST_PERFSPEC_H

#include "base/err.h"
#include "base/types.h"

struct perf_spec {
	const char *name; /* "cpu-clock"; raw events as typed */
	u32 type;	  /* enum perf_type_id */
	u64 config;
	u64 freq_hz; /* samples per second and CPU; 0 if period is used */
	u64 period;  /* events per sample; 0 if freq_hz is used */
};

/* Parse "cycles", "page-faults", "r01c4", ... into name, type and config.  A usage error suggests
 * the nearest name. */
int perf_spec_parse(const char *text, struct perf_spec *out, struct err *err);

/* Call add() for each known event, for help and completion. */
void perf_spec_names(void (*add)(void *ctx, const char *name, const char *what), void *ctx);

/* cycles if there is a PMU, otherwise cpu-clock. */
void perf_spec_default(struct perf_spec *out);

#endif
