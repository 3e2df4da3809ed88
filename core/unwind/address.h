/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Return addresses that arm64 code has signed: the signature is in the bits that addresses of this
 * kernel's processes do not use.  x86-64 signs none. */
#ifndef UNWIND_ADDRESS_H
#define UNWIND_ADDRESS_H

#include "base/types.h"

#if defined(__aarch64__)
/* The address without its signature, as regs_address() in bpf/regs.bpf.h. */
u64 unwind_address(u64 pc);
#else
static inline u64 unwind_address(u64 pc)
{
	return pc;
}
#endif

#endif
