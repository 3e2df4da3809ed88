/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The unwind table of an ELF file, compiled from its call frame information: 4 bytes per row, in
 * pages of 64 KiB of addresses (bpf/abi/cfi.h).  Files are untrusted: sizes are bounded, and all
 * loops ask a meter.  Knows ELF; must not know processes.
 */
#ifndef UNWIND_TABLE_H
#define UNWIND_TABLE_H

#include "sym/elf.h"
#include "unwind/rules.h"

struct unwind_stats {
	u64 n_fdes;
	u64 n_refused; /* FDEs that could not be used */
	u64 n_none;    /* rows whose rule is not supported */
	u64 n_over;    /* rows that did not fit: there is no table then */
};

struct unwind_table {
	u64 first_page;		    /* address / 64 KiB of pages.items[0] */
	VEC(struct cfi_page) pages; /* `first` is an index of `rows`, `chunk` is 0 */
	VEC(struct cfi_row) rows;
	struct unwind_stats stats;
};

/*
 * Build the table of a file, with at most `max_rows` rows.  Reads .eh_frame, and .debug_frame for
 * addresses that .eh_frame does not cover.  0; -ENOENT: the file has no call frame information;
 * -EINVAL: the file's kind is not supported; -E2BIG: it needs more rows.  The file's meter may end
 * the work early: the table then covers only a part.  Release it in any case.
 */
int unwind_table_build(struct unwind_table *t, const struct elf *e, struct unwind_rules *rules,
		       u32 max_rows);
void unwind_table_release(struct unwind_table *t);

/* The id of the rule at an address of the file; 0: none is known. */
u16 unwind_table_find(const struct unwind_table *t, u64 vaddr);

#endif
