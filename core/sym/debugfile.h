/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Symbols that an ELF file keeps elsewhere: compressed in its .gnu_debugdata, or in a separate
 * debug file.  A debug file is used when its build id is the same, or, for those without one,
 * when its checksum is the one in .gnu_debuglink.  One level only: debug files of debug files
 * are not looked for.
 */
#ifndef SYM_DEBUGFILE_H
#define SYM_DEBUGFILE_H

#include "sym/objfile.h"

/* MiniDebugInfo: an ELF file in xz. */
void debugdata_name(const struct elf *e, struct wants *w);

/* DIR/.build-id/xx/yyyy.debug, then .gnu_debuglink, in the file's root and in ours. */
void debugfile_name(const struct objfile *o, const struct elf *e, struct wants *w);

#endif
