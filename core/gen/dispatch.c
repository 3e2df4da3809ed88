// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tail calls from one program to the next, by the number of the system call. */
#include "gen/gen_int.h"

void gen_next(struct gen *g)
{
	const struct gen_next *next = &g->plan->next;
	u32 none = insns_label(g->in);

	gen_value(g, next->number, none);
	gen_jump(g, INSN_JMP_K(BPF_JGE, BPF_REG_0, GEN_SYSCALLS_MAX), none);
	if (next->first)
		gen_emit(g, INSN_ALU_K(BPF_ADD, BPF_REG_0, (s32)next->first));
	gen_emit(g, INSN_MOV_X(BPF_REG_1, R_CTX));
	insns_map(g->in, BPF_REG_2, next->progs_fd);
	gen_emit(g, INSN_MOV_X(BPF_REG_3, BPF_REG_0));
	gen_emit(g, INSN_CALL(BPF_FUNC_tail_call));
	insns_place(g->in, none);
}

void gen_dispatch(struct gen *g)
{
	gen_next(g);
	gen_jump(g, INSN_JA, g->end);
}
