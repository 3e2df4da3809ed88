/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Check BTF from an untrusted file before libbpf and others walk its types.  libbpf 1.1 does not
 * check type ids and name offsets, and neither do most of its callers.
 */
#ifndef HOST_BTF_CHECK_H
#define HOST_BTF_CHECK_H

#include "base/view.h"

/* Check the bytes of a .BTF section: all references to types and names are valid, names are
 * terminated, and no type contains itself except through a pointer. */
bool btf_is_sound(struct view bytes);

#endif
