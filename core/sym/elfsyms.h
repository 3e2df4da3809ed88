/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names from an ELF file's symbol tables and PLT, for wanted addresses (vaddrs of the file).
 * Tables are streamed; only the names of the best symbols are read.
 */
#ifndef SYM_ELFSYMS_H
#define SYM_ELFSYMS_H

#include "sym/elf.h"
#include "sym/resolve.h"

/*
 * Name functions, or data (w->is_data), from .symtab or .dynsym.  Symbols without a size are used
 * only in a .symtab that lists all functions (is_full): in other tables the code after such a
 * symbol may belong to a function that is not listed.
 */
void elfsyms_name(const struct elf *e, struct wants *w, bool is_full);

/* Name entries of .plt, .plt.sec and .plt.got: "malloc@plt". */
void elfplt_name(const struct elf *e, struct wants *w);

/* The name of the symbol at `index` in a symbol table, for relocations.  Returns false if there is
 * none. */
bool elfsyms_name_at(const struct elf *e, const struct elf_section *tab, u32 index,
		     struct str *out);

/* One function of a symbol table. */
struct elf_symbol {
	u64 start, size; /* vaddr; size 0: not known */
	const char *name;
	bool is_defined; /* defined here; false: in another file, called through the PLT */
	bool is_ifunc;	 /* start is the resolver, which chooses the implementation at load time */
	bool is_old;	 /* a version (NAME@V) that newly built programs do not get */
	const char *version; /* SHT_DYNSYM, defined: "GLIBC_2.14"; NULL: it has none */
};

/*
 * All functions of the first table of this type (SHT_SYMTAB, SHT_DYNSYM), in its order, until fn
 * returns false.  Names live until it returns.  false: there is no such table, or it is broken.
 */
bool elfsyms_each(const struct elf *e, u32 sh_type,
		  bool (*fn)(void *ctx, const struct elf_symbol *s), void *ctx);

/* The address of a symbol, of any type, that the file defines.  false: there is none. */
bool elfsyms_address(const struct elf *e, const char *name, u64 *vaddr);

#endif
