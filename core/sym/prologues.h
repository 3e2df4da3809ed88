/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Do the functions of a file set up frame pointers?  Told from their first instructions. */
#ifndef SYM_PROLOGUES_H
#define SYM_PROLOGUES_H

#include "base/types.h"

struct prologues {
	u32 n;	      /* functions that were examined: those long enough to call others */
	u32 n_frames; /* those that set up a frame pointer */
};

/* Examine the functions in the file's dynamic symbol table.  Returns -1 if the file cannot be read
 * or is no ELF file: *out is all zero then. */
int prologues_count(const char *path, struct prologues *out);

#endif
