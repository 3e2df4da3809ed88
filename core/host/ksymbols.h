/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Addresses of the kernel's functions and variables by name, from /proc/kallsyms. */
#ifndef HOST_KSYMBOLS_H
#define HOST_KSYMBOLS_H

#include "base/types.h"

struct kernel;

struct kernel_symbol {
	u64 addr;
	u32 n_found;	/* symbols of this name: static ones may have the same */
	bool is_hidden; /* the kernel shows no addresses */
	bool has_data;	/* kallsyms has variables too, not only functions */
	/* A per-CPU variable: a CPU's own is at `addr` plus the number of that CPU in the array at
	 * `offsets`.  0: it is not one. */
	u64 offsets;
};

/* Returns 0, or -errno if kallsyms cannot be read. */
int ksymbol_find(struct kernel *k, const char *name, struct kernel_symbol *out);

#endif
