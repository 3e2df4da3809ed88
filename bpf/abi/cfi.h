/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Unwind tables.  User space builds them from .eh_frame, and the kernel side searches them.
 *
 *	process -> mapping -> page (64 KiB of a file's addresses) -> row -> rule
 *
 * Rows of a page are sorted by offset.  The first row of each page has offset 0 and holds the rule
 * that is in force where the page begins, so that a search never leaves its page.  Rules are shared
 * by all files.
 */
#ifndef BPF_ABI_CFI_H
#define BPF_ABI_CFI_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define CFI_PAGE_BITS  16
#define CFI_PAGE_BYTES (1 << CFI_PAGE_BITS)
#define CFI_RULES_MAX  4096 /* ids are 16 bits; all files of a big host have 1,700 */

/* Sizes of the kernel side's tables.  Rows are in chunks, which are separate maps, so that memory
 * is allocated only as needed.  A chunk's elements have CFI_ELEMENT_ROWS rows each, and a page
 * never continues in the next element. */
#define CFI_PROCESSES_MAX 8192
#define CFI_MAPPINGS_MAX  16384
#define CFI_PAGES_MAX	  32768 /* 2 GiB of code */
#define CFI_CHUNKS_MAX	  1024
#define CFI_ELEMENT_ROWS  8192 /* a page of compiled code has up to 3,500 */
#define CFI_ELEMENT_BYTES (CFI_ELEMENT_ROWS * 4)

/* CFA, the canonical frame address: the stack pointer's value before the call.  `off` and `add` are
 * those of struct cfi_rule. */
enum cfi_cfa {
	CFI_NONE,     /* not known: assembler or JIT code, or a rule that is not supported */
	CFI_END,      /* there is no caller: a thread begins here */
	CFI_SP,	      /* sp + off */
	CFI_FP,	      /* fp + off */
	CFI_SP_DEREF, /* *(sp + off) + add */
	CFI_FP_DEREF, /* *(fp + off) + add */
	CFI_PLT,      /* sp + 8; from byte `off` of each 16-byte entry on, 8 more */
	CFI_SIGNAL,   /* all registers are in the signal frame at sp */
	CFI_R10,      /* r10 + off, in a prologue that aligns the stack */
};

/* Where the caller's value of a register is.  Each of `words` is 8 bytes. */
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
	__u16 n;     /* number of rows; 0: nothing is known about this page */
	__u16 chunk;
};

/* An executable mapping of a process. */
struct cfi_mapping {
	__u64 start, end;
	__u64 bias;	  /* pc - bias is an address in the file, counted from its first page */
	__u32 first_page; /* index; without a table, CFI_IN_FILE or 0 */
	__u32 n_pages;	  /* 0: no table, frame pointers; or one of: */
};

#define CFI_IN_FILE 1 /* a file's code, which is not JIT code */

#define CFI_PENDING 0xffffffffU /* the table is built when user space gets a copy */
#define CFI_PUT_OFF 0xfffffffeU /* there was no time to build it: a copy is of no use now */

/* A process, by its thread group id: mappings first..first + n, sorted.  Its start time (that of
 * its first thread) and its number of execs show whether it is still the same program. */
struct cfi_process {
	__u64 start_time;
	__u32 exec_id;
	__u32 epoch; /* 1 to 65535: changes whenever all tables are removed */
	__u32 first, n;
	/* Stacks sent as copies since user space wrote this entry; negative if user space wrote it
	 * between the moment when a copy was charged and the moment when the charge was given
	 * back. */
	__s32 n_copies;
	__u32 pad;
};

/* `other`: a register that rules may need for a leaf: r10, in vfork() the one with the return
 * address, or on arm64 the link register. */
struct cfi_registers {
	__u64 pc, sp, fp, other;
};

/* A walk, per CPU. */
#define CFI_FRAMES_MAX 127
#define CFI_SEEN_BITS  8

struct cfi_walk {
	struct cfi_registers at;    /* registers of the frame that was reached */
	struct cfi_registers start; /* registers of the leaf */
	__u64 start_time;	    /* the process's */
	__u64 address_mask;	    /* regs_address() in bpf/regs.bpf.h */
	struct cfi_mapping mapping; /* the one that contained the last frame */
	__u32 first, n_mappings;
	__u32 epoch;	 /* the process's */
	__u32 n;	 /* frames so far */
	__u8 is_return;	 /* pc is a return address: the rule is that of the call before it */
	__u8 has_other;	 /* at.other is known */
	__u8 end;	 /* enum stack_end */
	__u8 is_waiting; /* a mapping or table was missing that user space may soon provide */
	/* Rules found by earlier walks, by a hash of the address: page (16 bits) and offset (16),
	 * rule, epoch.  Stacks have most of their frames in common with those before them. */
	__u64 seen[1 << CFI_SEEN_BITS];
	__u64 frames[CFI_FRAMES_MAX + 1];
};

#endif
