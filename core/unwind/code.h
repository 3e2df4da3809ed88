/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The executable segments of an ELF file, and where a mapping puts them.
 */
#ifndef UNWIND_CODE_H
#define UNWIND_CODE_H

#include "sym/elf.h"
#include "sym/mappings.h"

struct unwind_code {
	VEC(struct elf_segment) segments;
};

/* Copy the executable segments of a file; `out` is empty. */
void unwind_code_init(struct unwind_code *out, const struct elf *e);
void unwind_code_release(struct unwind_code *code);

/* The distance from a mapping's addresses to those of the file.  false: the mapping contains no
 * code of the file. */
bool unwind_code_bias(const struct unwind_code *code, const struct sym_mapping *m, u64 *bias);

#endif
