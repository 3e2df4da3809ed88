/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The program that dead code is removed from, and predicates of instructions. */
#ifndef RUN_DEADCODE_INT_H
#define RUN_DEADCODE_INT_H

#include "base/mem.h"
#include "run/deadcode.h"

#define N_REGS 10 /* r0 to r9; the frame pointer is no constant */

/* An instruction can be executed, and then: */
enum {
	IS_LIVE = 1,
	GOES_ON = 2, /* to the next one */
	JUMPS = 4,
};

struct dead_pass {
	struct bpf_insn *insns;
	u32 n;
	const struct deadcode_data *data;
	size_t n_data;
	u8 *ways;    /* by instruction; 0 if it is dead */
	u16 *needed; /* by instruction: the registers whose values are read from there on */
};

static inline u8 class_of(const struct bpf_insn *insn)
{
	return BPF_CLASS(insn->code);
}

static inline bool is_wide(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LD | BPF_IMM | BPF_DW);
}

static inline u32 width(const struct bpf_insn *insn)
{
	return is_wide(insn) ? 2 : 1;
}

static inline bool is_alu(const struct bpf_insn *insn)
{
	return class_of(insn) == BPF_ALU || class_of(insn) == BPF_ALU64;
}

static inline bool is_branch(const struct bpf_insn *insn)
{
	return class_of(insn) == BPF_JMP || class_of(insn) == BPF_JMP32;
}

static inline bool is_call(const struct bpf_insn *insn)
{
	return class_of(insn) == BPF_JMP && BPF_OP(insn->code) == BPF_CALL;
}

static inline bool is_exit(const struct bpf_insn *insn)
{
	return class_of(insn) == BPF_JMP && BPF_OP(insn->code) == BPF_EXIT;
}

static inline bool is_goto(const struct bpf_insn *insn)
{
	return is_branch(insn) && BPF_OP(insn->code) == BPF_JA;
}

/* A jump that is not always taken. */
static inline bool is_condition(const struct bpf_insn *insn)
{
	return is_branch(insn) && !is_goto(insn) && !is_call(insn) && !is_exit(insn);
}

/* A reference to a function of the same program: a call, or the address of a callback. */
static inline bool is_reference(const struct bpf_insn *insn)
{
	return (is_call(insn) && insn->src_reg == BPF_PSEUDO_CALL) ||
	       (is_wide(insn) && insn->src_reg == BPF_PSEUDO_FUNC);
}

static inline bool is_jump(const struct bpf_insn *insn)
{
	return is_goto(insn) || is_condition(insn);
}

/* In the 32-bit class, the distance of a goto is in imm (gotol, Linux 6.6). */
static inline bool is_long_jump(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP32 | BPF_JA);
}

/* The target of a jump or a reference. */
static inline u32 target(const struct dead_pass *p, u32 i)
{
	const struct bpf_insn *insn = &p->insns[i];
	s32 distance = is_reference(insn) || is_long_jump(insn) ? insn->imm : insn->off;

	return (u32)((s64)i + 1 + distance);
}

static inline void set_distance(struct bpf_insn *insn, s32 distance)
{
	if (is_reference(insn) || is_long_jump(insn))
		insn->imm = distance;
	else
		insn->off = (__s16)distance;
}

/* Finds the ways of each instruction, and replaces those that always give the same number by moves
 * of it.  False: the program is malformed, and unchanged. */
bool constants_find(struct dead_pass *p);

#endif
