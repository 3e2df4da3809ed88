/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Loads typed programs (tp_btf, iter) without libbpf's own copy of the kernel's BTF: it would read
 * and parse 5 MB, 8 ms on the 6.18 test host, only to find the ids of what they are attached to.
 */
#ifndef WAIT_TYPED_H
#define WAIT_TYPED_H

/* Find these ids in kernel_types() when objects are opened from now on, which must be the running
 * kernel's.  What is not found there is left to libbpf. */
void typed_begin(void);

#endif
