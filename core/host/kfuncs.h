/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kernel functions by name: /proc/kallsyms, and the lists of functions that can be probed.  Knows
 * the formats of these files; must not know plans.
 */
#ifndef HOST_KFUNCS_H
#define HOST_KFUNCS_H

#include "base/index.h"
#include "base/str.h"

struct kernel;

/* A hashed list of names. */
struct name_list {
	bool is_known, is_readable;
	struct str text;
	struct index index; /* offsets of the names in text */
};

/* Read when first needed, freed by kernel_forget_names. */
struct kfuncs {
	bool is_known, is_prepared;
	int errnum; /* error from reading kallsyms; 0: none */
	/* The text: scanning it takes 5 ms, reading it from the kernel 50 ms. */
	struct str kallsyms;
	u64 init_from, init_to; /* where init code is; 0: unknown */
	struct name_list traceable, denied;
};

struct kfunc {
	struct view name;
	struct view module; /* n == 0: the kernel itself */
	u64 addr;	    /* 0: hidden */
};

/* Call fn for all functions in the order of kallsyms, until it returns false.  Leaves out labels,
 * data, init code and BPF programs.  Returns 0, or -errno when kallsyms cannot be read. */
int kfuncs_each(struct kernel *k, bool (*fn)(void *ctx, const struct kfunc *f), void *ctx);

/* Call fn for all of these functions whose names begin with `name`: takes a sixth of the time. */
int kfuncs_starting(struct kernel *k, const char *name,
		    void (*fn)(void *ctx, const struct kfunc *f), void *ctx);

/* All of kallsyms.  Returns 0, or -errno when it cannot be read. */
int kfuncs_text(struct kernel *k, struct view *out);

/* The address of _stext, where kernel code starts; 0: unknown. */
u64 kfuncs_text_start(struct kernel *k);

/* Can ftrace attach to it?  true when the list cannot be read. */
bool kfuncs_is_traceable(struct kernel *k, struct view name);

/* Is it on the list of functions that kprobes must not touch?  false when the list cannot be
 * read. */
bool kfuncs_is_denied(struct kernel *k, struct view name);

void kfuncs_release(struct kfuncs *f);

#endif
