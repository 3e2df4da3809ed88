/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads kernel names from the text of /proc/kallsyms, and module ranges from /proc/modules.  The
 * text is streamed: 122,000 symbols cost 40 ms and no memory.  Knows these two formats; must not
 * know ELF or processes.
 */
#ifndef SYM_KALLSYMS_H
#define SYM_KALLSYMS_H

#include "base/lines.h"
#include "sym/resolve.h"

/*
 * Name wanted kernel addresses.  `modules` may be NULL if there is no modules file.  Sets
 * want->module too, also for an address without a name in a module.  Returns false if the kernel
 * hides its addresses (all of them 0, or the text is empty).
 */
bool kallsyms_name(struct wants *w, struct lines *symbols, struct lines *modules);

#endif
