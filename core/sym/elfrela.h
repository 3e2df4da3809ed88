/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A file's relocations: the values that the loader writes into its slots. */
#ifndef SYM_ELFRELA_H
#define SYM_ELFRELA_H

#include <elf.h>

#include "sym/elf.h"

/* `index` is the relocation's number in its section. */
typedef void (*elfrela_fn)(void *ctx, const struct elf *e, const struct elf_section *sec, u64 index,
			   const Elf64_Rela *r);

/* Call fn with all relocations with addends of a 64-bit file, section by section.  Those in a hole
 * of the file are all zero, and are skipped. */
void elfrela_each(const struct elf *e, elfrela_fn fn, void *ctx);

/* Does it fill a slot through which a function is called by name (a jump slot, or an entry of the
 * GOT)?  Most others are relative. */
bool elfrela_is_call(const struct elf *e, const Elf64_Rela *r);

/* Does it fill a slot with the address that the resolver at r_addend returns (IRELATIVE)? */
bool elfrela_is_resolved(const struct elf *e, const Elf64_Rela *r);

#endif
