/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Decides from the names in expressions what a probe needs.  If no name of the site itself is used,
 * it does not need the types of its sites: tracepoints are then raw ones, and system calls share
 * one program.
 */
#ifndef PROBE_NEEDS_H
#define PROBE_NEEDS_H

#include "probe/probes.h"

/* Must the types of sites be known for the specs of funccount and argdist, for --by (NULL: not
 * given), and for the default values?  of_results: return values are classified too. */
bool asked_wants_types(const struct probes *p, const char *by, bool of_results);

/* Is there a filter, and does a predicate of the probe, or of a start or end of its span, ask with
 * is_target() or matches_filter() which task passes it?  The current task does not matter then. */
bool asked_for_targets(const struct probes *p, const struct probe *probe);

#endif
