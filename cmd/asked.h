/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What expressions ask for, as far as their words tell.  Where nothing is asked of a site itself,
 * its types need not be known: tracepoints are raw ones then, and system calls have one program.
 */
#ifndef CMD_ASKED_H
#define CMD_ASKED_H

#include "probe/spec.h"

/* Only for what is there at every site ($comm, $func), and constants? */
bool asked_is_plain(const struct text *t, struct span where);

/* The same of all that a spec of funccount or argdist says, and of what is measured when it says
 * nothing. */
bool asked_spec_is_plain(const struct probe_spec *spec);

#endif
