/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Passes perf's side-band records on to the symbolizer. */
#ifndef RUN_SIDEBAND_H
#define RUN_SIDEBAND_H

#include "run/perf.h"
#include "sym/symbolizer.h"

/* Apply all records up to this time. */
void side_apply(struct perfev *p, struct symbolizer *sym, u64 until_ns);

#endif
