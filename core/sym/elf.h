/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The frame of an ELF file: segments, sections, build id, bytes of a section.  Everything is read
 * with bounded preads: a mapping of the file would be a SIGBUS when somebody truncates it.  Every
 * number in the file is a claim, checked before use.  Knows ELF; must not know processes.
 */
#ifndef SYM_ELF_H
#define SYM_ELF_H

#include "base/mem.h"
#include "base/str.h"
#include "base/types.h"
#include "sym/meter.h"

#define BUILD_ID_MAX 64 /* bytes; SHA-1 has 20 */

/* Where bytes come from: a descriptor or memory, both borrowed. */
struct elf_src {
	int fd; /* used when mem is NULL */
	const void *mem;
	u64 size;
	struct meter *meter; /* what may be read of the descriptor, borrowed; NULL: all */
};

/* All `n` bytes at `off`, or false: also when the meter is over. */
bool elf_src_read(const struct elf_src *src, u64 off, void *out, size_t n);

/* As many as there are, at most n; returns how many. */
size_t elf_src_read_some(const struct elf_src *src, u64 off, void *out, size_t n);

/*
 * Where the next byte at or after `off` is that may be no zero: a file may claim any size and fill
 * it with a hole that costs its owner nothing, and us the time and the page cache to read it.
 * src->size when only a hole follows.
 */
u64 elf_src_data(const struct elf_src *src, u64 off);

struct elf_segment {
	u64 off, vaddr, file_size, mem_size;
	bool is_exec;
};

struct elf_section {
	char name[24]; /* cut: the names we look for are shorter */
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

/* Read headers.  0, or -EINVAL when it is no ELF file of this machine's byte order.  Broken
 * section tables leave `sections` empty, broken segments `loads`. */
int elf_init(struct elf *e, const struct elf_src *src);
void elf_release(struct elf *e);

/* A file offset's address in the file's own address space; executable segments are preferred
 * where two hold the same page of the file. */
bool elf_vaddr(const struct elf *e, u64 off, u64 *vaddr);

/* NULL when there is none. */
const struct elf_section *elf_section_named(const struct elf *e, const char *name);
const struct elf_section *elf_section_typed(const struct elf *e, u32 type);

/* The executable section that holds an address, or NULL. */
const struct elf_section *elf_section_at(const struct elf *e, u64 vaddr);

/* A section's bytes, inflated when compressed (zlib), at most `max`: -E2BIG when there are more.
 * `out` is empty; where the file has holes its memory stays untouched.  0 or -errno. */
int elf_section_load(const struct elf *e, const struct elf_section *sec, size_t max,
		     struct str *out);

/* Where to read a section: the file, or `hold` when it had to be inflated.  *off is where it
 * begins, *size how long it is. */
int elf_section_src(const struct elf *e, const struct elf_section *sec, struct str *hold,
		    struct elf_src *src, u64 *off, u64 *size);

#endif
