/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Implementations of indirect functions (STT_GNU_IFUNC: strchr, memcpy, sin).  Their symbol is a
 * resolver, which the loader calls to learn which implementation suits the CPU; the symbols of the
 * implementations are mostly stripped.  In each process that has loaded the file, slots contain the
 * address of the chosen implementation: slots of the file itself (R_X_IRELATIVE, with the
 * resolver), and slots of other files that call the function by name.  Private to core/site.
 */
#ifndef SITE_IFUNC_INT_H
#define SITE_IFUNC_INT_H

#include "site/userfile_int.h"

struct ifunc {
	const char *name; /* without a version */
	u64 resolver;	  /* address in the file */
	bool is_minor;	  /* not worth a search beyond the file's own slots */
	u64 start;	  /* out: the implementation's address in the file; 0: not known */
	bool is_vdso;	  /* out: it is code of the kernel's, in no file */
};

/*
 * Takes a second at most.  `proc` is where /proc is mounted.  Looks in the process `tgid` if it is
 * not 0, and in processes of root and our own user: other users' processes could contain any
 * address in their slots.  An address is used only if a function begins there according to the call
 * frame information.
 */
void ifuncs_find(const struct user_file *file, const char *proc, u32 tgid, struct ifunc *list,
		 size_t n);

#endif
