/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The perf event of -e: from its name to what the kernel is asked for. */
#ifndef HOST_PERFSPEC_H
#define HOST_PERFSPEC_H

#include "base/err.h"
#include "base/types.h"

struct perf_spec {
	const char *name; /* "cpu-clock"; of a raw event as typed */
	u32 type;	  /* enum perf_type_id */
	u64 config;
	u64 freq_hz; /* samples per second and CPU, or */
	u64 period;  /* events per sample; exactly one of the two is not 0 */
};

/* "cycles", "page-faults", "r01c4", ...: fills name, type and config.  A usage error names the
 * nearest. */
int perf_spec_parse(const char *text, struct perf_spec *out, struct err *err);

/* Names of the known events, for help and completion: calls add() with each. */
void perf_spec_names(void (*add)(void *ctx, const char *name, const char *what), void *ctx);

/* Cycles where there is a PMU, else cpu-clock. */
void perf_spec_default(struct perf_spec *out);

#endif
