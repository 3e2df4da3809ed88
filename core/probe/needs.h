/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What expressions ask for, as far as their words tell.  Where nothing is asked of a site itself,
 * its types need not be known: tracepoints are raw ones then, and system calls have one program.
 */
#ifndef PROBE_NEEDS_H
#define PROBE_NEEDS_H

#include "probe/load.h"

/* Must the types of sites be known for what the specs of funccount and argdist say, for --by (NULL:
 * there is none), and for what is measured when they say nothing?  of_results: what is returned is
 * judged too. */
bool asked_wants_types(const struct probes *p, const char *by, bool of_results);

#endif
