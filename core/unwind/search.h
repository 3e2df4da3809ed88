/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rules of single addresses of an ELF file, without its table: the FDE of each is found by binary
 * search in .eh_frame_hdr (LSB 5.0, section 10.6.2), which linkers write for C++ exceptions.  For
 * some addresses this is much cheaper than a table: 0.1 ms for libc, whose table takes 2.4 ms, and
 * 1.3 ms for libLLVM, whose table takes 82 ms.
 * Files are untrusted: an address that the search does not find may still be in a table.
 */
#ifndef UNWIND_SEARCH_H
#define UNWIND_SEARCH_H

#include "bpf/abi/cfi.h"
#include "unwind/code.h"

struct unwind_search;

/* Reads all that it needs; NULL: the file has no .eh_frame_hdr, or one of another kind than the
 * linkers write, or it costs too much. */
struct unwind_search *unwind_search_new(const struct elf_src *src);
void unwind_search_free(struct unwind_search *s); /* NULL is fine */

const struct unwind_code *unwind_search_code(const struct unwind_search *s);

/* The rule at an address of the file; CFI_NONE if walks do not support it.  false: the search finds
 * no FDE there. */
bool unwind_search_rule(struct unwind_search *s, u64 vaddr, struct cfi_rule *rule);

#endif
