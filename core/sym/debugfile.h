/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Symbols that an ELF file keeps elsewhere: compressed in its .gnu_debugdata, or in a separate
 * debug file.  A debug file is used if its build id matches or, for files without a build id, if
 * its checksum is the one in .gnu_debuglink.  Debug files of debug files are not followed.
 */
#ifndef SYM_DEBUGFILE_H
#define SYM_DEBUGFILE_H

#include "sym/objfile.h"

/* MiniDebugInfo: an ELF file, compressed with xz. */
void debugdata_name(const struct elf *e, struct wants *w);

/* Look for DIR/.build-id/xx/yyyy.debug, then for the file that .gnu_debuglink names, in the file's
 * root and in ours. */
void debugfile_name(const struct objfile *o, const struct elf *e, struct wants *w);

#endif
