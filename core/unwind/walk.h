/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Walks a user stack by unwind tables in user space, step by step as bpf/cfi.bpf.h does in the
 * kernel: for stacks that were copied before their tables existed, and for threads that were asleep
 * when the run began.  Must not know where rules and memory come from.
 */
#ifndef UNWIND_WALK_H
#define UNWIND_WALK_H

#include "base/types.h"
#include "bpf/abi/cfi.h"
#include "bpf/abi/stack.h"

enum unwind_found {
	UNWIND_RULE,
	UNWIND_NO_RULE, /* code of a file that lacks call frame information for it */
	UNWIND_NO_FILE, /* code of no file */
	UNWIND_LATE,	/* code of a file whose table could not be built yet */
	UNWIND_NOTHING, /* nothing is mapped there */
};

/* Callbacks get `ctx`. */
struct unwind_source {
	enum unwind_found (*rule)(void *ctx, u64 pc, struct cfi_rule *out);
	/* Read the process's memory; false: it cannot be read. */
	bool (*read)(void *ctx, u64 addr, void *out, size_t n);
	void *ctx;
};

/* The stack from `start` on, leaf first: up to `max` addresses, at least 1.  Returns their number;
 * *end tells why it ends. */
u32 unwind_walk(const struct unwind_source *src, const struct cfi_registers *start, u64 *frames,
		u32 max, enum stack_end *end);

#endif
