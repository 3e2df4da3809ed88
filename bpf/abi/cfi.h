/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Unwind tables, as user space builds them from .eh_frame and the kernel side searches them.
 *
 *	mapping -> page (64 KiB of a file's addresses) -> row -> rule
 *
 * Rows of a page are sorted by offset.  The first one of each page has offset 0: the rule that is
 * in force where the page begins, so that no search leaves its page.  Rules are shared by all
 *files.
 */
#ifndef BPF_ABI_CFI_H
#define BPF_ABI_CFI_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define CFI_PAGE_BITS  16
#define CFI_PAGE_BYTES (1 << CFI_PAGE_BITS)
#define CFI_RULES_MAX  16384 /* ids are 16 bits; all files of a big host have 1,700 */

/* CFA, the canonical frame address: the stack pointer's value before the call.  `off` and `add` are
 * those of struct cfi_rule. */
enum cfi_cfa {
	CFI_NONE,     /* not known: code of an assembler or JIT, or a rule that is not supported */
	CFI_END,      /* there is no caller: a thread begins here */
	CFI_SP,	      /* sp + off */
	CFI_FP,	      /* fp + off */
	CFI_SP_DEREF, /* *(sp + off) + add */
	CFI_FP_DEREF, /* *(fp + off) + add */
	CFI_PLT,      /* sp + 8, and 8 more from byte `off` of each 16 on */
	CFI_SIGNAL,   /* all registers are in the signal frame at sp */
	CFI_R10,      /* r10 + off, in a prologue that aligns the stack */
};

/* Where the caller's value of a register is.  `words` are 8 bytes. */
enum cfi_saved {
	CFI_SAME,   /* still in the register */
	CFI_AT_CFA, /* at CFA + words */
	CFI_AT_FP,  /* at fp + words */
	CFI_AT_SP,  /* at sp + words */
	CFI_LOST,
};

struct cfi_rule {
	__u8 cfa;    /* enum cfi_cfa */
	__u8 fp, ra; /* enum cfi_saved: the frame pointer, the return address */
	__u8 pad;
	__s32 off, add; /* bytes */
	__s16 fp_words, ra_words;
};

struct cfi_row {
	__u16 off;  /* from the page's start, bytes */
	__u16 rule; /* id; 0 is CFI_NONE */
};

struct cfi_page {
	__u32 first; /* row, within its chunk */
	__u16 n;     /* number of rows; 0: nothing is known of this page */
	__u16 chunk;
};

#endif
