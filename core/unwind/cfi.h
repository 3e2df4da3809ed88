/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Call frame information: the entries of .eh_frame and .debug_frame (DWARF 5, section 6.4; LSB 5.0
 * for .eh_frame), and the programs in them that say where a caller's registers are.  Knows that
 * format; must not know files, tables or processes.
 *
 * A CIE contains the data that many functions share, an FDE the program for one range of addresses.
 */
#ifndef UNWIND_CFI_H
#define UNWIND_CFI_H

#include "base/index.h"
#include "base/mem.h"
#include "sym/meter.h"
#include "unwind/cursor.h"
#include "unwind/rules.h"

/* DWARF's numbers of the registers that a walk follows. */
struct cfi_machine {
	u8 sp, fp, ra;
	u8 scratch; /* the register of CFI_R10; 255: none */
	u8 vfork;   /* the one in which vfork() keeps its return address; 255: on the stack */
	bool has_plt_expression;
};

/* The machine of an ELF file (EM_X86_64, EM_AARCH64), or NULL: it is not supported. */
const struct cfi_machine *cfi_machine_of(u16 elf_machine);

struct cfi_section {
	const u8 *bytes; /* borrowed */
	size_t size;	 /* bytes, below 4 GiB */
	u64 vaddr;     /* where .eh_frame is loaded: addresses are relative to their own position */
	bool is_debug; /* .debug_frame */
};

enum cfi_where {
	CFI_IS_SAME,
	CFI_IS_UNDEFINED,
	CFI_IS_AT, /* at CFA + off */
	CFI_IS_EXPRESSION,
	CFI_IS_REGISTER, /* in the register with the number `off` */
	CFI_IS_OTHER,	 /* computed */
};

struct cfi_register {
	enum cfi_where where;
	s64 off;
	struct cursor expression;
};

/* The rules that a program gives for one address. */
struct cfi_state {
	bool is_expression; /* the CFA is computed by `expression`, else it is reg + off */
	u64 reg;
	s64 off;
	struct cursor expression;
	struct cfi_register fp, ra;
};

struct cfi_cie {
	u64 at; /* in the section */
	u64 code_align, return_reg;
	s64 data_align;
	u8 encoding; /* the format of addresses, DW_EH_PE_* */
	bool has_augmentation, is_signal, is_usable;
	struct cfi_state start;
};

/* One FDE. */
struct cfi_fde {
	u64 start;
	u32 n;	   /* number of addresses that it covers */
	u32 cie;   /* index */
	u32 at;	   /* where its program begins in the section, bytes */
	u32 bytes; /* size of the program */
};

/* The data read from one section. */
struct cfi_reader {
	struct cfi_section section;
	const struct cfi_machine *machine;
	struct meter *meter; /* borrowed; NULL: no limits */
	VEC(struct cfi_cie) cies;
	struct index by_at;
	u32 last;      /* CIE used last */
	u64 n_refused; /* FDEs that cannot be used: broken, or in an encoding that no compiler
			  writes */
};

void cfi_reader_init(struct cfi_reader *r, const struct cfi_section *section,
		     const struct cfi_machine *machine, struct meter *meter);
void cfi_reader_release(struct cfi_reader *r);

/* Call take() for each FDE, in the order of the section.  Ends early if the meter is over. */
void cfi_reader_each(struct cfi_reader *r, void (*take)(void *ctx, const struct cfi_fde *fde),
		     void *ctx);

/* Read the FDE at an offset of the section.  false: there is none, or it cannot be used. */
bool cfi_reader_fde(struct cfi_reader *r, u64 at, struct cfi_fde *fde);

/* Run an FDE's program, and call row() with each address at which a new rule comes into force. */
struct cfi_rows {
	void (*row)(void *ctx, u64 addr, const struct cfi_rule *rule);
	void *ctx;
};
void cfi_run(const struct cfi_reader *r, const struct cfi_fde *fde, const struct cfi_rows *rows);

/* The initial state of a CIE, by its own program.  false: it is broken. */
bool cfi_run_cie(const struct cfi_reader *r, struct cfi_cie *cie, struct cursor program);

/* The rule of a state; CFI_NONE if walks do not support it. */
struct cfi_rule cfi_encode(const struct cfi_machine *machine, const struct cfi_state *state,
			   bool is_signal);

#endif
