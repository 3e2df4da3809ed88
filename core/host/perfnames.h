/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The perf events with names. */
#ifndef HOST_PERFNAMES_H
#define HOST_PERFNAMES_H

#include "base/types.h"

struct perf_name {
	const char *name;
	u32 type; /* enum perf_type_id */
	u64 config;
	const char *what; /* description of what it counts */
};

const struct perf_name *perf_names(size_t *n);

#endif
