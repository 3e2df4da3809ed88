/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rules of arm64's vdso.  Since 5.8 it has no call frame information where signal handlers
 * return to, later (at least from 6.1 on) none at all.  The rules follow from its instructions,
 * because it is small and all of it comes from one compiler.
 */
#ifndef UNWIND_VDSO_H
#define UNWIND_VDSO_H

#include "bpf/abi/cfi.h"
#include "sym/elf.h"

/* Call rule() for each n addresses that share a rule, in order.  false: this is not such a vdso. */
struct vdso_rules {
	void (*rule)(void *ctx, u64 start, u32 n, const struct cfi_rule *rule);
	void *ctx;
	bool is_signal_only; /* leave out all but that of signals' end */
};
bool unwind_vdso(const struct elf *e, const struct vdso_rules *rules);

#endif
