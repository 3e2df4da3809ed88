/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The structure of an ELF file: segments, sections, build id, section contents.  Everything is read
 * with bounded preads: a mapping of the file would raise SIGBUS when somebody truncates it.  No
 * number in the file is trusted: each one is checked before use.  Knows ELF; must not know
 * processes.
 */
#ifndef SYM_ELF_H
#define SYM_ELF_H

#include "base/mem.h"
#include "base/str.h"
#include "base/types.h"
#include "sym/meter.h"

#define BUILD_ID_MAX 64 /* bytes; SHA-1 has 20 */

/* The source of the bytes: a descriptor or memory, both borrowed. */
struct elf_src {
	int fd; /* used if mem is NULL */
	const void *mem;
	u64 size;
	struct meter *meter; /* limits reads from the descriptor; borrowed; NULL: no limit */
};

/* Read all `n` bytes at `off`.  Returns false if that fails, or if the meter is over. */
bool elf_src_read(const struct elf_src *src, u64 off, void *out, size_t n);

/* Read up to n bytes; returns how many were read. */
size_t elf_src_read_some(const struct elf_src *src, u64 off, void *out, size_t n);

/*
 * The offset of the first byte at or after `off` that may be nonzero: a file of any size may
 * consist of a hole, which costs its owner nothing, but costs us time and page cache to read.
 * Returns src->size if only a hole follows.
 */
u64 elf_src_data(const struct elf_src *src, u64 off);

struct elf_segment {
	u64 off, vaddr, file_size, mem_size;
	bool is_exec;
};

struct elf_section {
	char name[24]; /* truncated, but the names that we look for are shorter */
	u32 type, link, info;
	u64 flags, addr, off, size, entsize;
};

struct elf {
	struct elf_src src;
	bool is_64;
	u16 machine;
	VEC(struct elf_segment) loads; /* PT_LOAD only */
	VEC(struct elf_section) sections;
	u8 build_id[BUILD_ID_MAX];
	u32 n_build_id; /* 0: none */
};

/* Read the headers.  Returns 0, or -EINVAL if the file is not an ELF file of this machine's byte
 * order.  Broken section tables leave `sections` empty, broken segments `loads`. */
int elf_init(struct elf *e, const struct elf_src *src);
void elf_release(struct elf *e);

/* The address, in the file's own address space, of a file offset; executable segments are preferred
 * if two segments hold the same page of the file. */
bool elf_vaddr(const struct elf *e, u64 off, u64 *vaddr);

/* NULL if there is none. */
const struct elf_section *elf_section_named(const struct elf *e, const char *name);
const struct elf_section *elf_section_typed(const struct elf *e, u32 type);

/* The executable section that holds an address, or NULL. */
const struct elf_section *elf_section_at(const struct elf *e, u64 vaddr);

/* Load a section's bytes, inflated if compressed (zlib).  Returns 0 or -errno: -E2BIG if there are
 * more than `max`.  `out` is empty; memory for holes in the file is left untouched. */
int elf_section_load(const struct elf *e, const struct elf_section *sec, size_t max,
		     struct str *out);

/* The source from which to read a section: the file, or `hold` if the section had to be inflated.
 * *off is its offset there, *size its length. */
int elf_section_src(const struct elf *e, const struct elf_section *sec, struct str *hold,
		    struct elf_src *src, u64 *off, u64 *size);

#endif
