/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Timers, which other tools have as sites: bpftrace's interval:s:1 and profile:hz:99, DTrace's
 * tick-1s and profile-99.  Knows how they are written and what does their work here.
 */
#ifndef SYNTAX_SPEC_TIMERS_H
#define SYNTAX_SPEC_TIMERS_H

#include "base/err.h"
#include "base/view.h"

/* Is the site a timer? */
bool is_timed(struct view site);

/* What to write instead: behind an error about it. */
int timed_hint(struct view site, struct err *err);

#endif
