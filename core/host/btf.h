/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's types (BTF, 5 MB and more), read once for all who ask; and the few of them that a
 * BPF object wants to know, cut out for libbpf, which would otherwise read all again and compare
 * each of the object's names with each of the kernel's: 5 ms, 11 MB and 20 ms.
 */
#ifndef HOST_BTF_H
#define HOST_BTF_H

#include <stddef.h>

#include "base/err.h"

/*
 * Blocks from this size on are mappings of their own: they grow in place and are given back when
 * they are freed.  Left to itself, glibc stops doing that once a large one has been freed; 2^16
 * stacks then take 21 MB instead of 14.
 */
#define TYPES_OWN_MAPPING_BYTES (128 << 10)

struct btf; /* libbpf's */

/* Of a file (--btf), of BPERF_BTF's, of the running kernel's own.  Kept until the release; NULL
 * with err set when there are none.  The first path is everybody's. */
const struct btf *kernel_types(const char *path, struct err *err);
void kernel_types_release(void);

/* Does a file begin as one with BTF in it does?  0, or an error that says what it should be. */
int kernel_types_check(const char *path, struct err *err);

/* A path under which libbpf finds what the BPF object of so many bytes asks of `kernel`; NULL: it
 * has to look for itself.  Valid until the next call. */
const char *kernel_types_cut(const struct btf *kernel, const void *object, size_t n);

#endif
