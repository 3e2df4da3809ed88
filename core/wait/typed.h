/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Loads typed programs (tp_btf, iter) without libbpf's own copy of the kernel's BTF: libbpf would
 * read and parse 5 MB (8 ms on the 6.18 test host) only to find the ids of the programs' attach
 * targets.
 */
#ifndef WAIT_TYPED_H
#define WAIT_TYPED_H

/* From now on, find these ids in kernel_types() when objects are opened; its types must be the
 * running kernel's.  Targets that it does not contain are left to libbpf. */
void typed_begin(void);

#endif
