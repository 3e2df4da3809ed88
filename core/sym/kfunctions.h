/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's symbols in memory, some 3 MB: for runs that need /proc/kallsyms again and again,
 * because each window has addresses that are new.  The kernel takes 30 ms to format it.
 */
#ifndef SYM_KFUNCTIONS_H
#define SYM_KFUNCTIONS_H

#include "sym/resolve.h"

struct kfunction {
	u64 start;
	u32 name, n; /* in `names`; with the module in brackets, as in kallsyms */
	u32 rank;    /* 0: no function, but the end of one */
};

struct kfunctions {
	VEC(struct kfunction) list; /* by address */
	struct str names;
	u64 modules;	   /* hash of the modules that were loaded */
	u32 n_reads;	   /* how often the text was needed */
	bool is_collected; /* the list is complete */
};

/* Call it before the others with a hash of the loaded modules: if they have changed, all is
 * forgotten. */
void kfunctions_begin(struct kfunctions *k, u64 modules);
/* Should the caller collect symbols from the text that it is about to read?  A run that reads it
 * only once does not need them afterwards. */
bool kfunctions_want(struct kfunctions *k);
void kfunctions_add(struct kfunctions *k, const struct sym_entry *o);
/* The text has ended; is_whole: nothing is missing. */
void kfunctions_settle(struct kfunctions *k, bool is_whole);
/* Set `near` of wants without a name, as wants_near() and wants_settle() do. */
void kfunctions_near(const struct kfunctions *k, struct wants *w);
void kfunctions_release(struct kfunctions *k);

#endif
