// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "gen/insns.h"

#include "base/err.h"

#define NOT_PLACED UINT32_MAX

void insns_init(struct insns *in)
{
	*in = (struct insns){ 0 };
}

void insns_release(struct insns *in)
{
	vec_release(&in->code);
	vec_release(&in->spans);
	vec_release(&in->labels);
	vec_release(&in->fixes);
	vec_release(&in->calls);
}

static void break_budget(struct insns *in)
{
	if (in->is_broken)
		return;
	in->is_broken = true;
	in->broken_at = in->span;
}

void insns_emit(struct insns *in, struct bpf_insn insn)
{
	if (in->code.n >= INSNS_MAX) {
		break_budget(in);
		return;
	}
	vec_push(&in->code, insn);
	vec_push(&in->spans, in->span);
}

void insns_imm64(struct insns *in, u8 reg, u64 value)
{
	if ((s64)value == (s32)value) {
		insns_emit(in, INSN_MOV_K(reg, (s32)value));
	} else if (value <= UINT32_MAX) {
		insns_emit(in, INSN_MOV32_K(reg, (s32)value));
	} else {
		insns_emit(in, (struct bpf_insn){ .code = BPF_LD | BPF_DW | BPF_IMM,
						  .dst_reg = reg,
						  .imm = (s32)(u32)value });
		insns_emit(in, (struct bpf_insn){ .imm = (s32)(value >> 32) });
	}
}

static void load_map(struct insns *in, u8 reg, u8 what, int map_fd)
{
	insns_emit(in, (struct bpf_insn){ .code = BPF_LD | BPF_DW | BPF_IMM,
					  .dst_reg = reg,
					  .src_reg = what,
					  .imm = map_fd });
	insns_emit(in, (struct bpf_insn){ 0 });
}

void insns_map(struct insns *in, u8 reg, int map_fd)
{
	load_map(in, reg, BPF_PSEUDO_MAP_FD, map_fd);
}

void insns_map_value(struct insns *in, u8 reg, int map_fd)
{
	load_map(in, reg, BPF_PSEUDO_MAP_VALUE, map_fd);
}

void insns_fixed(struct insns *in, u32 fixed_fn)
{
	vec_push(&in->calls, (struct insns_fix){ .insn = (u32)in->code.n, .label = fixed_fn });
	insns_emit(in, (struct bpf_insn){
			       .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = -1 });
}

u32 insns_label(struct insns *in)
{
	vec_push(&in->labels, (struct insns_label){ .at = NOT_PLACED });
	return (u32)in->labels.n - 1;
}

void insns_place(struct insns *in, u32 label)
{
	in->labels.items[label].at = (u32)in->code.n;
}

void insns_jump(struct insns *in, struct bpf_insn insn, u32 label)
{
	vec_push(&in->fixes, (struct insns_fix){ .insn = (u32)in->code.n, .label = label });
	insns_emit(in, insn);
}

bool insns_is_used(const struct insns *in, u32 label)
{
	/* Jumps to a label are close to it, so search from the newest. */
	for (size_t i = in->fixes.n; i-- > 0;)
		if (in->fixes.items[i].label == label)
			return true;
	return false;
}

s32 insns_stack(struct insns *in, u32 bytes)
{
	bytes = (bytes + 7) & ~7U;
	in->stack_used += bytes;
	if (in->stack_used > in->stack_max)
		in->stack_max = in->stack_used;
	if (in->stack_used > INSNS_STACK_BYTES)
		break_budget(in);
	return -(s32)in->stack_used;
}

void insns_stack_pop(struct insns *in, u32 used)
{
	in->stack_used = used;
}

int insns_finish(struct insns *in, const struct text *t, struct err *err)
{
	const struct insns_fix *fix;

	if (in->is_broken && in->stack_max > INSNS_STACK_BYTES) {
		text_error(t, in->broken_at, err,
			   "the expression is too deep: its intermediate values take more than "
			   "%d bytes of BPF stack",
			   INSNS_STACK_BYTES);
		return err_hint(err, "split it into several arguments");
	}
	if (in->is_broken)
		return text_error(t, in->broken_at, err,
				  "the probe needs more than %d BPF instructions", INSNS_MAX);
	vec_for_each(fix, &in->fixes) {
		u32 at = in->labels.items[fix->label].at;

		in->code.items[fix->insn].off = (__s16)((s32)at - (s32)fix->insn - 1);
	}
	in->fixes.n = 0;
	return 0;
}

struct text_range insns_span(const struct insns *in, u32 insn)
{
	return insn < in->spans.n ? in->spans.items[insn] : (struct text_range){ 0 };
}
