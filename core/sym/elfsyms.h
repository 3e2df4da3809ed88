/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names out of an ELF file's symbol tables and PLT, for wanted addresses (vaddrs of the file).
 * The tables are streamed; only the winners' names are read.
 */
#ifndef SYM_ELFSYMS_H
#define SYM_ELFSYMS_H

#include "sym/elf.h"
#include "sym/wants.h"

/*
 * .symtab, .dynsym: functions.  Symbols without a size count only in a .symtab, and only when
 * it lists all functions (is_full): elsewhere what follows one may be a function that isn't
 * listed.
 */
void elfsyms_name(const struct elf *e, struct wants *w, bool is_full);

/* Entries of .plt, .plt.sec, .plt.got: "malloc@plt". */
void elfplt_name(const struct elf *e, struct wants *w);

/* The symbol's name at `index` in a symbol table, for relocations.  false: none. */
bool elfsyms_name_at(const struct elf *e, const struct elf_section *tab, u32 index,
		     struct str *out);

#endif
