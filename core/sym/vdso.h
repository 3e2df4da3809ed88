/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The vdso, which is the same in all 64-bit processes of a kernel: this process's own. */
#ifndef SYM_VDSO_H
#define SYM_VDSO_H

#include "sym/elf.h"

/* Its image, in memory.  false: there is none. */
bool vdso_src(struct elf_src *src);

#endif
