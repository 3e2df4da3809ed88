// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Scalars: every node leaves its value in r0, extended from its type's size according to its sign.
 *
 * C's arithmetic is done in 64-bit registers: operands are extended, so the low bits of + - * & | ^
 * << are right, and the extended result is the value.  BPF has no signed division before 6.6; it is
 * built from the unsigned one.
 */
#include "gen/gen_int.h"

/* ---- held values ----------------------------------------------------------------------------- */

struct gen_saved gen_save(struct gen *g, u8 from)
{
	for (u8 i = 0; i < 2; i++) {
		u8 reg = (u8)(BPF_REG_8 + i);

		if (g->held & 1U << i)
			continue;
		g->held |= (u8)(1U << i);
		gen_emit(g, INSN_MOV_X(reg, from));
		return (struct gen_saved){ .reg = reg };
	}
	s32 slot = insns_stack(g->in, sizeof(u64));

	gen_emit(g, INSN_STORE(BPF_DW, BPF_REG_10, slot, from));
	return (struct gen_saved){ .slot = slot };
}

u8 gen_load_saved(struct gen *g, const struct gen_saved *h, u8 spare)
{
	if (h->reg)
		return h->reg;
	gen_emit(g, INSN_LOAD(BPF_DW, spare, BPF_REG_10, h->slot));
	return spare;
}

void gen_drop_saved(struct gen *g, const struct gen_saved *h)
{
	if (h->reg)
		g->held &= (u8) ~(1U << (h->reg - BPF_REG_8));
	else
		insns_stack_pop(g->in, g->in->stack_used - (u32)sizeof(u64));
}

/* ---- jumps -------------------------------------------------------------------------------- */

/*
 * The verifier follows one path through the program at a time and remembers the alternatives, one
 * for each conditional jump on the path: at most 8192 (BPF_COMPLEXITY_LIMIT_JMP_SEQ), some of them
 * in the functions that every program calls.
 */
#define MAX_JUMPS 7600

static void check_jumps(struct gen *g)
{
	if (g->in->fixes.n + g->loop_jumps > MAX_JUMPS)
		gen_refuse(g, g->in->span,
			   "the kernel's verifier cannot check this together with the rest of the "
			   "probe: put it in a probe of its own");
}

void gen_jump(struct gen *g, struct bpf_insn insn, u32 label)
{
	insns_jump(g->in, insn, label);
	check_jumps(g);
}

void gen_loop_jumps(struct gen *g, u32 n)
{
	g->loop_jumps += n;
	check_jumps(g);
}

/* ---- helpers --------------------------------------------------------------------------------- */

void gen_extend(struct gen *g, u8 reg, u32 size, bool is_signed)
{
	s32 bits = 64 - 8 * (s32)size;

	if (size >= sizeof(u64) || !size)
		return;
	if (size == sizeof(u32) && !is_signed) {
		gen_emit(g, INSN_ALU32_X(BPF_MOV, reg, reg));
		return;
	}
	if (!is_signed) {
		gen_emit(g, INSN_ALU_K(BPF_AND, reg, size == 1 ? 0xff : 0xffff));
		return;
	}
	gen_emit(g, INSN_ALU_K(BPF_LSH, reg, bits));
	gen_emit(g, INSN_ALU_K(BPF_ARSH, reg, bits));
}

/* The verifier does not know the difference of two pointers; this one is 0.  (BPF_OR does not work:
 * bits that are known to be set would stay known.)  Clobbers r1. */
void gen_blur(struct gen *g, u8 reg)
{
	gen_emit(g, INSN_MOV_X(BPF_REG_1, BPF_REG_10));
	gen_emit(g, INSN_ALU_X(BPF_SUB, BPF_REG_1, BPF_REG_10));
	gen_emit(g, INSN_ALU_X(BPF_ADD, reg, BPF_REG_1));
}

/* The value of a constant as it is in a register. */
static u64 extended(const struct type *type, u64 value)
{
	u32 bits = 64 - 8 * type->size;

	if (!type->size || type->size >= sizeof(u64))
		return value;
	return type->is_signed ? (u64)((s64)(value << bits) >> bits) : value << bits >> bits;
}

static bool is_const(const struct tree *t, u64 *value)
{
	while (t->kind == TREE_CAST && t->type->size == sizeof(u64) && !t->type->is_bool)
		t = t->a;
	if (t->kind != TREE_CONST)
		return false;
	*value = extended(t->type, t->value);
	return true;
}

static bool fits_imm(u64 value)
{
	return (s64)value == (s32)value;
}

/* ---- two operands ---------------------------------------------------------------------------- */

/* Put a into r0, and b into the register that is returned; if b is a small constant, put it into
 * *imm and return 0. */
static u8 operands(struct gen *g, const struct tree *t, s32 *imm, u32 absent)
{
	struct gen_saved h;
	u64 value;
	u8 reg;

	gen_value(g, t->a, absent);
	if (is_const(t->b, &value) && fits_imm(value)) {
		*imm = (s32)value;
		return 0;
	}
	h = gen_save(g, BPF_REG_0);
	gen_value(g, t->b, absent);
	gen_emit(g, INSN_MOV_X(BPF_REG_1, BPF_REG_0));
	reg = gen_load_saved(g, &h, BPF_REG_0);
	if (reg != BPF_REG_0)
		gen_emit(g, INSN_MOV_X(BPF_REG_0, reg));
	gen_drop_saved(g, &h);
	return BPF_REG_1;
}

struct op_row {
	u8 code;
	bool keeps_size; /* the result of extended operands is extended */
};

static const struct op_row op_rows[TREE_OP_N] = {
	[TREE_ADD] = { BPF_ADD, false }, [TREE_SUB] = { BPF_SUB, false },
	[TREE_MUL] = { BPF_MUL, false }, [TREE_BAND] = { BPF_AND, true },
	[TREE_BOR] = { BPF_OR, true },	 [TREE_XOR] = { BPF_XOR, true },
};

static void gen_plain(struct gen *g, const struct tree *t, u32 absent)
{
	const struct op_row *row = &op_rows[t->op];
	s32 imm = 0;
	u8 reg = operands(g, t, &imm, absent);

	if (reg)
		gen_emit(g, INSN_ALU_X(row->code, BPF_REG_0, reg));
	else
		gen_emit(g, INSN_ALU_K(row->code, BPF_REG_0, imm));
	if (!row->keeps_size)
		gen_extend(g, BPF_REG_0, t->type->size, t->type->is_signed);
}

/* Amounts are taken modulo the width, as x86-64 and arm64 do. */
static void gen_shift(struct gen *g, const struct tree *t, u32 absent)
{
	s32 mask = t->type->size == sizeof(u64) ? 63 : 31, imm = 0;
	u8 op = t->op == TREE_SHL ? BPF_LSH : t->type->is_signed ? BPF_ARSH : BPF_RSH;
	u8 reg = operands(g, t, &imm, absent);

	if (reg) {
		gen_emit(g, INSN_ALU_K(BPF_AND, reg, mask));
		gen_emit(g, INSN_ALU_X(op, BPF_REG_0, reg));
	} else if (imm & mask) {
		gen_emit(g, INSN_ALU_K(op, BPF_REG_0, imm & mask));
	}
	if (t->op == TREE_SHL)
		gen_extend(g, BPF_REG_0, t->type->size, t->type->is_signed);
}

/* reg = |reg|, sign = 0 or -1 */
static void magnitude(struct gen *g, u8 reg, u8 sign)
{
	gen_emit(g, INSN_MOV_X(sign, reg));
	gen_emit(g, INSN_ALU_K(BPF_ARSH, sign, 63));
	gen_emit(g, INSN_ALU_X(BPF_XOR, reg, sign));
	gen_emit(g, INSN_ALU_X(BPF_SUB, reg, sign));
}

/* Truncates; the remainder has the dividend's sign.  The smallest number divided by -1 is itself
 * (undefined in C, a trap in hardware). */
static void gen_divide(struct gen *g, const struct tree *t, u32 absent)
{
	u8 op = t->op == TREE_DIV ? BPF_DIV : BPF_MOD;
	bool is_short = t->type->size <= sizeof(u32) && !t->type->is_signed;
	s32 imm = 0;
	u8 reg = operands(g, t, &imm, absent);

	if (!reg && imm > 0 && !t->type->is_signed) {
		gen_emit(g, is_short ? INSN_ALU32_K(op, BPF_REG_0, imm)
				     : INSN_ALU_K(op, BPF_REG_0, imm));
		return;
	}
	if (!reg) {
		reg = BPF_REG_1;
		gen_emit(g, INSN_MOV_K(reg, imm));
	}
	gen_jump(g, INSN_JMP_K(BPF_JEQ, reg, 0), absent);
	if (!t->type->is_signed) {
		gen_emit(g, is_short ? INSN_ALU32_X(op, BPF_REG_0, reg)
				     : INSN_ALU_X(op, BPF_REG_0, reg));
		return;
	}
	magnitude(g, BPF_REG_0, BPF_REG_2);
	magnitude(g, reg, BPF_REG_3);
	gen_emit(g, INSN_ALU_X(op, BPF_REG_0, reg));
	if (t->op == TREE_DIV)
		gen_emit(g, INSN_ALU_X(BPF_XOR, BPF_REG_2, BPF_REG_3));
	gen_emit(g, INSN_ALU_X(BPF_XOR, BPF_REG_0, BPF_REG_2));
	gen_emit(g, INSN_ALU_X(BPF_SUB, BPF_REG_0, BPF_REG_2));
	gen_extend(g, BPF_REG_0, t->type->size, true);
}

/* ---- truth ----------------------------------------------------------------------------------- */

/* Jump operators for "true" and "false", by sign. */
struct compare_row {
	u8 jump[2], inverse[2]; /* [is_signed] */
};

static const struct compare_row compare_rows[TREE_OP_N] = {
	[TREE_EQ] = { { BPF_JEQ, BPF_JEQ }, { BPF_JNE, BPF_JNE } },
	[TREE_NE] = { { BPF_JNE, BPF_JNE }, { BPF_JEQ, BPF_JEQ } },
	[TREE_LT] = { { BPF_JLT, BPF_JSLT }, { BPF_JGE, BPF_JSGE } },
	[TREE_LE] = { { BPF_JLE, BPF_JSLE }, { BPF_JGT, BPF_JSGT } },
	[TREE_GT] = { { BPF_JGT, BPF_JSGT }, { BPF_JLE, BPF_JSLE } },
	[TREE_GE] = { { BPF_JGE, BPF_JSGE }, { BPF_JLT, BPF_JSLT } },
};

static bool is_compare(const struct tree *t)
{
	return t->kind == TREE_BINARY && t->op >= TREE_EQ;
}

static void branch_compare(struct gen *g, const struct tree *t, u32 to, bool when, u32 absent)
{
	const struct compare_row *row = &compare_rows[t->op];
	bool is_signed = t->a->type->is_signed;
	u8 op = when ? row->jump[is_signed] : row->inverse[is_signed];
	s32 imm = 0;
	u8 reg = operands(g, t, &imm, absent);

	gen_jump(g, reg ? INSN_JMP_X(op, BPF_REG_0, reg) : INSN_JMP_K(op, BPF_REG_0, imm), to);
}

static void branch_both(struct gen *g, const struct tree *t, u32 to, bool when, u32 absent)
{
	bool stop = t->kind == TREE_OR; /* the truth of a that determines the result */
	u32 skip;

	if (when == stop) {
		gen_branch(g, t->a, to, when, absent);
		gen_branch(g, t->b, to, when, absent);
		return;
	}
	skip = insns_label(g->in);
	gen_branch(g, t->a, skip, stop, absent);
	gen_branch(g, t->b, to, when, absent);
	insns_place(g->in, skip);
}

void gen_branch(struct gen *g, const struct tree *t, u32 to, bool when, u32 absent)
{
	struct text_range outer = g->in->span;

	if (t->at.n)
		g->in->span = t->at;
	if (is_compare(t)) {
		branch_compare(g, t, to, when, absent);
	} else if (t->kind == TREE_AND || t->kind == TREE_OR) {
		branch_both(g, t, to, when, absent);
	} else if (t->kind == TREE_LNOT) {
		gen_branch(g, t->a, to, !when, absent);
	} else if (t->kind == TREE_MATCH) {
		gen_match(g, t, to, when, absent);
	} else {
		gen_value(g, t, absent);
		gen_jump(g, INSN_JMP_K(when ? BPF_JNE : BPF_JEQ, BPF_REG_0, 0), to);
	}
	g->in->span = outer;
}

static void gen_truth(struct gen *g, const struct tree *t, u32 absent)
{
	u32 no = insns_label(g->in), end = insns_label(g->in);

	gen_branch(g, t, no, false, absent);
	gen_emit(g, INSN_MOV_K(BPF_REG_0, 1));
	gen_jump(g, INSN_JA, end);
	insns_place(g->in, no);
	gen_emit(g, INSN_MOV_K(BPF_REG_0, 0));
	insns_place(g->in, end);
	gen_blur(g, BPF_REG_0);
}

static void gen_cond(struct gen *g, const struct tree *t, u32 absent)
{
	u32 no = insns_label(g->in), end = insns_label(g->in);

	gen_branch(g, t->a, no, false, absent);
	gen_value(g, t->b, absent);
	gen_jump(g, INSN_JA, end);
	insns_place(g->in, no);
	gen_value(g, t->c, absent);
	insns_place(g->in, end);
	gen_blur(g, BPF_REG_0);
}

/* ---- one operand ----------------------------------------------------------------------------- */

static void gen_cast(struct gen *g, const struct tree *t, u32 absent)
{
	const struct type *from = t->a->type, *to = t->type;

	if (to->is_bool && !from->is_bool) {
		gen_value(g, t->a, absent);
		/* r0 != 0: the sign of r0 | -r0 */
		gen_emit(g, INSN_MOV_X(BPF_REG_1, BPF_REG_0));
		gen_emit(g, INSN_NEG(BPF_REG_1));
		gen_emit(g, INSN_ALU_X(BPF_OR, BPF_REG_0, BPF_REG_1));
		gen_emit(g, INSN_ALU_K(BPF_RSH, BPF_REG_0, 63));
		return;
	}
	gen_value(g, t->a, absent);
	if (from->size < to->size && !from->is_signed)
		return;
	if (from->size == to->size && from->is_signed == to->is_signed)
		return;
	if (from->size < to->size && from->is_signed && to->is_signed)
		return;
	gen_extend(g, BPF_REG_0, to->size, to->is_signed);
}

/*
 * To the verifier, the words of tp_btf and fentry programs are pointers, with which it permits no
 * arithmetic; but the negative of a pointer is a number.
 */
static void gen_number(struct gen *g, u8 reg)
{
	gen_emit(g, INSN_NEG(reg));
	gen_emit(g, INSN_NEG(reg));
}

void gen_bits(struct gen *g, const struct tree *t)
{
	s32 left, right;

	if (!t->bit_size) {
		if (t->type->is_signed)
			gen_extend(g, BPF_REG_0, t->type->size, true);
		return;
	}
	left = 64 - t->bit_offset - t->bit_size;
	right = 64 - t->bit_size;
	if (left)
		gen_emit(g, INSN_ALU_K(BPF_LSH, BPF_REG_0, left));
	if (right)
		gen_emit(g, INSN_ALU_K(t->type->is_signed ? BPF_ARSH : BPF_RSH, BPF_REG_0, right));
}

static void gen_ctx(struct gen *g, const struct tree *t)
{
	gen_emit(g, INSN_LOAD(gen_width(t->type->size), BPF_REG_0, R_CTX, t->offset));
	if (t->type->size == sizeof(u64))
		gen_number(g, BPF_REG_0);
	gen_bits(g, t);
}

static void gen_ctx_address(struct gen *g, const struct tree *t, u32 absent)
{
	if (t->a) {
		gen_value(g, t->a, absent);
		gen_emit(g, INSN_MOV_X(BPF_REG_1, R_CTX));
		gen_number(g, BPF_REG_1);
		gen_emit(g, INSN_ALU_X(BPF_ADD, BPF_REG_0, BPF_REG_1));
	} else {
		gen_emit(g, INSN_MOV_X(BPF_REG_0, R_CTX));
		gen_number(g, BPF_REG_0);
	}
	if (t->offset)
		gen_emit(g, INSN_ALU_K(BPF_ADD, BPF_REG_0, (s32)t->offset));
}

static void gen_unary(struct gen *g, const struct tree *t, u32 absent)
{
	gen_value(g, t->a, absent);
	if (t->kind == TREE_NEG)
		gen_emit(g, INSN_NEG(BPF_REG_0));
	else
		gen_emit(g, INSN_ALU_K(BPF_XOR, BPF_REG_0, -1));
	gen_extend(g, BPF_REG_0, t->type->size, t->type->is_signed);
}

static void gen_binary(struct gen *g, const struct tree *t, u32 absent)
{
	if (is_compare(t))
		gen_truth(g, t, absent);
	else if (t->op == TREE_SHL || t->op == TREE_SHR)
		gen_shift(g, t, absent);
	else if (t->op == TREE_DIV || t->op == TREE_MOD)
		gen_divide(g, t, absent);
	else
		gen_plain(g, t, absent);
}

static void gen_node(struct gen *g, const struct tree *t, u32 absent)
{
	switch (t->kind) {
	case TREE_CONST:
		insns_imm64(g->in, BPF_REG_0, extended(t->type, t->value));
		return;
	case TREE_CTX:
		gen_ctx(g, t);
		return;
	case TREE_CTX_ADDR:
		gen_ctx_address(g, t, absent);
		return;
	case TREE_LOAD:
		gen_load(g, t, absent);
		return;
	case TREE_SAVED:
		gen_saved(g, t, absent);
		return;
	case TREE_LATENCY:
		gen_latency(g, t, absent);
		return;
	case TREE_BUILTIN:
		gen_builtin(g, t, absent);
		return;
	case TREE_NEG:
	case TREE_NOT:
		gen_unary(g, t, absent);
		return;
	case TREE_BINARY:
		gen_binary(g, t, absent);
		return;
	case TREE_LNOT:
	case TREE_AND:
	case TREE_OR:
	case TREE_MATCH:
		gen_truth(g, t, absent);
		return;
	case TREE_COND:
		gen_cond(g, t, absent);
		return;
	case TREE_CAST:
		gen_cast(g, t, absent);
		return;
	default:
		gen_refuse(g, t->at, "a number is needed here");
	}
}

void gen_value(struct gen *g, const struct tree *t, u32 absent)
{
	struct text_range outer = g->in->span;

	if (t->at.n)
		g->in->span = t->at;
	gen_node(g, t, absent);
	g->in->span = outer;
}
