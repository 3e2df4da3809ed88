// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Writes instructions as text, in bpftool's syntax. */
#include "base/str.h"
#include "bpf/abi/fixed.h"
#include "gen/insns.h"

static const char *const helper_names[] = {
#define NAME(x) #x
	__BPF_FUNC_MAPPER(NAME)
#undef NAME
};

static const char *const fixed_names[] = {
#define X(name, args) #name,
	FIXED_FNS(X)
#undef X
};

static const char *const alu_ops[16] = {
	[BPF_ADD >> 4] = "+=",	[BPF_SUB >> 4] = "-=",	  [BPF_MUL >> 4] = "*=",
	[BPF_DIV >> 4] = "/=",	[BPF_OR >> 4] = "|=",	  [BPF_AND >> 4] = "&=",
	[BPF_LSH >> 4] = "<<=", [BPF_RSH >> 4] = ">>=",	  [BPF_MOD >> 4] = "%=",
	[BPF_XOR >> 4] = "^=",	[BPF_ARSH >> 4] = "s>>=", [BPF_MOV >> 4] = "=",
};

static const char *const jump_ops[16] = {
	[BPF_JEQ >> 4] = "==",	 [BPF_JGT >> 4] = ">",	  [BPF_JGE >> 4] = ">=",
	[BPF_JSET >> 4] = "&",	 [BPF_JNE >> 4] = "!=",	  [BPF_JSGT >> 4] = "s>",
	[BPF_JSGE >> 4] = "s>=", [BPF_JLT >> 4] = "<",	  [BPF_JLE >> 4] = "<=",
	[BPF_JSLT >> 4] = "s<",	 [BPF_JSLE >> 4] = "s<=",
};

static const char *width(u8 code)
{
	switch (BPF_SIZE(code)) {
	case BPF_B:
		return "u8";
	case BPF_H:
		return "u16";
	case BPF_W:
		return "u32";
	default:
		return "u64";
	}
}

static void dump_alu(const struct bpf_insn *insn, struct str *out)
{
	char r = BPF_CLASS(insn->code) == BPF_ALU64 ? 'r' : 'w';
	u8 op = BPF_OP(insn->code);

	if (op == BPF_NEG)
		str_addf(out, "%c%u = -%c%u", r, insn->dst_reg, r, insn->dst_reg);
	else if (op == BPF_END)
		str_addf(out, "r%u = %s%d r%u", insn->dst_reg,
			 BPF_SRC(insn->code) == BPF_TO_BE ? "be" : "le", insn->imm, insn->dst_reg);
	else if (BPF_SRC(insn->code) == BPF_X)
		str_addf(out, "%c%u %s %c%u", r, insn->dst_reg, alu_ops[op >> 4], r, insn->src_reg);
	else
		str_addf(out, "%c%u %s %d", r, insn->dst_reg, alu_ops[op >> 4], insn->imm);
}

static void dump_call(const struct insns *in, u32 at, const struct bpf_insn *insn, struct str *out)
{
	const struct insns_fix *call;

	if (insn->src_reg != BPF_PSEUDO_CALL) {
		str_addf(out, "call bpf_%s#%d",
			 (u32)insn->imm < sizeof(helper_names) / sizeof(helper_names[0])
				 ? helper_names[insn->imm]
				 : "unknown",
			 insn->imm);
		return;
	}
	vec_for_each(call, &in->calls)
		if (call->insn == at)
			str_addf(out, "call %s", fixed_names[call->label]);
}

static void dump_jump(const struct insns *in, u32 at, const struct bpf_insn *insn, struct str *out)
{
	u8 op = BPF_OP(insn->code);

	if (op == BPF_CALL)
		dump_call(in, at, insn, out);
	else if (op == BPF_EXIT)
		str_adds(out, "exit");
	else if (op == BPF_JA)
		str_addf(out, "goto pc%+d", insn->off);
	else if (BPF_SRC(insn->code) == BPF_X)
		str_addf(out, "if r%u %s r%u goto pc%+d", insn->dst_reg, jump_ops[op >> 4],
			 insn->src_reg, insn->off);
	else
		str_addf(out, "if r%u %s %d goto pc%+d", insn->dst_reg, jump_ops[op >> 4],
			 insn->imm, insn->off);
}

static void dump_store(const struct bpf_insn *insn, struct str *out)
{
	if (BPF_MODE(insn->code) == BPF_XADD && insn->imm == BPF_XCHG)
		str_addf(out, "r%u = xchg_64(r%u %+d, r%u)", insn->src_reg, insn->dst_reg,
			 insn->off, insn->src_reg);
	else if (BPF_MODE(insn->code) == BPF_XADD && insn->imm)
		str_addf(out, "r0 = cmpxchg_64(r%u %+d, r0, r%u)", insn->dst_reg, insn->off,
			 insn->src_reg);
	else
		str_addf(out, "%s*(%s *)(r%u %+d) %s r%u",
			 BPF_MODE(insn->code) == BPF_XADD ? "lock " : "", width(insn->code),
			 insn->dst_reg, insn->off, BPF_MODE(insn->code) == BPF_XADD ? "+=" : "=",
			 insn->src_reg);
}

static void dump_wide(const struct bpf_insn *insn, struct str *out)
{
	if (insn->src_reg == BPF_PSEUDO_MAP_FD)
		str_addf(out, "r%u = map[fd:%d]", insn->dst_reg, insn->imm);
	else if (insn->src_reg == BPF_PSEUDO_MAP_VALUE)
		str_addf(out, "r%u = map[fd:%d][0]%+d", insn->dst_reg, insn->imm, insn[1].imm);
	else
		str_addf(out, "r%u = 0x%llx", insn->dst_reg,
			 (unsigned long long)(u32)insn[1].imm << 32 | (u32)insn[0].imm);
}

static void dump_insn(const struct insns *in, u32 at, struct str *out)
{
	const struct bpf_insn *insn = &in->code.items[at];

	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		dump_alu(insn, out);
		return;
	case BPF_JMP:
	case BPF_JMP32:
		dump_jump(in, at, insn, out);
		return;
	case BPF_LDX:
		str_addf(out, "r%u = *(%s *)(r%u %+d)", insn->dst_reg, width(insn->code),
			 insn->src_reg, insn->off);
		return;
	case BPF_ST:
		str_addf(out, "*(%s *)(r%u %+d) = %d", width(insn->code), insn->dst_reg, insn->off,
			 insn->imm);
		return;
	case BPF_STX:
		dump_store(insn, out);
		return;
	default:
		dump_wide(insn, out);
	}
}

static bool is_wide(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LD | BPF_DW | BPF_IMM);
}

void insns_dump(const struct insns *in, const struct text *t, struct str *out)
{
	struct text_range last = { 0 };

	for (u32 i = 0; i < in->code.n; i++) {
		struct text_range at = in->spans.items[i];

		if (at.n && (at.at != last.at || at.n != last.n) && span_end(at) <= t->n)
			str_addf(out, "; %.*s\n", (int)at.n, t->p + at.at);
		last = at;
		str_addf(out, "%4u: ", i);
		dump_insn(in, i, out);
		str_addc(out, '\n');
		i += is_wide(&in->code.items[i]);
	}
}
