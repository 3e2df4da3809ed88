// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Turns call frame information into rules that a walk can apply in a few steps. */
#include <elf.h>

#include "unwind/cfi.h"

#define NO_REGISTER 255

static const struct cfi_machine x86_64 = {
	.sp = 7, .fp = 6, .ra = 16, .scratch = 10, .vfork = 5, .has_plt_expression = true
};
static const struct cfi_machine aarch64 = {
	.sp = 31, .fp = 29, .ra = 30, .scratch = NO_REGISTER, .vfork = NO_REGISTER
};

const struct cfi_machine *cfi_machine_of(u16 elf_machine)
{
	if (elf_machine == EM_X86_64)
		return &x86_64;
	return elf_machine == EM_AARCH64 ? &aarch64 : NULL;
}

/* ---- expressions (DWARF 5, section 2.5) ---- */

enum {
	OP_deref = 0x06,
	OP_and = 0x1a,
	OP_plus = 0x22,
	OP_plus_uconst = 0x23,
	OP_shl = 0x24,
	OP_ge = 0x2a,
	OP_lit0 = 0x30,
	OP_lit31 = 0x4f,
	OP_breg0 = 0x70,
	OP_breg31 = 0x8f,
};

/* *(reg + off) + add, or reg + off. */
struct sum {
	u8 reg;
	bool is_deref;
	s64 off, add;
};

static bool read_sum(struct cursor c, struct sum *out)
{
	u8 op = (u8)cursor_fixed(&c, 1);

	if (op < OP_breg0 || op > OP_breg31)
		return false;
	*out = (struct sum){ .reg = op - OP_breg0, .off = cursor_sleb(&c) };
	while (c.p < c.end) {
		s64 *to = out->is_deref ? &out->add : &out->off;

		op = *c.p++;
		if (op == OP_plus_uconst)
			*to = (s64)((u64)*to + cursor_uleb(&c));
		else if (op >= OP_lit0 && op <= OP_lit31 && cursor_fixed(&c, 1) == OP_plus)
			*to = (s64)((u64)*to + op - OP_lit0);
		else if (op == OP_deref && !out->is_deref)
			out->is_deref = true;
		else
			return false;
	}
	return !c.is_over;
}

/*
 * The expression that linkers write for .plt: rsp + 8, and 8 more after an entry has pushed its
 * number.  N, the position of that push in the 16 bytes of an entry, differs by linker and mode:
 *
 *	breg7 8, breg16 0, lit15, and, litN, ge, lit3, shl, plus
 */
static bool read_plt(struct cursor c, s64 *at)
{
	static const u8 before[] = { OP_breg0 + 7, 8, OP_breg0 + 16, 0, OP_lit0 + 15, OP_and };
	static const u8 after[] = { OP_ge, OP_lit0 + 3, OP_shl, OP_plus };
	const u8 *p = c.p;

	if (cursor_left(&c) != sizeof(before) + 1 + sizeof(after) ||
	    memcmp(p, before, sizeof(before)) != 0 ||
	    memcmp(p + sizeof(before) + 1, after, sizeof(after)) != 0)
		return false;
	*at = p[sizeof(before)] - OP_lit0;
	return *at >= 0 && *at < 16;
}

/* ---- rules ---- */

static bool fits(s64 value)
{
	return value == (s32)value;
}

/* Registers are saved at multiples of 8 bytes. */
static bool words_of(s64 off, __s16 *words)
{
	*words = (__s16)(off / 8);
	return !(off % 8) && off / 8 == *words;
}

static bool encode_cfa_sum(const struct cfi_machine *m, const struct sum *sum,
			   struct cfi_rule *rule)
{
	if (!fits(sum->off) || !fits(sum->add))
		return false;
	rule->off = (s32)sum->off;
	rule->add = (s32)sum->add;
	if (sum->reg == m->sp)
		rule->cfa = sum->is_deref ? CFI_SP_DEREF : CFI_SP;
	else if (sum->reg == m->fp)
		rule->cfa = sum->is_deref ? CFI_FP_DEREF : CFI_FP;
	else if (sum->reg == m->scratch && !sum->is_deref)
		rule->cfa = CFI_R10;
	else
		return false;
	return true;
}

static bool encode_cfa(const struct cfi_machine *m, const struct cfi_state *state,
		       struct cfi_rule *rule)
{
	struct sum sum;
	s64 at;

	if (!state->is_expression) {
		sum = (struct sum){ .reg = (u8)state->reg, .off = state->off };
		return state->reg < NO_REGISTER && encode_cfa_sum(m, &sum, rule);
	}
	if (m->has_plt_expression && read_plt(state->expression, &at)) {
		rule->cfa = CFI_PLT;
		rule->off = (s32)at;
		return true;
	}
	return read_sum(state->expression, &sum) && encode_cfa_sum(m, &sum, rule);
}

/* The caller's frame pointer: if it cannot be found, the walk fails only where it is needed. */
static void encode_fp(const struct cfi_machine *m, const struct cfi_register *fp,
		      struct cfi_rule *rule)
{
	struct sum sum;

	rule->fp = CFI_LOST;
	if (fp->where == CFI_IS_SAME) {
		rule->fp = CFI_SAME;
	} else if (fp->where == CFI_IS_AT && words_of(fp->off, &rule->fp_words)) {
		rule->fp = CFI_AT_CFA;
	} else if (fp->where == CFI_IS_EXPRESSION && read_sum(fp->expression, &sum) &&
		   !sum.is_deref && words_of(sum.off, &rule->fp_words)) {
		if (sum.reg == m->fp)
			rule->fp = CFI_AT_FP;
		else if (sum.reg == m->sp)
			rule->fp = CFI_AT_SP;
	}
	if (rule->fp == CFI_LOST || rule->fp == CFI_SAME)
		rule->fp_words = 0;
}

static bool encode_ra(const struct cfi_machine *m, const struct cfi_register *ra,
		      struct cfi_rule *rule)
{
	if (ra->where == CFI_IS_AT) {
		rule->ra = CFI_AT_CFA;
		return words_of(ra->off, &rule->ra_words);
	}
	/* On arm64, a call leaves the return address in a register; on x86-64 it is in memory, but
	 * vfork() takes it from there, since the child will use that place first. */
	rule->ra = CFI_SAME;
	if (ra->where == CFI_IS_REGISTER)
		return ra->off == m->vfork;
	return ra->where == CFI_IS_SAME && m->ra != x86_64.ra;
}

struct cfi_rule cfi_encode(const struct cfi_machine *m, const struct cfi_state *state,
			   bool is_signal)
{
	static const struct cfi_rule none = { .cfa = CFI_NONE };
	struct cfi_rule rule = { .cfa = CFI_NONE };

	if (is_signal)
		return (struct cfi_rule){ .cfa = CFI_SIGNAL };
	if (state->ra.where == CFI_IS_UNDEFINED)
		return (struct cfi_rule){ .cfa = CFI_END };
	if (!encode_ra(m, &state->ra, &rule) || !encode_cfa(m, state, &rule))
		return none;
	encode_fp(m, &state->fp, &rule);
	return rule;
}
