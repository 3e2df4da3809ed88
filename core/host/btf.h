/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's BTF (5 MB and more), read once for all users; and a subset with the types that one
 * BPF object needs, for libbpf.  Otherwise libbpf reads all of it (5 ms, 11 MB) and compares each
 * of the object's names with each of the kernel's (20 ms).
 */
#ifndef HOST_BTF_H
#define HOST_BTF_H

#include <stddef.h>

#include "base/err.h"

/*
 * Blocks of this size and larger are separate mappings: they grow in place and are unmapped when
 * freed.  glibc by default raises its threshold once a large block has been freed; 2^16 stacks then
 * take 21 MB instead of 14.
 */
#define TYPES_OWN_MAPPING_BYTES (32 << 10)

struct btf;    /* defined by libbpf */
struct rawbtf; /* host/rawbtf.h */

/* The types from `path` (--btf), else from the file named by BPERF_BTF, else those of the running
 * kernel.  Kept until kernel_types_release; later calls return the same types, whatever their path.
 * NULL with err set when there are none. */
const struct btf *kernel_types(const char *path, struct err *err);
void kernel_types_release(void);

/* The same types with an index only, which is all that loading our own objects needs.  NULL: there
 * are none. */
const struct rawbtf *kernel_types_raw(const char *path);
/* Free the index (0.5 MB) and the types that it indexes; both are read again when they are needed.
 */
void kernel_types_release_index(void);

/* Does a file start like one that contains BTF?  Returns 0, or an error that says what kind of file
 * is needed. */
int kernel_types_check(const char *path, struct err *err);

/* Write the subset of `kernel` that a BPF object of n bytes needs, and return a path where libbpf
 * can read it, valid until the next call.  NULL: libbpf must read all of the kernel's types. */
const char *kernel_types_reduce(const struct rawbtf *kernel, const void *object, size_t n);

#endif
