/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Gives the unwinder the symbolizer's mappings of processes, and the files in them.  All numbers of
 * files are valid until symbolizer_forget(). */
#ifndef SYM_MAPPINGS_H
#define SYM_MAPPINGS_H

#include "base/mem.h"
#include "sym/elf.h"
#include "sym/symbolizer.h"

struct sym_mapping {
	u64 start, end;
	u64 off;      /* the file offset of `start`, bytes */
	u32 file;     /* number */
	bool is_file; /* else it is code without a file, or special */
	bool is_seen; /* its file was examined: `file` identifies the file that is mapped there */
};

struct sym_mappings {
	VEC(struct sym_mapping) list; /* sorted */
};

/* Changes with each change of a process's mappings.  0: the process has ended, or is not known. */
u64 symbolizer_mappings_version(const struct symbolizer *s, u32 tgid);

/* Add the executable mappings of a process, as far as they are known. */
void symbolizer_mappings(const struct symbolizer *s, u32 tgid, struct sym_mappings *out);

/* The mapping that contains an address.  Examines the mapping's file, and reads /proc at a limited
 * rate if the mapping is not known.  false: there is none. */
bool symbolizer_mapping_at(struct symbolizer *s, u32 tgid, u64 addr, struct sym_mapping *out);

/* The identity of a file, regardless of its number and of how often it is mapped. */
struct sym_file_id {
	u64 dev, ino, mtime_ns, size;
	bool is_vdso;
};
struct sym_file_id symbolizer_file_id(const struct symbolizer *s, u32 file);

/* Open a file that was examined; the caller closes src->fd, unless it is negative.  Returns 0 or
 * -errno: -EAGAIN if only the helper process may touch it. */
int symbolizer_file_open(struct symbolizer *s, u32 file, struct elf_src *src);

#endif
