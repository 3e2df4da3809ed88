/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds names for file offsets in one ELF file, from all of its sources in order: its own tables,
 * its PLT, .gnu_debugdata, and separate debug files found by build id or debuglink.  Knows ELF and
 * where debug files are kept; must not know processes.
 */
#ifndef SYM_OBJFILE_H
#define SYM_OBJFILE_H

#include "sym/elf.h"
#include "sym/resolve.h"

struct objfile {
	struct elf_src src;
	const char *path;	       /* path in its root; for .gnu_debuglink */
	int root_fd;		       /* the root that it was found in; -1: ours */
	const char *const *debug_dirs; /* NULL-terminated */
	bool skip_beside;	       /* do not look in the file's folder and its .debug folder */
	char build_id[2 * BUILD_ID_MAX + 1]; /* out: lower-case hex, "" for none */
};

/* Name wants, given as file offsets.  On return want->at is the address in the file's own address
 * space, UINT64_MAX if no segment holds the offset.  Returns -EINVAL, with wants unchanged, if it
 * is not an ELF file. */
int objfile_name(struct objfile *o, struct wants *w);

#endif
