/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Is BTF that a stranger wrote fit for libbpf and for those who walk its types?  libbpf 1.1 does
 * not check the numbers that types and names are referred to by, and neither do most of its
 * callers.
 */
#ifndef HOST_BTF_CHECK_H
#define HOST_BTF_CHECK_H

#include "base/view.h"

/* The bytes of a .BTF section: all that a type refers to is there, names have an end, and no type
 * holds itself but through a pointer. */
bool btf_is_sound(struct view bytes);

#endif
