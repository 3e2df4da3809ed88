/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Single kernel symbols, as the kernel itself tells them: for a few thousand addresses that is far
 * cheaper than reading /proc/kallsyms.  Knows the kernel's notation; must not know BPF.
 */
#ifndef SYM_KSYMS_H
#define SYM_KSYMS_H

#include "base/str.h"
#include "base/types.h"

/* Someone who can ask the kernel (run/ksyms.h). */
struct ksym_source {
	/* The text that the kernel prints for an address with "%pS", valid until the next call:
	 * "name+0x10/0x50 [module]", or something else if no symbol is there.  NULL: it cannot be
	 * asked. */
	const char *(*name)(void *ctx, u64 addr);
	/* The address of a symbol; 0: there is none, or it cannot be asked. */
	u64 (*find)(void *ctx, const char *name);
	void *ctx;
};

struct ksym {
	u64 start, end;		  /* [start, end) */
	struct view name, module; /* module "": the kernel itself; "bpf": a BPF program */
};

/* Parse such a text about `addr`.  The views point into it.  false: it is not about a symbol. */
bool ksym_parse(const char *text, u64 addr, struct ksym *out);

/* The function at an address, under the name that kallsyms_name() would choose.  false: ask
 * kallsyms, because there is none, or because the kernel does not tell enough.  The views are valid
 * until the next call. */
bool ksym_at(const struct ksym_source *source, u64 addr, struct ksym *out);

#endif
