/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kernel names from the text of /proc/kallsyms, module ranges from /proc/modules.  The text is
 * streamed past the wanted addresses: 122,000 symbols cost 40 ms and no memory.  Knows these two
 * formats; must not know ELF or processes.
 */
#ifndef SYM_KALLSYMS_H
#define SYM_KALLSYMS_H

#include "base/lines.h"
#include "sym/resolve.h"

/*
 * Name wants, kernel addresses.  `modules` may be NULL: no module file.  Sets want->module too,
 * also for an address that has no name but lies in a module.  Returns false when the kernel hides
 * its addresses (all of them 0, or no text at all).
 */
bool kallsyms_name(struct wants *w, struct lines *symbols, struct lines *modules);

#endif
