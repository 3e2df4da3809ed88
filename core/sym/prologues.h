/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Examines the first instructions of a file's functions: do they set up frame pointers? */
#ifndef SYM_PROLOGUES_H
#define SYM_PROLOGUES_H

#include "base/types.h"

struct prologues {
	u32 n;	      /* functions that were examined: those that are long enough to call others */
	u32 n_frames; /* those that set up a frame pointer */
};

/* Examine the functions in the file's dynamic symbol table.  Returns -1 if the file cannot be read
 * or is not an ELF file: *out is all zero then. */
int prologues_count(const char *path, struct prologues *out);

#endif
