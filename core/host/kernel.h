/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Facts about this kernel (types, functions), each read when first needed. */
#ifndef HOST_KERNEL_H
#define HOST_KERNEL_H

#include "base/err.h"

struct btf; /* defined by libbpf */

/* Roots of the files to read; tests point them at tests/fixtures. */
struct kernel_paths {
	const char *proc, *sys, *tracefs, *root; /* NULL: the default */
	const char *btf;			 /* --btf FILE; NULL: the running kernel's */
	/* Returns vmlinux's BTF (or that of `btf`) from an owner that shares it; NULL: read it
	 * here. */
	const struct btf *(*types)(const char *btf, struct err *err);
};

/* Opaque; see host/kernel_facts.h. */
struct kernel;
struct kernel *kernel_open(const struct kernel_paths *paths);
void kernel_close(struct kernel *k);
/* vmlinux's BTF, read once; NULL with err set when there is none. */
const struct btf *kernel_btf(struct kernel *k, struct err *err);
/* The BTF of a module, by name; NULL: it has none. */
const struct btf *kernel_module_btf(struct kernel *k, const char *module);
/* Returns a descriptor of a module's BTF, for fentry programs on its functions, which the caller
 * closes; -errno when it has none. */
int kernel_module_btf_fd(const char *module);
/* Free the function lists and symbol names when they are no longer needed; keeps the BTF. */
void kernel_forget_names(struct kernel *k);

#endif
