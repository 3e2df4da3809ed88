/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names for places in one ELF file, from all its sources in order: its own tables, its PLT,
 * .gnu_debugdata, and separate debug files found by build id or debuglink.  Knows ELF and where
 * debug files are kept; must not know processes.
 */
#ifndef SYM_OBJFILE_H
#define SYM_OBJFILE_H

#include "sym/elf.h"
#include "sym/resolve.h"

struct objfile {
	struct elf_src src;
	const char *path;		     /* where it stands in its root; for .gnu_debuglink */
	int root_fd;			     /* the root it came from; -1: only ours */
	const char *const *debug_dirs;	     /* NULL-terminated */
	bool skip_beside;		     /* nothing in the file's folder and its .debug */
	char build_id[2 * BUILD_ID_MAX + 1]; /* out: lower-case hex, "" for none */
};

/* Name wants, file offsets.  On return want->at is the address in the file's own address space,
 * UINT64_MAX where no segment holds the offset.  -EINVAL: not an ELF file, wants untouched. */
int objfile_name(struct objfile *o, struct wants *w);

#endif
