/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A program under construction: instructions, labels, stack slots within a budget, and which text
 * each instruction is for.  Knows BPF's encoding; must not know trees, and makes no system call.
 */
#ifndef GEN_INSNS_H
#define GEN_INSNS_H

#include <linux/bpf.h>

#include "base/mem.h"
#include "base/source.h"

/* What generated code may use of the 512 bytes: the fixed functions it calls have the rest
 * (bpf/abi/fixed.h). */
#define INSNS_STACK_BYTES 256

/* Every kernel takes this many from those who may load tracing programs; the verifier's budget is
 * in steps (a million), and generated code has no loops without a small bound. */
#define INSNS_MAX 16384

struct insns_label {
	u32 at; /* instruction; UINT32_MAX: not placed yet */
};

struct insns_fix {
	u32 insn, label;
};

struct insns {
	VEC(struct bpf_insn) code;
	VEC(struct span) spans; /* of each instruction; n == 0: ours */
	VEC(struct insns_label) labels;
	VEC(struct insns_fix) fixes; /* jumps to labels, resolved by insns_finish */
	VEC(struct insns_fix) calls; /* of fixed functions: `label` is an enum fixed_fn */
	struct span span;	     /* of what is emitted now */
	u32 stack_used, stack_max;   /* bytes below r10 */
	bool is_broken;		     /* over a budget: insns_finish says which */
	struct span broken_at;
};

/* Encodings, by what they do: _K takes an immediate, _X a register. */
#define INSN_(c, d, s, o, i)                   \
	((struct bpf_insn){ .code = (__u8)(c), \
			    .dst_reg = (d)&15, \
			    .src_reg = (s)&15, \
			    .off = (__s16)(o), \
			    .imm = (__s32)(i) })
#define INSN_ALU_K(op, d, i)	    INSN_(BPF_ALU64 | BPF_K | (op), d, 0, 0, i)
#define INSN_ALU_X(op, d, s)	    INSN_(BPF_ALU64 | BPF_X | (op), d, s, 0, 0)
#define INSN_ALU32_K(op, d, i)	    INSN_(BPF_ALU | BPF_K | (op), d, 0, 0, i)
#define INSN_ALU32_X(op, d, s)	    INSN_(BPF_ALU | BPF_X | (op), d, s, 0, 0)
#define INSN_MOV_K(d, i)	    INSN_ALU_K(BPF_MOV, d, i)
#define INSN_MOV_X(d, s)	    INSN_ALU_X(BPF_MOV, d, s)
#define INSN_MOV32_K(d, i)	    INSN_ALU32_K(BPF_MOV, d, i)
#define INSN_NEG(d)		    INSN_ALU_K(BPF_NEG, d, 0)
#define INSN_SWAP(d, bits)	    INSN_(BPF_ALU | BPF_END | BPF_TO_BE, d, 0, 0, bits)
#define INSN_LOAD(size, d, s, o)    INSN_(BPF_LDX | BPF_MEM | (size), d, s, o, 0)
#define INSN_STORE(size, d, o, s)   INSN_(BPF_STX | BPF_MEM | (size), d, s, o, 0)
#define INSN_STORE_K(size, d, o, i) INSN_(BPF_ST | BPF_MEM | (size), d, 0, o, i)
#define INSN_ADD_ATOMIC(d, o, s)    INSN_(BPF_STX | BPF_XADD | BPF_DW, d, s, o, 0)
#define INSN_JMP_K(op, d, i)	    INSN_(BPF_JMP | BPF_K | (op), d, 0, 0, i)
#define INSN_JMP_X(op, d, s)	    INSN_(BPF_JMP | BPF_X | (op), d, s, 0, 0)
#define INSN_JA			    INSN_(BPF_JMP | BPF_JA, 0, 0, 0, 0)
#define INSN_CALL(helper)	    INSN_(BPF_JMP | BPF_CALL, 0, 0, 0, helper)
#define INSN_EXIT		    INSN_(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

void insns_init(struct insns *in);
void insns_release(struct insns *in);

void insns_emit(struct insns *in, struct bpf_insn insn);
void insns_imm64(struct insns *in, u8 reg, u64 value); /* 1 or 2 instructions */
void insns_map(struct insns *in, u8 reg, int map_fd);  /* the map's address */
/* That of an array's first value. */
void insns_map_value(struct insns *in, u8 reg, int map_fd);
void insns_fixed(struct insns *in, u32 fixed_fn); /* call a fixed function (r1-r5 -> r0) */

u32 insns_label(struct insns *in); /* a new one, not placed */
void insns_place(struct insns *in, u32 label);
void insns_jump(struct insns *in, struct bpf_insn insn, u32 label); /* insn.off is filled in */
/* Does something jump there?  The verifier refuses code that nothing leads to. */
bool insns_is_used(const struct insns *in, u32 label);

/* Bytes of stack, 8-aligned; returns the (negative) offset from r10.  insns_stack_pop gives back
 * down to a value of stack_used seen earlier. */
s32 insns_stack(struct insns *in, u32 bytes);
void insns_stack_pop(struct insns *in, u32 used);

/* Resolve jumps.  -code with a caret under what made the program too big. */
int insns_finish(struct insns *in, const struct text *t, struct err *err);

/* The text that an instruction is for (a verifier's "insn N"); n == 0: none of the user's. */
struct span insns_span(const struct insns *in, u32 insn);

/* One line per instruction, bpftool's syntax; the user's text before the code it became. */
struct str;
void insns_dump(const struct insns *in, const struct text *t, struct str *out);

#endif
