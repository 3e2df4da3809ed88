/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Passes perf's side-band records on to the symbolizer. */
#ifndef RUN_SIDEBAND_H
#define RUN_SIDEBAND_H

#include "run/perf.h"
#include "sym/symbolizer.h"

/*
 * At ticks, records older than this are applied, because all samples and events sent before them
 * have been read by then.  Events of trace are held for 50 ms to be put in order (event/stream.c),
 * and a pass over a ring takes up to 50 ms too.
 */
#define SIDEBAND_SETTLED_NS (100 * NS_PER_MS)

/* Apply all records up to this time. */
void side_apply(struct perfev *p, struct symbolizer *sym, u64 until_ns);

#endif
