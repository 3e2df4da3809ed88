/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How long x86-64's instructions are: where the next one begins.  Knows nothing of what they do. */
#ifndef SITE_X86LEN_H
#define SITE_X86LEN_H

#include <stddef.h>

#include "base/types.h"

#define X86_LONGEST 15

/* Of the instruction at `code`, of which n bytes are there.  0: not known here, no instruction, or
 * longer than n. */
u32 x86_length(const u8 *code, size_t n);

#endif
