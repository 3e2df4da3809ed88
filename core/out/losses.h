/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ledger in words: for the line on stderr, the flame graph and pprof's comments. */
#ifndef OUT_LOSSES_H
#define OUT_LOSSES_H

#include "base/str.h"
#include "model/ledger.h"

/* "lost: none", or "lost: 3 throttled by the kernel, ...; missed: not countable here". */
void losses_add(struct str *out, const struct ledger *l);

#endif
