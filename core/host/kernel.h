/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Facts about this host's kernel: its types and its functions, each read when first needed. */
#ifndef HOST_KERNEL_H
#define HOST_KERNEL_H

#include "base/err.h"

struct btf; /* libbpf's */

/* Where the facts are: tests point it at tests/fixtures. */
struct kernel_paths {
	const char *proc, *sys, *tracefs, *root; /* NULL: the usual */
	const char *btf;			 /* --btf FILE; NULL: the running kernel's */
	/* Who has vmlinux's BTF for all, keeps it, and takes btf; NULL: it is read here. */
	const struct btf *(*types)(const char *btf, struct err *err);
};

/* The host's facts, each read when first needed.  Opaque. */
struct kernel;
struct kernel *kernel_open(const struct kernel_paths *paths);
void kernel_close(struct kernel *k);
/* vmlinux's BTF, read once; NULL with err set when there is none. */
const struct btf *kernel_btf(struct kernel *k, struct err *err);
/* A module's own, by name; NULL: it has none. */
const struct btf *kernel_module_btf(struct kernel *k, const char *module);
/* A descriptor of a module's BTF, for programs of fentry at its functions; the caller's.  -errno:
 * it has none. */
int kernel_module_btf_fd(const char *module);
/* Not needed any more: frees the function lists and symbol names, not the BTFs. */
void kernel_forget_names(struct kernel *k);

#endif
