/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The control flow of BPF programs, as the kernel takes them. */
#ifndef RUN_INSN_H
#define RUN_INSN_H

#include <linux/bpf.h>

#include "base/types.h"

static inline u8 insn_class(const struct bpf_insn *insn)
{
	return BPF_CLASS(insn->code);
}

static inline bool insn_is_wide(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LD | BPF_IMM | BPF_DW);
}

static inline u32 insn_width(const struct bpf_insn *insn)
{
	return insn_is_wide(insn) ? 2 : 1;
}

static inline bool insn_is_alu(const struct bpf_insn *insn)
{
	return insn_class(insn) == BPF_ALU || insn_class(insn) == BPF_ALU64;
}

static inline bool insn_is_branch(const struct bpf_insn *insn)
{
	return insn_class(insn) == BPF_JMP || insn_class(insn) == BPF_JMP32;
}

static inline bool insn_is_call(const struct bpf_insn *insn)
{
	return insn_class(insn) == BPF_JMP && BPF_OP(insn->code) == BPF_CALL;
}

static inline bool insn_is_exit(const struct bpf_insn *insn)
{
	return insn_class(insn) == BPF_JMP && BPF_OP(insn->code) == BPF_EXIT;
}

static inline bool insn_is_goto(const struct bpf_insn *insn)
{
	return insn_is_branch(insn) && BPF_OP(insn->code) == BPF_JA;
}

/* A jump that is not always taken. */
static inline bool insn_is_condition(const struct bpf_insn *insn)
{
	return insn_is_branch(insn) && !insn_is_goto(insn) && !insn_is_call(insn) &&
	       !insn_is_exit(insn);
}

/* A reference to a function of the same program: a call, or the address of a callback. */
static inline bool insn_is_reference(const struct bpf_insn *insn)
{
	return (insn_is_call(insn) && insn->src_reg == BPF_PSEUDO_CALL) ||
	       (insn_is_wide(insn) && insn->src_reg == BPF_PSEUDO_FUNC);
}

static inline bool insn_is_jump(const struct bpf_insn *insn)
{
	return insn_is_goto(insn) || insn_is_condition(insn);
}

/* In the 32-bit class, the distance of a goto is in imm (gotol, Linux 6.6). */
static inline bool insn_is_long_jump(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP32 | BPF_JA);
}

/* The target of a jump or a reference. */
static inline u32 insn_target(const struct bpf_insn *insns, u32 i)
{
	const struct bpf_insn *insn = &insns[i];
	s32 distance = insn_is_reference(insn) || insn_is_long_jump(insn) ? insn->imm : insn->off;

	return (u32)((s64)i + 1 + distance);
}

static inline void insn_set_distance(struct bpf_insn *insn, s32 distance)
{
	if (insn_is_reference(insn) || insn_is_long_jump(insn))
		insn->imm = distance;
	else
		insn->off = (__s16)distance;
}

#endif
