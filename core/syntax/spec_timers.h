/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Recognizes timers, which are sites in other tools: bpftrace's interval:s:1 and profile:hz:99,
 * DTrace's tick-1s and profile-99.  Knows their syntax and what to use here instead.
 */
#ifndef SYNTAX_SPEC_TIMERS_H
#define SYNTAX_SPEC_TIMERS_H

#include "base/err.h"
#include "base/view.h"

/* Is the site a timer? */
bool is_timed(struct view site);

/* Add a hint to the error: what to write instead. */
int timed_hint(struct view site, struct err *err);

#endif
