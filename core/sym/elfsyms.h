/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names out of an ELF file's symbol tables and PLT, for wanted addresses (vaddrs of the file).
 * The tables are streamed; only the winners' names are read.
 */
#ifndef SYM_ELFSYMS_H
#define SYM_ELFSYMS_H

#include "sym/elf.h"
#include "sym/resolve.h"

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

/* One function of a symbol table. */
struct elf_symbol {
	u64 start, size; /* vaddr; size 0: not known */
	const char *name;
	bool is_defined;     /* here; else it is another file's, called through the PLT */
	bool is_ifunc;	     /* start is the function that chooses one when the file is loaded */
	bool is_old;	     /* a version (NAME@V) that no program built today gets */
	const char *version; /* SHT_DYNSYM, defined: "GLIBC_2.14"; NULL: it has none */
};

/*
 * All functions of the first table of this type (SHT_SYMTAB, SHT_DYNSYM), in its order, until fn
 * returns false.  Names live until it returns.  false: there is no such table, or it is broken.
 */
bool elfsyms_each(const struct elf *e, u32 sh_type,
		  bool (*fn)(void *ctx, const struct elf_symbol *s), void *ctx);

/* Of a symbol of any type, defined in the file. */
bool elfsyms_address(const struct elf *e, const char *name, u64 *vaddr);

#endif
