/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rules that rows refer to: each one is stored once, for all files.  Few are needed (1,655 for
 * clang, CUDA, Java, Rust and a whole Debian host), because most frames differ only in their size.
 */
#ifndef UNWIND_RULES_H
#define UNWIND_RULES_H

#include "base/index.h"
#include "base/mem.h"
#include "bpf/abi/cfi.h"

struct unwind_rules {
	VEC(struct cfi_rule) list; /* [0] is CFI_NONE */
	struct index index;
	u32 last;   /* the last id that was looked up: rules often repeat */
	u64 n_full; /* rules that did not fit; their rows are CFI_NONE */
};

void unwind_rules_init(struct unwind_rules *r);
void unwind_rules_release(struct unwind_rules *r);

/* The id of a rule, which is added if it is new. */
u16 unwind_rules_id(struct unwind_rules *r, const struct cfi_rule *rule);

#endif
