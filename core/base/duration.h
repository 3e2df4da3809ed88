/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef BASE_DURATION_H
#define BASE_DURATION_H

#include "base/str.h"
#include "base/types.h"

/* Add a length of time as a person says it: "312.0 ms", "12.4 s", "3 min 20 s", "2 h 05 min",
 * "3 d 4 h".  Rounded down. */
void duration_add(struct str *out, u64 ns);

#endif
