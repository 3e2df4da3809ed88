/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's functions by name: /proc/kallsyms, and the lists of which can be probed.  Knows
 * these files' formats; must not know plans.
 */
#ifndef HOST_KFUNCS_H
#define HOST_KFUNCS_H

#include "base/index.h"
#include "base/str.h"

struct kernel;

/* Names of a list, found fast. */
struct name_list {
	bool is_known, is_readable;
	struct str text;
	struct index index; /* offsets into text, of the names */
};

/* Read when first needed, given back by kernel_forget_names. */
struct kfuncs {
	bool is_known;
	int errnum;	     /* of reading kallsyms; 0: it was read */
	struct str kallsyms; /* the text: scanning it takes 5 ms, making it takes the kernel 40 */
	struct name_list traceable, denied;
};

struct kfunc {
	struct view name;
	struct view module; /* n == 0: the kernel itself */
	u64 addr;	    /* 0: hidden */
};

/* All functions in the order of kallsyms, until fn returns false.  0 or -errno: no kallsyms.
 * Labels, data, code that went with the boot, programs of BPF are left out. */
int kfuncs_each(struct kernel *k, bool (*fn)(void *ctx, const struct kfunc *f), void *ctx);

/* Where the kernel's code begins, the address of _stext; 0: nobody may know. */
u64 kfuncs_text_start(struct kernel *k);

/* Can ftrace attach to it?  true when nobody may know. */
bool kfuncs_is_traceable(struct kernel *k, struct view name);

/* Is it on the list of what kprobes must not touch?  false when nobody may know. */
bool kfuncs_is_denied(struct kernel *k, struct view name);

void kfuncs_release(struct kfuncs *f);

#endif
