/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The length of x86-64 instructions, and nothing else about them. */
#ifndef SITE_X86LEN_H
#define SITE_X86LEN_H

#include <stddef.h>

#include "base/types.h"

#define X86_LONGEST 15

/* The length of the instruction at `code`, of which n bytes are available.  0 if it is unknown, not
 * an instruction, or longer than n. */
u32 x86_length(const u8 *code, size_t n);

#endif
